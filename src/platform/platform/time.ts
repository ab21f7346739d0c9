import { hash } from 'node:crypto';

/** A range in epoch milliseconds, including `start` and excluding `end`. */
export interface TimeRange {
  readonly start: number;
  readonly end: number;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/**
 * No time zone is further ahead of UTC. A time further ahead of now is a prediction or a device error, and is no
 * evidence of what was received. Sources with floating time send local time as UTC.
 */
export const MAX_AHEAD_MS = 14 * HOUR_MS;

/** No time zone is further behind UTC. */
export const MAX_BEHIND_MS = 12 * HOUR_MS;

/** Tolerance for a clock that is ahead: upstream's, or ours before it was set back. */
export const CLOCK_TOLERANCE_MS = 600_000;

/**
 * True if an earlier observation is dated well after `now` (both in epoch milliseconds), because our clock was set back
 * since. Such a time cannot decide an order: until then, nothing would count as later.
 */
export function isAhead(observedAt: number, now: number): boolean {
  return observedAt > now + CLOCK_TOLERANCE_MS;
}

/** The time of an earlier observation for deciding an order; 0 if it {@link isAhead}. */
export function unlessAhead(observedAt: number, now: number): number {
  return isAhead(observedAt, now) ? 0 : observedAt;
}

/** Date, time of day, fraction of a second, offset. */
const instantPattern =
  /^(\d{4}-\d{2}-\d{2})(?:([Tt ])((?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60))(?:\.(\d{1,9}))?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

export function overlaps(one: TimeRange, other: TimeRange): boolean {
  return one.start < other.end && other.start < one.end;
}

/** The ranges that are not empty, sorted by start. */
export function byStart<R extends TimeRange>(ranges: readonly R[]): R[] {
  return ranges.filter(({ start, end }) => start < end).sort((a, b) => a.start - b.start);
}

/** Disjoint, sorted ranges that cover the same time. */
export function union(ranges: readonly TimeRange[]): TimeRange[] {
  const all: { start: number; end: number }[] = [];
  for (const { start, end } of byStart(ranges)) {
    const last = all.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all;
}

/** The parts of a range that none of `ranges` covers, sorted by start. */
export function subtract(range: TimeRange, ranges: readonly TimeRange[]): TimeRange[] {
  const gaps: TimeRange[] = [];
  let from = range.start;
  for (const { start, end } of byStart(ranges)) {
    if (end <= from) continue;
    if (start >= range.end) break;
    if (start > from) gaps.push({ start: from, end: start });
    from = end;
  }
  if (from < range.end) gaps.push({ start: from, end: range.end });
  return gaps;
}

/** The times in ranges of both lists, sorted by start. */
export function intersection(one: readonly TimeRange[], other: readonly TimeRange[]): TimeRange[] {
  const common = one.flatMap((a) =>
    other.map((b) => ({ start: Math.max(a.start, b.start), end: Math.min(a.end, b.end) })),
  );
  return byStart(common);
}

/** True if `ranges` cover the entire range. */
export function covers(ranges: readonly TimeRange[], range: TimeRange): boolean {
  return subtract(range, ranges).length === 0;
}

/** The first and the last time that RFC 3339 can express. */
const FIRST_MS = -62_167_219_200_000;
const LAST_MS = 253_402_300_799_999;

/**
 * RFC 3339 in UTC with milliseconds, the only format in which we write times. A time outside its limits becomes the
 * nearest one inside, so that no stored value makes a response fail.
 */
export function toIso(ms: number): string {
  return new Date(Math.min(Math.max(ms, FIRST_MS), LAST_MS)).toISOString();
}

/** `YYYY-MM-DD` of the UTC day that contains this time. */
export function dateOf(ms: number): string {
  return toIso(ms).slice(0, 10);
}

/** Midnight UTC of a `YYYY-MM-DD` date. */
export function startOfDate(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

/** The date this number of days after another one, which must be valid. */
export function dateAfter(date: string, days: number): string {
  return dateOf(startOfDate(date) + days * DAY_MS);
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : toIso(ms);
}

/**
 * Epoch milliseconds of an RFC 3339 time, or of midnight UTC of a `YYYY-MM-DD` date. Null for everything else: a time
 * without an offset, a day that does not exist, a second 60 that is not a leap second. Digits beyond milliseconds are
 * cut off. A leap second is read as the millisecond before it, so that it stays on its day.
 */
export function parseInstant(text: string): number | null {
  const parts = instantPattern.exec(text);
  if (!parts || parts[2] === ' ' || (parts[3] !== undefined && parts[5] === undefined)) return null;
  return instantOf(parts);
}

/**
 * Like `parseInstant`, for times written by upstream. A time without an offset is UTC, whatever the time zone of this
 * machine (docs/upstream/timeseries.md#times, docs/upstream/appointments.md#the-appointment-object). A space may
 * separate date and time, as RFC 3339 allows.
 */
export function parseUtcInstant(value: unknown): number | null {
  const parts = typeof value === 'string' ? instantPattern.exec(value) : null;
  return parts && instantOf(parts);
}

function instantOf([, date = '', , time = '00:00:00', fraction = '', offset = 'Z']: RegExpExecArray): number | null {
  const isLeap = time.endsWith(':60');
  const seconds = Date.parse(`${date}T${isLeap ? `${time.slice(0, 6)}59` : time}Z`);
  // Date.parse turns 30 February into a day of March instead of refusing it.
  if (Number.isNaN(seconds) || (Number(date.slice(8)) > 28 && dateOf(seconds) !== date)) return null;
  const ahead = aheadOf(offset);
  if (isLeap) return isEndOfDay(seconds - ahead) ? seconds - ahead + 999 : null;
  const ms = fraction === '' ? seconds : seconds + Number(fraction.slice(0, 3).padEnd(3, '0'));
  return ms - ahead;
}

/** Milliseconds by which an offset of the pattern is ahead of UTC. */
function aheadOf(offset: string): number {
  if (offset.length === 1) return 0;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(4))];
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** True at 23:59:59 UTC, the only second that a leap second can follow. */
function isEndOfDay(ms: number): boolean {
  return (ms + 1_000) % DAY_MS === 0;
}

/** Epoch milliseconds of an HTTP date (RFC 9110, section 5.6.7); null for anything else. */
export function parseHttpDate(text: string): number | null {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toUTCString() === text ? ms : null;
}

/** Hashes a key to a number from 0 to 2^32 - 1, evenly distributed. */
function spreadOf(key: string): number {
  return hash('sha256', key, 'buffer').readUInt32BE();
}

/**
 * Next due time after `now` of something due every `intervalMs`. Each key has its own offset in the interval, so that
 * the load is even regardless of when keys were created. The result is at least half an interval away.
 */
export function nextSlot(key: string, intervalMs: number, now: number): number {
  const place = spreadOf(key) % intervalMs;
  const earliest = now + intervalMs / 2;
  return Math.floor((earliest - place) / intervalMs) * intervalMs + intervalMs + place;
}
