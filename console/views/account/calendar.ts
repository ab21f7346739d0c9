import type { CoverageRunDto, CoverageStreamDto } from '../../lib/api.js';
import { type State, states } from '../../lib/states.js';

/** Appearance of a day with this state. */
export const stateOfDay: Readonly<Record<CoverageRunDto['state'], State>> = {
  received: 'received',
  confirmed_empty: 'empty',
  pending: 'waiting',
  failed_upstream: 'failed',
  unknown: 'unknown',
};

const reasonWords: Readonly<Record<CoverageRunDto['reason'], string>> = {
  not_begun: 'the day has not begun',
  outside_ingestion: 'outside the days that the account accepts',
  upstream_pull_failed: "upstream's pull failed",
  connection_error: 'the source was in error',
  pull_open: 'the pull is open',
  upstream_pull_open: "upstream's pull is open",
  not_over: 'the day is not over',
  points_rejected: 'some data could not be stored',
  whole: 'nothing is missing',
  pull_due: 'the next pull includes it',
  resource_unavailable: 'the source does not deliver it',
  pull_failed: 'the pull failed',
  disconnected: 'the source is disconnected',
  not_synced: 'the resource is not pulled here',
  never_pulled: 'never pulled',
  late_data_possible: 'late data is possible',
  connection_gap: 'the source was not connected throughout',
  not_heard_since: 'the source has sent nothing later',
  not_proven: 'nothing proves that it is complete',
};

/** Consecutive days of one row with the same state; indexes count from the first day of the calendar. */
export interface Span {
  readonly start: number;
  readonly length: number;
  readonly state: State;
  readonly run: CoverageRunDto;
}

export interface CalendarRow {
  readonly provider: string;
  readonly resource: string;
  readonly spans: readonly Span[];
}

const DAY_MS = 86_400_000;

export const dayNumber = (date: string): number => Math.round(Date.parse(`${date}T00:00:00Z`) / DAY_MS);
const dateOfDay = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);
export const dateAfter = (date: string, days: number): string => dateOfDay(dayNumber(date) + days);

/** A day is `gone` if it has no stored records and upstream removed some; other days keep their state. */
export function stateOf(run: CoverageRunDto): State {
  return run.records === 0 && run.gone > 0 ? 'gone' : stateOfDay[run.state];
}

/** Rows of the calendar, limited to `days` days from `first`. */
export function calendarRows(streams: readonly CoverageStreamDto[], first: string, days: number): CalendarRow[] {
  const origin = dayNumber(first);
  return streams.map(({ provider, resource, runs }) => ({
    provider,
    resource,
    spans: runs.flatMap((run) => {
      const start = Math.max(0, dayNumber(run.first_day) - origin);
      const end = Math.min(days, dayNumber(run.last_day) - origin + 1);
      return end > start ? [{ start, length: end - start, state: stateOf(run), run }] : [];
    }),
  }));
}

const notOffered: readonly CoverageRunDto['reason'][] = ['resource_unavailable', 'not_synced', 'disconnected'];

/** True for a row without a day of data or of a failure, whose resource the source does not offer now. */
export function isQuiet({ spans }: CalendarRow): boolean {
  const last = spans.at(-1);
  const isNow = last === undefined || notOffered.includes(last.run.reason);
  return isNow && spans.every(({ state }) => state === 'unknown' || state === 'waiting');
}

/** A calendar month, such as 2026-11, with its first day and number of days. */
export function monthOf(month: string): { readonly first: string; readonly days: number } {
  const first = `${month}-01`;
  return { first, days: dayNumber(`${monthAfter(month, 1)}-01`) - dayNumber(first) };
}

export function monthAfter(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}

/** Labels of every day of a month: its number. */
export function dayMarks(days: number): { day: number; label: string }[] {
  return Array.from({ length: days }, (_, day) => ({ day, label: String(day + 1) }));
}

