import { DAY_MS, startOfDate } from '../../platform/platform/time.js';
import type { ViewCut } from '../../storage/declarations/views.js';

/** Cuts a view of `series s` by resource and UTC day of its rows; `table` stands under `alias` in the view. */
export function seriesCut(change: ViewCut['change'], table: string, alias: string): ViewCut {
  const time = `${alias}.time`;
  return {
    change,
    folders: ['resource'],
    resource: { sql: 'SELECT DISTINCT resource AS name FROM series ORDER BY name' },
    first: (resource, day) => ({
      sql: `SELECT MIN((SELECT MIN(${time}) FROM ${table} ${alias} WHERE ${alias}.series_id = s.id AND ${time} >= ?)) AS at
        FROM series s WHERE s.resource = ?`,
      values: [startOfDate(day), resource],
    }),
    rows: (resource, day) => ({
      sql: `s.resource = ? AND ${time} >= ? AND ${time} < ?`,
      values: [resource, startOfDate(day ?? ''), startOfDate(day ?? '') + DAY_MS],
    }),
  };
}
