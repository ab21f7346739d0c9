import { DAY_MS, dateOf, startOfDate, type TimeRange } from '../../platform/platform/time.js';
import { clockOf, type ZoneClock } from '../reads/day-spans.js';

/*
 * A sample belongs to the local day and hour of its time: according to its own offset, else the account's
 * fallback_time_zone, else UTC. So a day has 23 or 25 hours when clocks change, and any length when the person travels.
 */

/** From `time` on, samples of a series have the offset `ahead` in milliseconds; null if they have none. */
export interface OffsetChange {
  readonly time: number;
  readonly ahead: number | null;
}

/** A range in which local time is `ahead` milliseconds ahead of UTC. */
export interface OffsetRun extends TimeRange {
  readonly ahead: number;
}

/** Part of a series whose samples belong to one local day or hour. */
export interface Slot extends TimeRange {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** Local time at which the day or hour begins, written as if it were UTC; epoch milliseconds. */
  readonly local: number;
  readonly ahead: number;
}

/** The offsets of a series in a range. `changes` must be sorted by time; the first also applies to earlier times. */
export function offsetRuns(changes: readonly OffsetChange[], zone: string | null, range: TimeRange): OffsetRun[] {
  const clock = zone === null ? null : clockOf(zone);
  return changes.flatMap(({ time, ahead }, index) => {
    const start = index === 0 ? range.start : Math.max(time, range.start);
    const end = Math.min(changes[index + 1]?.time ?? range.end, range.end);
    if (start >= end) return [];
    return ahead === null && clock ? zoneRuns(clock, { start, end }) : [{ start, end, ahead: ahead ?? 0 }];
  });
}

/** The local days or hours (`size` in milliseconds) from one date to another, both inclusive. */
export function slotsOf(runs: readonly OffsetRun[], { from, to }: { from: string; to: string }, size: number): Slot[] {
  return runs.flatMap(({ start, end, ahead }) => {
    const first = Math.max(start + ahead, startOfDate(from));
    const last = Math.min(end + ahead, startOfDate(to) + DAY_MS);
    const slots: Slot[] = [];
    for (let local = Math.floor(first / size) * size; local < last; local += size) {
      const part = { start: Math.max(local, first) - ahead, end: Math.min(local + size, last) - ahead };
      slots.push({ ...part, date: dateOf(local), local, ahead });
    }
    return slots;
  });
}

function zoneRuns(clock: ZoneClock, { start, end }: TimeRange): OffsetRun[] {
  const runs: OffsetRun[] = [];
  for (let from = start; from < end; ) {
    const ahead = clock(from);
    let until = from;
    let next = from;
    while (until < end && clock((next = Math.min(until + DAY_MS, end))) === ahead) until = next;
    if (until < end) until = changeBetween(clock, until, next);
    runs.push({ start: from, end: until, ahead });
    from = until;
  }
  return runs;
}

/** The first instant after `same` with a different offset; `other` must have a different one. */
function changeBetween(clock: ZoneClock, same: number, other: number): number {
  const ahead = clock(same);
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (clock(middle) === ahead) same = middle;
    else other = middle;
  }
  return other;
}
