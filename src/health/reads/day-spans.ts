import {
  DAY_MS,
  dateOf,
  HOUR_MS,
  MOST_AHEAD_MS,
  MOST_BEHIND_MS,
  startOfDate,
  type TimeRange,
} from '../../platform/platform/time.js';
import { type Resource, rangeOfSummaries } from '../catalogue/catalogue.js';

/**
 * How the local day of a date was determined. samples: from the offset of stored samples · fallback_time_zone: from the
 * zone of the account · utc: neither is known · calendar_date: the records contain their date.
 */
export const dayClocks = ['samples', 'fallback_time_zone', 'utc', 'calendar_date'] as const;
export type DayClock = (typeof dayClocks)[number];

/** A person's local day, from one midnight to the next. */
export interface DaySpan extends TimeRange {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly by: DayClock;
  /** An offset such as `-08:00`, or the name of a time zone; null if unknown, in which case the span is the UTC day. */
  readonly zone: string | null;
}

/** Time of a stored sample, and how far its local time was ahead of UTC; both in milliseconds. */
export interface LocalTime {
  readonly time: number;
  readonly ahead: number;
}

/** The times with a known offset. */
export function localTimesOf(seen: readonly { time: number; ahead: number | null }[]): LocalTime[] {
  return seen.flatMap(({ time, ahead }) => (ahead === null ? [] : [{ time, ahead }]));
}

/** Determines the local days of a person. `observed` contains local times of stored samples, in any order. */
export interface DayFactors {
  readonly resource: Pick<Resource, 'family' | 'hasDay'>;
  readonly observed: readonly LocalTime[];
  /** Name of a time zone; an unknown name is ignored. */
  readonly zone: string | null;
}

/** Maximum distance between a midnight and the sample whose offset determines it; the nearest sample decides. */
export const OFFSET_REACH_MS = 2 * DAY_MS;

/** The spans of consecutive dates, in order and without gaps. */
export function daySpans(dates: readonly string[], { resource, observed, zone }: DayFactors): DaySpan[] {
  const offsets = offsetsOf(observed);
  const clock = zone === null ? null : clockOf(zone);
  const begin = (midnight: number): Omit<DaySpan, 'date' | 'end'> => {
    const ahead = offsets.get(midnight)?.ahead;
    if (ahead !== undefined) return { start: midnight - ahead, by: 'samples', zone: offsetName(ahead) };
    if (clock) return { start: midnightIn(clock, midnight), by: 'fallback_time_zone', zone };
    return { start: midnight, by: 'utc', zone: null };
  };
  return dates.map((date) => {
    const midnight = startOfDate(date);
    const day = begin(midnight);
    // A person who crosses the date line may skip a date. Its span still lasts an hour, because it must not be empty.
    const end = Math.max(begin(midnight + DAY_MS).start, day.start + HOUR_MS);
    return { ...day, date, end, by: resource.hasDay ? 'calendar_date' : day.by };
  });
}

/** If the zone is unknown, `running` covers every time at which the day may have begun and may not be over. */
export function phaseOf({ start, end, zone }: DaySpan, now: number): 'ahead' | 'running' | 'over' {
  if (now < (zone === null ? start - MOST_AHEAD_MS : start)) return 'ahead';
  return now < (zone === null ? end + MOST_BEHIND_MS : end) ? 'running' : 'over';
}

/** The time range of the records of a day. */
export function reachOf({ family }: Pick<Resource, 'family'>, { date, start, end }: DaySpan): TimeRange {
  return family === 'summary' ? rangeOfSummaries(startOfDate(date)) : { start, end };
}

/** For each local midnight, written as if it were UTC, the offset of the sample nearest to it in local time. */
function offsetsOf(observed: readonly LocalTime[]): Map<number, { ahead: number; distance: number }> {
  const nearest = new Map<number, { ahead: number; distance: number }>();
  for (const { time, ahead } of observed) {
    const local = time + ahead;
    const first = Math.ceil((local - OFFSET_REACH_MS) / DAY_MS) * DAY_MS;
    for (let midnight = first; midnight <= local + OFFSET_REACH_MS; midnight += DAY_MS) {
      const distance = Math.abs(local - midnight);
      const known = nearest.get(midnight);
      if (!known || distance < known.distance) nearest.set(midnight, { ahead, distance });
    }
  }
  return nearest;
}

/** Returns how many milliseconds a zone is ahead of UTC at an instant. */
export type ZoneClock = (instant: number) => number;

/** Null if the runtime does not know the zone. */
export function clockOf(zone: string): ZoneClock | null {
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    return (instant) => {
      const name = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
      const [, sign, hours, minutes] = /^GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
      return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * HOUR_MS + Number(minutes ?? 0) * 60_000);
    };
  } catch {
    return null;
  }
}

/** The instant at which a date begins. If clocks skip its midnight, the instant of the skip. */
function midnightIn(clock: ZoneClock, midnight: number): number {
  const earlier = midnight - clock(midnight - DAY_MS);
  const later = midnight - clock(midnight + DAY_MS);
  return [earlier, later].find((start) => midnight - clock(start) === start) ?? earlier;
}

function offsetName(ahead: number): string {
  const minutes = Math.abs(Math.round(ahead / 60_000));
  const digits = (value: number): string => String(value).padStart(2, '0');
  return `${ahead < 0 ? '-' : '+'}${digits(Math.floor(minutes / 60))}:${digits(minutes % 60)}`;
}

/** Every date from `from` to `to`, both inclusive, as `YYYY-MM-DD`. */
export function datesOf({ from, to }: { readonly from: string; readonly to: string }): string[] {
  const count = (startOfDate(to) - startOfDate(from)) / DAY_MS + 1;
  return Array.from({ length: count }, (_, index) => dateOf(startOfDate(from) + index * DAY_MS));
}
