import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, leaseColumns, personalRows } from '../../storage/declarations/personal-data.js';
import { waitingByError } from '../../storage/work/leased-rows.js';
import { ResultFetchEntity } from './result-fetch.entity.js';

export const resultFetchesDeclarations: RoomDeclarations = {
  entities: [ResultFetchEntity],
  personal: [
    personalRows(
      ResultFetchEntity,
      [
        ...byAccount,
        { column: 'subject_id', through: { table: 'orders', key: 'order_id' }, where: `scope = 'order'` },
        {
          column: 'subject_id',
          through: { table: 'order_transactions', key: 'order_transaction_id' },
          where: `scope = 'transaction'`,
        },
      ],
      { as: 'result_fetch', without: leaseColumns },
    ),
  ],
  waiting: {
    result_fetch: waitingByError('result_fetches'),
  },
  figures: {
    results_given_up: 'SELECT COUNT(*) FROM result_fetches WHERE due_at IS NULL AND requested_at >= :lately',
  },
};
