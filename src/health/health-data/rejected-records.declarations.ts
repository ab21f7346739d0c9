import type { RoomDeclarations } from '../declarations/declarations.js';
import { byAccount } from '../declarations/personal-data.js';

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
