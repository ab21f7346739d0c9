import { hash } from 'node:crypto';

/** Part of time in epoch milliseconds; `start` belongs to it, `end` does not. */
export interface TimeRange {
  readonly start: number;
  readonly end: number;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/**
 * No clock on earth is further ahead of UTC, so a later time than this after now is a prediction or the error of a
 * device, and says nothing about what was received. Sources with floating time send local time as UTC.
 */
export const MOST_AHEAD_MS = 14 * HOUR_MS;

/** No clock on earth is further behind UTC. */
export const MOST_BEHIND_MS = 12 * HOUR_MS;

/** Allowance for a clock that is ahead: upstream's, or our own before it was set back. */
export const CLOCK_TOLERANCE_MS = 600_000;

/**
 * True if an earlier observation is dated after `now` (both in epoch milliseconds): our clock was set back since. It is
 * no evidence of order, because until that time nothing would count as later.
 */
export function isAhead(observedAt: number, now: number): boolean {
  return observedAt > now + CLOCK_TOLERANCE_MS;
}

/** The time of an earlier observation as evidence of order: 0 if it {@link isAhead}. */
export function unlessAhead(observedAt: number, now: number): number {
  return isAhead(observedAt, now) ? 0 : observedAt;
}

/** Date, time of day, fraction of a second, offset. */
const instantPattern =
  /^(\d{4}-\d{2}-\d{2})(?:([Tt ])((?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60))(?:\.(\d{1,9}))?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

export function overlaps(one: TimeRange, other: TimeRange): boolean {
  return one.start < other.end && other.start < one.end;
}

/** The ranges that hold anything, by rising start. */
export function byStart<R extends TimeRange>(ranges: readonly R[]): R[] {
  return ranges.filter(({ start, end }) => start < end).sort((a, b) => a.start - b.start);
}

/** The parts of a range that none of `ranges` covers, by rising start. */
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

/** The times that are in a range of both lists, by rising start. */
export function intersection(one: readonly TimeRange[], other: readonly TimeRange[]): TimeRange[] {
  const common = one.flatMap((a) =>
    other.map((b) => ({ start: Math.max(a.start, b.start), end: Math.min(a.end, b.end) })),
  );
  return byStart(common);
}

/** True when every instant of the range is in one of `ranges`. */
export function covers(ranges: readonly TimeRange[], range: TimeRange): boolean {
  return subtract(range, ranges).length === 0;
}

/** The first and the last instant that RFC 3339 can write. */
const FIRST_MS = -62_167_219_200_000;
const LAST_MS = 253_402_300_799_999;

/**
 * RFC 3339 in UTC with milliseconds, the only form in which we write times. A time that it cannot write is shown as the
 * nearest one that it can, so that nothing stored makes an answer fail.
 */
export function toIso(ms: number): string {
  return new Date(Math.min(Math.max(ms, FIRST_MS), LAST_MS)).toISOString();
}

/** `YYYY-MM-DD` of the UTC day that begins or runs at an instant. */
export function dateOf(ms: number): string {
  return toIso(ms).slice(0, 10);
}

/** Midnight UTC of a `YYYY-MM-DD`. */
export function startOfDate(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : toIso(ms);
}

/**
 * Epoch milliseconds of an RFC 3339 time, or of midnight UTC of a `YYYY-MM-DD`. Null for everything else: a time
 * without an offset, a day that does not exist, a second 60 that is no leap second. Digits beyond milliseconds are cut
 * off, and a leap second is read as the last millisecond before it, so that it stays on its day.
 */
export function parseInstant(text: string): number | null {
  const parts = instantPattern.exec(text);
  if (!parts || parts[2] === ' ' || (parts[3] !== undefined && parts[5] === undefined)) return null;
  return instantOf(parts);
}

/**
 * As `parseInstant`, for times that upstream writes. A time without an offset is UTC, whatever the zone of this machine
 * (docs/upstream/timeseries.md#times, docs/upstream/appointments.md#the-appointment-object), and date and time may be
 * parted by a blank, as RFC 3339 allows.
 */
export function parseUtcInstant(value: unknown): number | null {
  const parts = typeof value === 'string' ? instantPattern.exec(value) : null;
  return parts && instantOf(parts);
}

function instantOf([, date = '', , time = '00:00:00', fraction = '', offset = 'Z']: RegExpExecArray): number | null {
  const isLeap = time.endsWith(':60');
  const seconds = Date.parse(`${date}T${isLeap ? `${time.slice(0, 6)}59` : time}Z`);
  // Date.parse carries 30 February over into March instead of refusing it.
  if (Number.isNaN(seconds) || (Number(date.slice(8)) > 28 && dateOf(seconds) !== date)) return null;
  const ahead = aheadOf(offset);
  if (isLeap) return isEndOfDay(seconds - ahead) ? seconds - ahead + 999 : null;
  const ms = fraction === '' ? seconds : seconds + Number(fraction.slice(0, 3).padEnd(3, '0'));
  return ms - ahead;
}

/** Milliseconds that an offset of the pattern is ahead of UTC. */
function aheadOf(offset: string): number {
  if (offset.length === 1) return 0;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(4))];
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** True at 23:59:59 UTC, the only second that a leap second can follow. */
function isEndOfDay(ms: number): boolean {
  return (ms + 1_000) % DAY_MS === 0;
}

/** Epoch milliseconds of the date of an HTTP header (RFC 9110, section 5.6.7), null for anything else. */
export function parseHttpDate(text: string): number | null {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toUTCString() === text ? ms : null;
}

/** A number that is always the same for a key and evenly spread over keys: 0 to 2^32 - 1. */
function spreadOf(key: string): number {
  return hash('sha256', key, 'buffer').readUInt32BE();
}

/**
 * When something that is due every `intervalMs` is due next after `now`. Each key has its own place in the interval, so
 * that the load is even however the keys came to be; the next time is at least half an interval away.
 */
export function nextSlot(key: string, intervalMs: number, now: number): number {
  const place = spreadOf(key) % intervalMs;
  const earliest = now + intervalMs / 2;
  return Math.floor((earliest - place) / intervalMs) * intervalMs + intervalMs + place;
}
