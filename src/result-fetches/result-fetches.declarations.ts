import type { RoomDeclarations } from '../declarations/declarations.js';
import { byAccount, leaseColumns } from '../declarations/personal-data.js';

export const resultFetchesDeclarations: RoomDeclarations = {
  personal: [
    {
      table: 'result_fetches',
      key: ['scope', 'subject_id'],
      paths: [
        ...byAccount,
        { column: 'subject_id', through: { table: 'orders', key: 'order_id' }, where: `scope = 'order'` },
        {
          column: 'subject_id',
          through: { table: 'order_transactions', key: 'order_transaction_id' },
          where: `scope = 'transaction'`,
        },
      ],
      exported: { as: 'result_fetch', without: leaseColumns },
    },
  ],
};
