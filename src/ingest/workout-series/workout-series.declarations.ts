import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, leaseColumns } from '../../storage/declarations/personal-data.js';
import { SeriesFetchEntity } from './series-fetch.entity.js';

export const workoutSeriesDeclarations: RoomDeclarations = {
  entities: [SeriesFetchEntity],
  personal: [
    {
      table: 'workout_series_fetches',
      key: ['id'],
      paths: byAccount,
      exported: { as: 'workout_stream_fetch', json: ['facts'], without: [...leaseColumns, 'message_seq', 'requests'] },
    },
  ],
  waiting: {
    workout_series: `SELECT error_code AS error, COUNT(*) AS count FROM workout_series_fetches
      WHERE due_at IS NOT NULL AND error_code IS NOT NULL GROUP BY error_code ORDER BY error_code`,
  },
};
