import type { RoomDeclarations } from '../declarations/declarations.js';
import { byAccount, leaseColumns } from '../declarations/personal-data.js';

export const workoutSeriesDeclarations: RoomDeclarations = {
  personal: [
    {
      table: 'workout_series_fetches',
      key: ['id'],
      paths: byAccount,
      exported: { as: 'workout_stream_fetch', json: ['facts'], without: [...leaseColumns, 'message_seq', 'requests'] },
    },
  ],
};
