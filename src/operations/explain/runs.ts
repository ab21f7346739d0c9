import type { DayVerdict } from './day-state.js';

/** A day with its verdict and its number of records. */
export interface JudgedDate extends DayVerdict {
  readonly date: string;
  readonly records: number;
  readonly more: boolean;
}

/** Consecutive days with the same state and reason. */
export interface Run extends DayVerdict {
  readonly first_day: string;
  readonly last_day: string;
  readonly days: number;
  readonly records: number;
  readonly more: boolean;
}

/** Merges days, in order, into runs; counts are summed. */
export function runsOf(days: readonly JudgedDate[]): Run[] {
  const runs: Run[] = [];
  for (const { date, ...day } of days) {
    const last = runs.at(-1);
    if (last?.state !== day.state || last.whole !== day.whole || last.reason !== day.reason) {
      runs.push({ first_day: date, last_day: date, days: 1, ...day });
      continue;
    }
    const records = last.records + day.records;
    runs[runs.length - 1] = { ...last, last_day: date, days: last.days + 1, records, more: last.more || day.more };
  }
  return runs;
}

/** End of the unbroken run of complete days from the first; null if the first is incomplete. */
export function wholeThrough(days: readonly JudgedDate[]): string | null {
  const gap = days.findIndex(({ whole }) => !whole);
  return (gap === -1 ? days.at(-1) : days[gap - 1])?.date ?? null;
}
