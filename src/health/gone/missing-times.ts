import { DAY_MS, HOUR_MS, type TimeRange } from '../../platform/platform/time.js';
import type { MissingRecordEntity } from '../records/missing-record.entity.js';
import type { Missed, Stored } from './missing-records.repository.js';

/* Times of missing records: which of them an overlapping record replaced, and which share one look. */

/** An interval that overlaps a record begins at most this much earlier. */
export const MAX_INTERVAL_MS = DAY_MS;
/** Ranges at most this far apart share one pull. */
const NEAR_MS = HOUR_MS;

/** Equal for two records if one may replace the other. */
export function placeOf({ provider, summaryId, details }: Stored): string {
  return summaryId === '' ? details : `${provider} ${details}`;
}

interface Reach {
  readonly starts: readonly number[];
  /** At each index, the latest end among the intervals up to that index. */
  readonly ends: readonly number[];
}

/** `intervals` must be sorted by start. */
export function reachOf(intervals: readonly Stored[]): Reach {
  let latest = Number.NEGATIVE_INFINITY;
  const ends = intervals.map(({ end }) => (latest = Math.max(latest, end)));
  return { starts: intervals.map(({ time }) => time), ends };
}

export function overlapsAny({ time, end }: Stored, reach: Reach | undefined): boolean {
  if (!reach) return false;
  let [from, to] = [0, reach.starts.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((reach.starts[middle] ?? end) < end) from = middle + 1;
    else to = middle;
  }
  return (reach.ends[from - 1] ?? time) > time;
}

interface Group extends TimeRange {
  readonly members: readonly Missed[];
}

/** Groups records, sorted by time, so that gaps within a group are shorter than the longest interval. */
export function apart(missed: readonly Missed[]): Group[] {
  const groups: { start: number; end: number; members: Missed[] }[] = [];
  for (const one of missed) {
    const last = groups.at(-1);
    if (last && one.time - last.end < MAX_INTERVAL_MS) {
      last.end = Math.max(last.end, one.end);
      last.members.push(one);
    } else groups.push({ start: one.time, end: one.end, members: [one] });
  }
  return groups;
}

/** The ranges of some rows; nearby ones are merged. */
export function near(rows: readonly MissingRecordEntity[]): TimeRange[] {
  const ranges: { start: number; end: number }[] = [];
  for (const { time, end_time: end } of [...rows].sort((a, b) => a.time - b.time)) {
    const last = ranges.at(-1);
    if (last && time - last.end <= NEAR_MS) last.end = Math.max(last.end, end);
    else ranges.push({ start: time, end });
  }
  return ranges;
}
