import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount } from '../../storage/declarations/personal-data.js';
import { RejectedRecordEntity } from './rejected-record.entity.js';

export const rejectedRecordsDeclarations: RoomDeclarations = {
  entities: [RejectedRecordEntity],
  personal: [
    {
      table: 'rejected_records',
      key: ['account_id', 'digest'],
      paths: byAccount,
      exported: { as: 'rejected_record', without: ['digest'] },
    },
  ],
};
