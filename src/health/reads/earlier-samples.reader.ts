import { firstIndex } from '../../platform/platform/first-index.js';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { HOUR_MS, type TimeRange, union } from '../../platform/platform/time.js';
import type { Reader } from '../../storage/database/reader.js';
import type { Queryable } from '../../storage/database/tx.js';
import type { Resource } from '../catalogue/catalogue.js';
import type { SeriesSlot } from '../clock/person-clocks.service.js';
import { inParts, type SeriesRange } from '../clock/series-ranges.js';

/*
 * Samples of a former upstream user of an account that samples of the present one replace
 * (docs/meaning.md#after-a-relink). Those of one instant replace each other when they are stored. An interval may have
 * been sent again in other parts, and a measure at other times.
 */

/** Time before an interval at which those that replace it may begin. */
const REACH_MS = 3 * HOUR_MS;
/** A sample of one instant is replaced by one that is no further away. */
const SAME_INSTANT_MS = 60_000;
/** A measure is also replaced by those before and after it that are no further away. */
const BESIDE_MS = HOUR_MS / 2;

interface Row {
  /** The series. */
  readonly id: number;
  readonly time: number;
  readonly duration_ms: number | null;
  readonly observation_id: number;
}

/** Number of superseded samples of a source on a date; not 0. */
export interface SupersededOfDay {
  readonly provider: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly superseded: number;
}

/**
 * SQL condition on samples `p` of a measure: the present upstream user, whose first observation is `since`, has not
 * sent them again.
 */
export function notSentAgain(since: number): string {
  const present = (from: string, to: string): string => `EXISTS (SELECT 1 FROM samples n
    JOIN sample_groups ng ON ng.id = n.group_id WHERE n.series_id = p.series_id
     AND n.time >= ${from} AND n.time <= ${to} AND ng.observation_id >= ${since})`;
  const [before, after] = [`p.time - ${BESIDE_MS}`, `p.time + ${BESIDE_MS}`];
  return `((SELECT pg.observation_id FROM sample_groups pg WHERE pg.id = p.group_id) >= ${since}
    OR NOT (${present(`p.time - ${SAME_INSTANT_MS}`, `p.time + ${SAME_INSTANT_MS}`)}
     OR (${present(before, 'p.time')} AND ${present('p.time', after)})))`;
}

/** For each of `ranges`, true if both the present upstream user and a former one have samples in it, or nearly so. */
export async function ofBothUsers(
  reader: Pick<Queryable, 'rows'>,
  ranges: readonly SeriesRange[],
  since: number,
): Promise<boolean[]> {
  const wide = ranges.map((range) => ({ ...range, start: range.start - REACH_MS, end: range.end + BESIDE_MS }));
  const rows = await inParts(wide, (list, values) =>
    reader.rows<{ place: number; first: number; last: number }>(
      `SELECT w.column1 AS place, MIN(g.observation_id) AS first, MAX(g.observation_id) AS last
       FROM (VALUES ${list}) AS w CROSS JOIN samples p JOIN sample_groups g ON g.id = p.group_id
       WHERE p.series_id = w.column2 AND p.time >= w.column3 AND p.time < w.column4 GROUP BY w.column1`,
      values,
    ),
  );
  const both = new Set(rows.filter(({ first, last }) => first < since && last >= since).map(({ place }) => place));
  return ranges.map((_, place) => both.has(place));
}

/** The superseded samples of a resource in these slots, by date and source. */
export async function supersededIn(
  reader: Reader,
  resource: Resource,
  slots: readonly SeriesSlot[],
  since: number,
): Promise<SupersededOfDay[]> {
  const all = slots.map((slot) => ({ slot, seriesId: slot.series.id, start: slot.start, end: slot.end }));
  const isOfBoth = await ofBothUsers(reader, all, since);
  const ranges = all.filter((_, index) => isOfBoth[index]);
  const rows = await inParts(ranges, (list, values) =>
    reader.rows<Row & { place: number }>(
      `SELECT w.column1 AS place, w.column2 AS id, p.time, p.duration_ms, g.observation_id FROM (VALUES ${list}) AS w
       CROSS JOIN samples p JOIN sample_groups g ON g.id = p.group_id
       WHERE p.series_id = w.column2 AND p.time >= w.column3 AND p.time < w.column4 AND g.observation_id < ${since}`,
      values,
    ),
  );
  const kept = new Set(await withoutSuperseded(reader, resource, rows, since));
  const superseded = groupedBy(
    rows.filter((row) => !kept.has(row)).map(({ place }) => (ranges[place] as (typeof ranges)[number]).slot),
    ({ date, series }) => `${date} ${series.provider}`,
  );
  return [...superseded.values()].flatMap((own) => {
    const [first] = own;
    return first ? [{ provider: first.series.provider, date: first.date, superseded: own.length }] : [];
  });
}

