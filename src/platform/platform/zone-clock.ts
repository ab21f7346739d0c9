import { dateOf, HOUR_MS } from './time.js';

/** Returns how many milliseconds a zone is ahead of UTC at an instant. */
export type ZoneClock = (instant: number) => number;

/** Formats are costly to make, and a process sees few zones; names that are no zone take no place. */
const clocks = new Map<string, ZoneClock>();
const MAX_CLOCKS = 1_000;

/** The clock of an IANA time zone. Null if the runtime does not know the zone. */
export function zoneClock(zone: string): ZoneClock | null {
  const known = clocks.get(zone);
  if (known !== undefined) return known;
  const clock = newClock(zone);
  if (clock !== null && clocks.size < MAX_CLOCKS) clocks.set(zone, clock);
  return clock;
}

function newClock(zone: string): ZoneClock | null {
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

/** `YYYY-MM-DD` of the local day of a time zone that contains this time; null if the zone is not known. */
export function dateIn(zone: string, ms: number): string | null {
  const clock = zoneClock(zone);
  return clock === null ? null : dateOf(ms + clock(ms));
}
