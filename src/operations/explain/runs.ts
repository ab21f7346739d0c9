import { type NoteCode, noteCodes } from './day-notes.js';
import type { DayVerdict } from './day-state.js';

/** A day with its verdict and its number of records. */
export interface JudgedDate extends DayVerdict {
  readonly date: string;
  readonly records: number;
  readonly more: boolean;
  /** Hidden records. */
  readonly gone: number;
  readonly notes: readonly NoteCode[];
  /** Until when regular pulls include it; epoch milliseconds. */
  readonly askedUntil: number | null;
  /** When it was proven equal with upstream; epoch milliseconds. */
  readonly equalAt: number | null;
}

/** Consecutive days with the same state and reason. */
export interface Run extends DayVerdict {
  readonly first_day: string;
  readonly last_day: string;
  readonly days: number;
  readonly records: number;
  readonly more: boolean;
  /** Hidden records. */
  readonly gone: number;
  /** Of any of its days. */
  readonly notes: readonly NoteCode[];
  /** Of the last day. */
  readonly askedUntil: number | null;
  /** The earliest; null unless every day was. */
  readonly equalAt: number | null;
}

/** Merges days, in order, into runs; counts are summed. */
export function runsOf(days: readonly JudgedDate[]): Run[] {
  const runs: Run[] = [];
  for (const { date, ...day } of days) {
    const last = runs.at(-1);
    if (last === undefined || !isSame(last, day)) {
      runs.push({ first_day: date, last_day: date, days: 1, ...day });
      continue;
    }
    const records = last.records + day.records;
    const gone = last.gone + day.gone;
    runs[runs.length - 1] = {
      ...last,
      last_day: date,
      days: last.days + 1,
      records,
      gone,
      askedUntil: day.askedUntil,
      equalAt: last.equalAt === null || day.equalAt === null ? null : Math.min(last.equalAt, day.equalAt),
      notes: noteCodes.filter((code) => last.notes.includes(code) || day.notes.includes(code)),
      more: last.more || day.more,
    };
  }
  return runs;
}

/** Days with hidden records, or with other notes on their records, are not merged. */
function isSame(run: Run, day: Omit<JudgedDate, 'date'>): boolean {
  const isAlike = run.state === day.state && run.whole === day.whole && run.reason === day.reason;
  return isAlike && run.gone > 0 === day.gone > 0 && ofRecords(run.notes) === ofRecords(day.notes);
}

/** Without notes on the clock of the day, which changes with every record near it. */
function ofRecords(notes: readonly NoteCode[]): string {
  return notes.filter((code) => code !== 'zone_assumed' && code !== 'zone_unknown').join();
}

/** End of the unbroken run of complete days from the first; null if the first is incomplete. */
export function wholeThrough(days: readonly JudgedDate[]): string | null {
  const gap = days.findIndex(({ whole }) => !whole);
  return (gap === -1 ? days.at(-1) : days[gap - 1])?.date ?? null;
}
