import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, leaseColumns, personalRows } from '../../storage/declarations/personal-data.js';
import { waitingByError } from '../../storage/work/leased-rows.js';
import { SeriesFetchEntity } from './series-fetch.entity.js';

export const workoutSeriesDeclarations: RoomDeclarations = {
  entities: [SeriesFetchEntity],
  personal: [
    personalRows(SeriesFetchEntity, byAccount, {
      as: 'workout_stream_fetch',
      json: ['facts'],
      without: [...leaseColumns, 'message_seq', 'requests'],
    }),
  ],
  figures: {
    // A series of someone else, or of an account that is gone, is not missing.
    series_given_up: `SELECT COUNT(*) FROM workout_series_fetches
      WHERE status = 'failed' AND error_code NOT IN ('account_gone', 'foreign_user', 'foreign_workout')`,
  },
  waiting: {
    workout_series: waitingByError('workout_series_fetches'),
  },
};