export function spanAt(row: CalendarRow | undefined, day: number): Span | undefined {
  return row?.spans.find(({ start, length }) => day >= start && day < start + length);
}

/** `received, 3 records, nothing is missing`; for a longer run, the number of days instead of records. */
export function cellWords(span: Span | undefined): string {
  if (!span) return 'outside the range';
  const { run, state, length } = span;
  const amount = `${run.records}${run.more ? ' or more' : ''} record${run.records === 1 && !run.more ? '' : 's'}`;
  const records = run.records === 0 ? [] : [length === 1 ? amount : `${amount} in these ${length} days`];
  return [states[state], ...records, reasonWords[run.reason]].join(', ');
}

/** The place of the cursor in the calendar. */
export interface Place {
  readonly row: number;
  readonly day: number;
}

const steps: Readonly<Record<string, readonly [row: number, day: number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  PageUp: [0, -28],
  PageDown: [0, 28],
  Home: [0, Number.NEGATIVE_INFINITY],
  End: [0, Number.POSITIVE_INFINITY],
};

/** The place after a key press, kept inside the calendar; null if the key does not move it. */
export function placeAfter(
  key: string,
  at: Place,
  size: { readonly rows: number; readonly days: number },
): Place | null {
  const step = steps[key];
  if (!step || size.rows === 0 || size.days === 0) return null;
  return { row: within(at.row + step[0], size.rows), day: within(at.day + step[1], size.days) };
}

const within = (value: number, size: number): number => Math.max(0, Math.min(size - 1, value));

/** The first days of months and the first day of the calendar; the year is named at the start and in January. */
export function monthMarks(first: string, days: number): { day: number; label: string }[] {
  const origin = dayNumber(first);
  const marks: { day: number; label: string }[] = [];
  for (let day = 0; day < days; day++) {
    const date = new Date((origin + day) * DAY_MS);
    if (day > 0 && date.getUTCDate() !== 1) continue;
    const month = date.toLocaleString('en', { month: 'short', timeZone: 'UTC' });
    const named = day === 0 || date.getUTCMonth() === 0;
    marks.push({ day, label: named ? `${month} ${date.getUTCFullYear()}` : month });
  }
  // If the first month has only a few days, its label would overlap the next one.
  const [start, next] = marks;
  return start && next && next.day - start.day < 20
    ? [{ ...next, label: yearNamed(next, origin) }, ...marks.slice(2)]
    : marks;
}

function yearNamed({ day }: { day: number }, origin: number): string {
  return new Date((origin + day) * DAY_MS).toLocaleString('en', { month: 'short', year: 'numeric', timeZone: 'UTC' });
}

/** Weeks are separated by a gap before each Monday, if days are wide enough for it. */
export interface Columns {
  /** Left edges of days in pixels. */
  readonly lefts: readonly number[];
  /** Width of a day in pixels. */
  readonly day: number;
  readonly width: number;
}

/**
 * Edges of days on `width` pixels, with `gap` pixels before each Monday. Days are at least `least` wide, so the columns
 * may exceed `width`.
 */
export function columnsOf(first: string, days: number, width: number, { gap = 1, least = 2 } = {}): Columns {
  const origin = dayNumber(first);
  const isMonday = (day: number): boolean => day > 0 && (origin + day + 3) % 7 === 0;
  const gaps = Array.from({ length: days }, (_, day) => isMonday(day)).filter(Boolean).length;
  const day = Math.max(least, (width - gaps * gap) / Math.max(1, days));
  let left = 0;
  const lefts = Array.from({ length: days }, (_, index) => {
    if (isMonday(index)) left += gap;
    const own = left;
    left += day;
    return own;
  });
  return { lefts, day, width: left };
}

/** The day at a horizontal position. */
export function dayAt({ lefts }: Columns, x: number): number {
  let low = 0;
  let high = lefts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((lefts[middle] ?? 0) <= x) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}
