import type { Resource } from '../catalogue/catalogue.js';
import { DAY_MS, type TimeRange } from '../platform/time.js';

/** `YYYY-MM-DD` of the UTC day that begins or runs at an instant. */
export function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Midnight UTC of a `YYYY-MM-DD`. */
export function startOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

/**
 * The time in which records of a day may lie. Of a sample that is its UTC day. A summary belongs to its
 * `calendar_date`, a day of the person's own clock: a night that ends on it begins the day before, and it ends up to
 * twelve hours after the UTC day.
 */
export function rangeOfDay(resource: Resource, start: number): TimeRange {
  if (resource.family !== 'summary') return { start, end: start + DAY_MS };
  return { start: start - DAY_MS, end: start + 1.5 * DAY_MS };
}
