import { DAY_MS, dateOf, HOUR_MS, startOfDate, type TimeRange } from '../../platform/platform/time.js';
import type { Resource } from '../catalogue/catalogue.js';
import type { ClockRun } from './person-clock.js';

/*
 * A sample belongs to the local day and hour of its time by the clock of its person (person-clock.ts). So a day has 23
 * or 25 hours when clocks change, and any length when the person travels.
 */

/** What begins in the evening and goes on after midnight belongs to the day on which the night ends. */
export const EVENING_MS = 6 * HOUR_MS;

/** Time before midnight at which the days of a resource begin, in milliseconds. */
export function shiftOf({ ofNight }: Pick<Resource, 'ofNight'>): number {
  return ofNight ? EVENING_MS : 0;
}

/** Part of a series whose samples belong to one local day or hour. */
export interface Slot extends TimeRange {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** Local time at which the day or hour begins, written as if it were UTC; epoch milliseconds. */
  readonly local: number;
  readonly ahead: number;
}

/** The local days or hours (`size` in milliseconds) from one date to another, both inclusive. */
export function slotsOf(
  runs: readonly Pick<ClockRun, 'start' | 'end' | 'ahead'>[],
  { from, to }: { from: string; to: string },
  size: number,
): Slot[] {
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
