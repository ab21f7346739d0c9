import { createHash } from 'node:crypto';

/** Part of time in epoch milliseconds; `start` belongs to it, `end` does not. */
export interface TimeRange {
  readonly start: number;
  readonly end: number;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Date, time of day, digits of a second beyond whole ones, offset. */
const instantPattern =
  /^(\d{4}-\d{2}-\d{2})(?:([Tt ])((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,9}))?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/** What nearly every time looks like, of days that every month has: `Date.parse` reads these right, and fast. */
const plainPattern =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

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

/** The UTC day of a `YYYY-MM-DD`. */
export function dayOf(date: string): TimeRange {
  const start = startOfDate(date);
  return { start, end: start + DAY_MS };
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : toIso(ms);
}

/**
 * Epoch milliseconds of an RFC 3339 time, or of midnight UTC of a `YYYY-MM-DD`. Null for everything else: a time
 * without an offset, a day that does not exist, a leap second. Digits beyond milliseconds are cut off.
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
  if (typeof value !== 'string') return null;
  if (plainPattern.test(value)) return Date.parse(value);
  const parts = instantPattern.exec(value);
  return parts && instantOf(parts);
}

function instantOf([, date = '', , time = '00:00:00', fraction = '', offset = 'Z']: RegExpExecArray): number | null {
  const seconds = Date.parse(`${date}T${time}Z`);
  // Date.parse carries 30 February over into March instead of refusing it.
  if (Number.isNaN(seconds) || (Number(date.slice(8)) > 28 && dateOf(seconds) !== date)) return null;
  const ms = fraction === '' ? seconds : seconds + Number(fraction.slice(0, 3).padEnd(3, '0'));
  if (offset.length === 1) return ms;
  const ahead = (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4))) * 60_000;
  return offset.startsWith('-') ? ms + ahead : ms - ahead;
}

/** Epoch milliseconds of the date of an HTTP header (RFC 9110, section 5.6.7), null for anything else. */
export function parseHttpDate(text: string): number | null {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toUTCString() === text ? ms : null;
}

/** A number that is always the same for a key and evenly spread over keys: 0 to 2^32 - 1. */
function spreadOf(key: string): number {
  return createHash('sha256').update(key).digest().readUInt32BE();
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
