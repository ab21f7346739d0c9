import { HOUR_MS } from '../../platform/platform/time.js';
import type { GivenQuery, Tx } from '../../storage/database/tx.js';
import { type OwnedRows, withoutTimes } from './hidden-records.js';

/*
 * An hour whose samples were thinned is final: what upstream sends of it afterwards is not stored, neither as samples
 * nor in its sums. A sample that is sent again and one that is late or corrected look alike once the samples are gone,
 * so adding it might count it twice. The hour says that it was sent again. The other hours of its day are as before.
 */

/** An hour of thinned samples: its series is that of the place. */
type HourRow = readonly [place: number, time: number, end: number, sentAgainAt: number | null];

const hoursNear: GivenQuery = {
  columns: [
    { name: 'place', type: 'int' },
    { name: 'series_id', type: 'int' },
    { name: 'first', type: 'int' },
    { name: 'last', type: 'int' },
  ],
  sql: `SELECT given.place, h.time, h.end_time, h.sent_again_at FROM given CROSS JOIN sample_hours h
    WHERE h.series_id = given.series_id AND h.time >= given.first AND h.time <= given.last`,
};
const noteSentAgain: GivenQuery = {
  columns: [
    { name: 'series_id', type: 'int' },
    { name: 'first', type: 'int' },
    { name: 'sent_at', type: 'int' },
  ],
  sql: `UPDATE sample_hours SET sent_again_at = given.sent_at FROM given
    WHERE sample_hours.series_id = given.series_id AND time = given.first AND sent_again_at IS NULL RETURNING 1`,
};

/** Samples to write, and the end of the newest hour of their series that was thinned; null if none was. */
interface Thinnable extends OwnedRows {
  readonly thinnedUntil: number | null;
}

/** The samples that are of no thinned hour. */
export async function withoutThinnedHours<T extends Thinnable>(
  tx: Tx,
  all: readonly T[],
  now: number,
): Promise<readonly T[]> {
  const old = all.filter(({ samples, thinnedUntil }) => (samples[0]?.time ?? Infinity) < (thinnedUntil ?? -Infinity));
  if (old.length === 0) return all;
  const given = old.flatMap(({ seriesId, samples }, place) => {
    return [place, seriesId, (samples[0]?.time ?? 0) - HOUR_MS, samples.at(-1)?.time ?? 0];
  });
  const hours = await tx.given<HourRow>(hoursNear, given);
  const left = new Map<T, T>();
  const sentAgain: number[] = [];
  for (const [place, rows] of old.entries()) {
    const own = hours.filter(([of]) => of === place);
    const { times, noted } = timesIn(own, rows.samples);
    for (const start of noted) sentAgain.push(rows.seriesId, start, now);
    if (times.size === 0) continue;
    left.set(rows, withoutTimes(rows, times));
  }
  if (sentAgain.length > 0) await tx.given(noteSentAgain, sentAgain);
  return all.map((rows) => left.get(rows) ?? rows).filter(({ samples }) => samples.length > 0);
}

/** The times of samples that lie in hours, and the starts of such hours of which no sample was sent again before. */
function timesIn(
  hours: readonly HourRow[],
  samples: OwnedRows['samples'],
): { times: Map<number, number>; noted: Set<number> } {
  const times = new Map<number, number>();
  const noted = new Set<number>();
  const sorted = hours.toSorted((a, b) => a[1] - b[1]);
  let at = 0;
  for (const { time } of samples) {
    while ((sorted[at + 1]?.[1] ?? Infinity) <= time) at++;
    const [, start = Infinity, end = -Infinity, sentAgainAt = null] = sorted[at] ?? [];
    if (time < start || time >= end) continue;
    times.set(time, start);
    if (sentAgainAt === null) noted.add(start);
  }
  return { times, noted };
}
