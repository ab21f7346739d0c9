import { createHash } from 'node:crypto';

/** Part of time in epoch milliseconds; `start` belongs to it, `end` does not. */
export interface TimeRange {
  readonly start: number;
  readonly end: number;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

const instantPattern =
  /^(?<date>\d{4}-\d{2}-\d{2})(?:[Tt](?<time>\d{2}:\d{2}:\d{2})(?:\.(?<fraction>\d{1,9}))?(?:[Zz]|(?<sign>[+-])(?<hours>\d{2}):(?<minutes>\d{2})))?$/;

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

/** RFC 3339 in UTC with milliseconds, the only form in which we write times. */
export function toIso(ms: number): string {
  return new Date(ms).toISOString();
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
  const parts = instantPattern.exec(text)?.groups;
  if (!parts) return null;
  const { date, time = '00:00:00', fraction = '', sign, hours = '00', minutes = '00' } = parts;
  const local = `${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const ms = Date.parse(local);
  // Date.parse carries 30 February over into March instead of refusing it.
  if (Number.isNaN(ms) || toIso(ms) !== local || Number(hours) > 23 || Number(minutes) > 59) return null;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === '-' ? ms + offset : ms - offset;
}

/** As `parseInstant`, but a time without an offset is UTC (docs/upstream/appointments.md#the-appointment-object). */
export function parseUtcInstant(text: string | null): number | null {
  return text === null ? null : (parseInstant(text) ?? parseInstant(`${text}Z`));
}

const withoutOffset = /T[\d:.]+$/;

/**
 * For times inside health data, where upstream's own examples stray from RFC 3339 (docs/upstream/timeseries.md#points):
 * epoch milliseconds of any text that `Date` can read, null for anything else. A time without an offset is UTC.
 */
export function lenientInstant(value: unknown): number | null {
  if (typeof value !== 'string') return null;
  const time = Date.parse(withoutOffset.test(value) ? `${value}Z` : value);
  return Number.isNaN(time) ? null : time;
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