/** Without samples that those of the present upstream user replace. `since`: its first observation. */
export async function withoutSuperseded<R extends Row>(
  reader: Reader,
  resource: Resource,
  rows: readonly R[],
  since: number,
): Promise<R[]> {
  const earlier = rows.filter((row) => row.observation_id < since);
  if (earlier.length === 0) return [...rows];
  const present = await presentNear(reader, rangesOf(earlier), since);
  const isReplaced = (row: R): boolean => {
    const own = present.get(row.id) ?? [];
    return (row.duration_ms ?? 0) > 0 ? isCovered(row, own) : isSentAgain(row, own, resource);
  };
  const superseded = new Set(earlier.filter(isReplaced));
  return rows.filter((row) => !superseded.has(row));
}

/** One range for each run of near samples of a series, so that each sample is read once. */
function rangesOf(rows: readonly Row[]): SeriesRange[] {
  return [...groupedBy(rows, ({ id }) => id)].flatMap(([seriesId, own]) =>
    union(own.map((row) => ({ start: row.time - REACH_MS, end: endOf(row) + BESIDE_MS + 1 }))).map((range) => ({
      seriesId,
      ...range,
    })),
  );
}

/** The samples of the present upstream user by series, each in order of time. */
async function presentNear(reader: Reader, ranges: readonly SeriesRange[], since: number) {
  const rows = await inParts(ranges, (list, values) =>
    reader.rows<{ place: number; time: number; duration_ms: number | null }>(
      `SELECT w.column1 AS place, p.time, p.duration_ms FROM (VALUES ${list}) AS w
       CROSS JOIN samples p JOIN sample_groups g ON g.id = p.group_id
       WHERE p.series_id = w.column2 AND p.time >= w.column3 AND p.time < w.column4 AND g.observation_id >= ${since}`,
      values,
    ),
  );
  const bySeries = groupedBy(rows, ({ place }) => (ranges[place] as SeriesRange).seriesId);
  return new Map(
    [...bySeries].map(([id, own]) => [
      id,
      own.map((row): TimeRange => ({ start: row.time, end: endOf(row) })).sort((a, b) => a.start - b.start),
    ]),
  );
}

function endOf({ time, duration_ms }: Pick<Row, 'time' | 'duration_ms'>): number {
  return time + (duration_ms ?? 0);
}

/** True if intervals cover at least half of it. */
function isCovered({ time, duration_ms }: Row, present: readonly TimeRange[]): boolean {
  const length = duration_ms ?? 0;
  const end = time + length;
  let [covered, until] = [0, time];
  for (let at = firstIndex(present, (one) => one.start < time - REACH_MS); at < present.length; at++) {
    const one = present[at] as TimeRange;
    if (one.start >= end) break;
    covered += Math.max(0, Math.min(one.end, end) - Math.max(one.start, until));
    until = Math.max(until, one.end);
  }
  return 2 * covered >= length;
}

/** True if a sample of one instant was sent again at nearly the same time or, of a measure, lies between new ones. */
function isSentAgain({ time }: Row, present: readonly TimeRange[], { statistics }: Resource): boolean {
  const at = firstIndex(present, (one) => one.start < time);
  const before = time - (present[at - 1]?.start ?? Number.NEGATIVE_INFINITY);
  const after = (present[at]?.start ?? Number.POSITIVE_INFINITY) - time;
  if (Math.min(before, after) <= SAME_INSTANT_MS) return true;
  return statistics === 'measure' && Math.max(before, after) <= BESIDE_MS;
}
