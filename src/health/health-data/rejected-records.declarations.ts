import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount } from '../../storage/declarations/personal-data.js';

export const rejectedRecordsDeclarations: RoomDeclarations = {
  personal: [
    {
      table: 'rejected_records',
      key: ['account_id', 'digest'],
      paths: byAccount,
      exported: { as: 'rejected_record', without: ['digest'] },
    },
  ],
};
