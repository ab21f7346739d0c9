export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/i;

/** RFC 3339 with `+00:00`; fractions of a second only if there are any. */
export function formatTime(ms: number): string {
  return new Date(ms)
    .toISOString()
    .replace(/\.000Z$/, 'Z')
    .replace(/Z$/, '+00:00');
}

export function formatDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export function startOfDay(ms: number): number {
  return Math.floor(ms / DAY) * DAY;
}

export function isDateOnly(text: string): boolean {
  return DATE_ONLY.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
}

function parseDateTime(text: string): number | null {
  if (!DATE_TIME.test(text)) return null;
  const zoned = /(Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`;
  const ms = Date.parse(zoned.replace(' ', 'T'));
  return Number.isNaN(ms) ? null : ms;
}

/**
 * docs/upstream/timeseries.md#dates: a date without time is 00:00:00 as a start and 23:59:59 as an end, read as UTC.
 * Null = not a time.
 */
export function parseBound(text: string, side: 'start' | 'end'): number | null {
  if (isDateOnly(text)) return Date.parse(`${text}T${side === 'start' ? '00:00:00' : '23:59:59'}Z`);
  return parseDateTime(text);
}
