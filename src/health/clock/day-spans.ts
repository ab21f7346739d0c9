import {
  DAY_MS,
  dateAfter,
  HOUR_MS,
  MAX_AHEAD_MS,
  MAX_BEHIND_MS,
  startOfDate,
  type TimeRange,
} from '../../platform/platform/time.js';
import { type Resource, rangeOfSummaries } from '../catalogue/catalogue.js';
import type { ClockRun, PersonClock } from './person-clock.js';

/**
 * The way in which the local day of a date was determined. samples: from the offset of stored records ·
 * fallback_time_zone: from the zone of the account · utc: neither is known · calendar_date: the records contain their
 * date.
 */
export const dayClocks = ['samples', 'fallback_time_zone', 'utc', 'calendar_date'] as const;
export type DayClock = (typeof dayClocks)[number];

/** Days as `YYYY-MM-DD`, both inclusive. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** A person's local day, from one midnight to the next. */
export interface DaySpan extends TimeRange {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly by: DayClock;
  /** An offset such as `-08:00`, or the name of a time zone; null if unknown, in which case the span is the UTC day. */
  readonly zone: string | null;
}

/** Determines the local days of a person. */
export interface DayFactors {
  readonly resource: Pick<Resource, 'hasDay'>;
  readonly clock: Pick<PersonClock, 'assumed'>;
}

/** The spans of consecutive dates, in order and without gaps. */
export function daySpans(dates: readonly string[], { resource, clock }: DayFactors): DaySpan[] {
  const midnights = dates.map(startOfDate);
  const [first, last] = [midnights[0], midnights.at(-1)];
  if (first === undefined || last === undefined) return [];
  const runs = clock.assumed({ start: first - 2 * DAY_MS, end: last + 3 * DAY_MS });
  let at = 0;
  const begin = (midnight: number): Omit<DaySpan, 'date' | 'end'> => {
    const isOver = ({ end, ahead }: ClockRun): boolean => midnight - ahead >= end;
    for (let run = runs[at]; run && at < runs.length - 1 && isOver(run); ) run = runs[++at];
    const run = runs[at] as ClockRun;
    // Someone who moves far enough east skips a midnight: the date begins with the move.
    const start = Math.max(run.start, midnight - run.ahead);
    if (run.by === 'zone') return { start, by: 'fallback_time_zone', zone: run.zone };
    return run.by === 'utc' ? { start, by: 'utc', zone: null } : { start, by: 'samples', zone: offsetName(run.ahead) };
  };
  const starts = [...midnights, last + DAY_MS].map(begin);
  return dates.map((date, index) => {
    const [day, next] = [starts[index], starts[index + 1]] as [Omit<DaySpan, 'date' | 'end'>, { start: number }];
    // A person who crosses the date line may skip a date. Its span still lasts an hour, because it must not be empty.
    const end = Math.max(next.start, day.start + HOUR_MS);
    return { ...day, date, end, by: resource.hasDay ? 'calendar_date' : day.by };
  });
}

/** If the zone is unknown, `running` covers every time at which the day may have begun and may not be over. */
export function phaseOf({ start, end, zone }: DaySpan, now: number): 'ahead' | 'running' | 'over' {
  if (now < (zone === null ? start - MAX_AHEAD_MS : start)) return 'ahead';
  return now < (zone === null ? end + MAX_BEHIND_MS : end) ? 'running' : 'over';
}

/** The time range of the records of a day. */
export function reachOf({ family }: Pick<Resource, 'family'>, { date, start, end }: DaySpan): TimeRange {
  return family === 'summary' ? rangeOfSummaries(startOfDate(date)) : { start, end };
}

function offsetName(ahead: number): string {
  const minutes = Math.abs(Math.round(ahead / 60_000));
  const digits = (value: number): string => String(value).padStart(2, '0');
  return `${ahead < 0 ? '-' : '+'}${digits(Math.floor(minutes / 60))}:${digits(minutes % 60)}`;
}

/** Every date from `from` to `to`, both inclusive, as `YYYY-MM-DD`. */
export function datesOf({ from, to }: Days): string[] {
  const count = (startOfDate(to) - startOfDate(from)) / DAY_MS + 1;
  return Array.from({ length: count }, (_, index) => dateAfter(from, index));
}
