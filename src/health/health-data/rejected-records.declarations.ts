import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, personalRows } from '../../storage/declarations/personal-data.js';
import { RejectedRecordEntity } from './rejected-record.entity.js';

export const rejectedRecordsDeclarations: RoomDeclarations = {
  entities: [RejectedRecordEntity],
  personal: [personalRows(RejectedRecordEntity, byAccount, { as: 'rejected_record', without: ['digest'] })],
};
