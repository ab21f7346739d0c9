import { groupedBy } from '../../platform/platform/grouped-by.js';
import { HOUR_MS, type TimeRange, union } from '../../platform/platform/time.js';
import type { Reader } from '../../storage/database/reader.js';
import { inParts, type SeriesRange } from '../clock/series-ranges.js';

/*
 * Samples of a former upstream user of an account that samples of the present one replace
 * (docs/meaning.md#after-a-relink). Those of one instant replace each other when they are stored; an interval may have
 * been sent again in other parts.
 */

/** Time before an interval at which those that replace it may begin. */
const REACH_MS = 3 * HOUR_MS;

interface Row {
  /** The series. */
  readonly id: number;
  readonly time: number;
  readonly duration_ms: number | null;
  readonly observation_id: number;
}

/**
 * Without intervals of which those of the present upstream user cover at least half. `since`: its first observation.
 */
export async function withoutSuperseded<R extends Row>(
  reader: Reader,
  rows: readonly R[],
  since: number,
): Promise<R[]> {
  const earlier = rows.filter((row) => row.observation_id < since && (row.duration_ms ?? 0) > 0);
  if (earlier.length === 0) return [...rows];
  const present = await presentIn(reader, rangesOf(earlier), since);
  const superseded = new Set(earlier.filter((row) => isCovered(row, present.get(row.id) ?? [])));
  return rows.filter((row) => !superseded.has(row));
}

/** One range for each run of near intervals of a series, so that each sample is read once. */
function rangesOf(rows: readonly Row[]): SeriesRange[] {
  return [...groupedBy(rows, ({ id }) => id)].flatMap(([seriesId, own]) =>
    union(own.map((row) => ({ start: row.time - REACH_MS, end: endOf(row) }))).map((range) => ({ seriesId, ...range })),
  );
}

/** Time that intervals of the present upstream user cover, by series. */
async function presentIn(reader: Reader, ranges: readonly SeriesRange[], since: number) {
  const rows = await inParts(ranges, (list, values) =>
    reader.rows<{ place: number; time: number; duration_ms: number }>(
      `SELECT w.column1 AS place, p.time, p.duration_ms FROM (VALUES ${list}) AS w
       CROSS JOIN samples p JOIN sample_groups g ON g.id = p.group_id
       WHERE p.series_id = w.column2 AND p.time >= w.column3 AND p.time < w.column4 AND p.duration_ms > 0
        AND g.observation_id >= ?`,
      [...values, since],
    ),
  );
  const bySeries = groupedBy(rows, ({ place }) => (ranges[place] as SeriesRange).seriesId);
  const covered = (own: typeof rows): TimeRange[] => union(own.map((row) => ({ start: row.time, end: endOf(row) })));
  return new Map([...bySeries].map(([id, own]) => [id, covered(own)]));
}

function endOf({ time, duration_ms }: Pick<Row, 'time' | 'duration_ms'>): number {
  return time + (duration_ms ?? 0);
}

function isCovered({ time, duration_ms }: Row, intervals: readonly TimeRange[]): boolean {
  const length = duration_ms ?? 0;
  let covered = 0;
  for (const { start, end } of intervals) {
    if (start >= time + length) break;
    covered += Math.max(0, Math.min(end, time + length) - Math.max(start, time));
  }
  return 2 * covered >= length;
}
