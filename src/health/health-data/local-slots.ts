import { DAY_MS, dateOf, startOfDate, type TimeRange } from '../../platform/platform/time.js';
import { clockOf, type ZoneClock } from './day-spans.js';

/*
 * A sample belongs to the day and the hour that the clock on the wall showed at its time: by its own offset, else by
 * the account's fallback_time_zone, else by UTC. So the days of a person have 23 or 25 hours where clocks change, and
 * any length on a journey.
 */

/** From this time on the samples of a series have this offset in milliseconds; null where they have none. */
export interface OffsetChange {
  readonly time: number;
  readonly ahead: number | null;
}

/** Time in which local time is the same number of milliseconds ahead of UTC. */
export interface OffsetRun extends TimeRange {
  readonly ahead: number;
}

/** Part of a series whose samples belong to one local day or hour. */
export interface Slot extends TimeRange {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** What the clock on the wall shows when the day or hour begins, as if it were UTC. */
  readonly local: number;
  readonly ahead: number;
}

/** The offsets of a series within a range. `changes` are by rising time; the first holds for earlier times as well. */
export function offsetRuns(changes: readonly OffsetChange[], zone: string | null, range: TimeRange): OffsetRun[] {
  const clock = zone === null ? null : clockOf(zone);
  return changes.flatMap(({ time, ahead }, index) => {
    const start = index === 0 ? range.start : Math.max(time, range.start);
    const end = Math.min(changes[index + 1]?.time ?? range.end, range.end);
    if (start >= end) return [];
    return ahead === null && clock ? zoneRuns(clock, { start, end }) : [{ start, end, ahead: ahead ?? 0 }];
  });
}

/** The local days or hours (`size` in milliseconds) of some dates, both inclusive. */
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

/** The first instant with another offset than that of `same`; `other` has one. */
function changeBetween(clock: ZoneClock, same: number, other: number): number {
  const ahead = clock(same);
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (clock(middle) === ahead) same = middle;
    else other = middle;
  }
  return other;
}
