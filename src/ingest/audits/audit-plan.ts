import { isWhole, type Resource, resourceByName } from '../../health/catalogue/catalogue.js';
import { MAX_INTERVAL_MS } from '../../health/gone/missing-times.js';
import { DAY_MS, dateOf, overlaps, startOfDate, type TimeRange } from '../../platform/platform/time.js';
import { lookMargin } from '../pulls/complete-looks.service.js';
import { MAX_OBJECTS_A_WEEK } from '../streams/tuning.js';

/** A source and a resource of one account. */
export interface AuditStream {
  readonly resource: string;
  readonly provider: string;
}

/** Consecutive days of one stream, which one look compares. */
export interface AuditUnit {
  readonly resource: Resource;
  readonly provider: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly days: readonly string[];
}

/** The day that was compared last, its turn, and how many looks in a row failed at last. */
export type AuditPlace = readonly [resource: string, provider: string, day: string, turn: number, failed?: number];

/** Upstream keeps days for so long, and an audit is a job of hours. */
export const MAX_AUDIT_DAYS = 400;

/** Maximum days of a look: summaries are few, and a source may measure once a second. */
const mostDays: Readonly<Record<Resource['family'], number>> = {
  ...{ summary: 30, stream: 1, interval: 7, text: 7, discrete: 1, pair: 1 },
};
/** Summaries are few, and a menstrual cycle lasts for weeks. */
const MAX_SUMMARY_MS = 60 * DAY_MS;

/**
 * The window of a look that certainly shows every object that begins on one of the days, and contains those of at most
 * a day: the deletion of a record is noticed only if it lies inside.
 */
export function windowOf({ resource, provider, days }: AuditUnit): TimeRange {
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const margin = lookMargin(provider, resource);
  return { start: startOfDate(first) - margin, end: startOfDate(last) + DAY_MS + margin + lengthOf(resource) };
}

function lengthOf({ family, endField }: Resource): number {
  return family === 'interval' || family === 'text' || endField !== null ? MAX_INTERVAL_MS : 0;
}

/** The deletion of a record that ends later is not noticed: it is too long, or ended too recently. */
export function lastJudgedEnd(unit: AuditUnit, now: number): number {
  const { resource, provider } = unit;
  const longest = isWhole(resource) ? MAX_SUMMARY_MS : MAX_INTERVAL_MS;
  return Math.min(windowOf(unit).end + longest, now) - lookMargin(provider, resource);
}

/** The window of a pull that repairs the days. It contains every record that begins on them and ends by `lastEnd`. */
export function windowUntil(unit: AuditUnit, lastEnd: number | null): TimeRange {
  const { start, end } = windowOf(unit);
  return { start, end: Math.max(end, (lastEnd ?? start) + lookMargin(unit.provider, unit.resource)) };
}

/** The days whose window is over. */
export function closedDays({ resource: name, provider }: AuditStream, range: AuditRange, now: number): string[] {
  const resource = resourceByName(name);
  if (!resource) return [];
  const last = startOfDate(range.last_day);
  const untilClosed = windowOf({ resource, provider, days: [range.last_day] }).end - last;
  const days: string[] = [];
  for (let at = startOfDate(range.first_day); at <= Math.min(last, now - untilClosed); at += DAY_MS)
    days.push(dateOf(at));
  return days;
}

export interface AuditRange {
  readonly first_day: string;
  readonly last_day: string;
}

/** When a day was last compared, if it was, and what counts as long ago. */
export interface DayLook {
  readonly day: string;
  readonly lookedAt: number | undefined;
  /** A look is old after so long. */
  readonly cycleMs: number;
  readonly now: number;
  /** Windows that were pulled again, and when that ended. */
  readonly recovered: readonly (TimeRange & { readonly endedAt: number })[];
}

/**
 * The turn of a day that was not requested, the lowest first: never compared, then compared before a recovery pulled
 * it, then by age. The days of one cycle have one turn, so that neighbours share a look. Null if the day is not due.
 */
export function turnOf({ day, lookedAt, cycleMs, now, recovered }: DayLook): number | null {
  if (lookedAt === undefined) return 0;
  if (recovered.some((window) => lookedAt < window.endedAt && overlaps(window, rangeOfDay(day)))) return 1;
  return lookedAt < now - cycleMs ? 2 + Math.floor(lookedAt / cycleMs) : null;
}

export function rangeOfDay(day: string): TimeRange {
  return { start: startOfDate(day), end: startOfDate(day) + DAY_MS };
}

/** A stream with days to compare, in their order. */
export interface StreamDays extends AuditStream {
  readonly days: readonly string[];
  /** Streams with a lower turn come first; a stream may have days of several turns. */
  readonly turn: number;
  /** The largest number of objects that a day of it has had; undefined if no day was compared. */
  readonly mostObjects?: number | undefined;
}

const WEEK = 7;

/** Maximum days of a look at a stream. */
export function daysAtOnce({ family }: Resource, mostObjects?: number): number {
  const isSparse = mostObjects !== undefined && mostObjects * WEEK <= MAX_OBJECTS_A_WEEK;
  return isSparse ? Math.max(WEEK, mostDays[family]) : mostDays[family];
}

/** The unit after a place, in the order of turn, resource, source and day, and its place; null after the last one. */
export function nextUnit(
  streams: readonly StreamDays[],
  place: AuditPlace | null,
): { readonly unit: AuditUnit; readonly place: AuditPlace } | null {
  const [afterResource, afterProvider, afterDay, afterTurn = 0] = place ?? ['', '', '', 0];
  const after = { resource: afterResource, provider: afterProvider, turn: afterTurn };
  for (const stream of [...streams].sort(inOrder)) {
    const order = inOrder(stream, after);
    if (order < 0) continue;
    const left = stream.days.filter((day) => order > 0 || day > afterDay);
    const resource = resourceByName(stream.resource);
    const most = resource ? daysAtOnce(resource, stream.mostObjects) : 0;
    const [days] = runsOfDays(left.slice(0, most), most);
    const last = days?.at(-1);
    if (!resource || !days || last === undefined) continue;
    const { provider, turn } = stream;
    return { unit: { resource, provider, days }, place: [resource.name, provider, last, turn] };
  }
  return null;
}

/** After so many failed looks in a row, the other days of the stream are left out. */
const MAX_FAILED_LOOKS = 3;
const LAST_OF_DAYS = '9999-12-31';

/** The place after a look that failed and is left out. `before` is the place before the look. */
export function placeAfterFailure([resource, provider, day, turn]: AuditPlace, before: AuditPlace | null): AuditPlace {
  const follows = before?.[0] === resource && before[1] === provider && before[3] === turn;
  const failed = 1 + ((follows && before[4]) || 0);
  return [resource, provider, failed < MAX_FAILED_LOOKS ? day : LAST_OF_DAYS, turn, failed];
}

type Turn = AuditStream & { readonly turn: number };

function inOrder(a: Turn, b: Turn): number {
  return a.turn - b.turn || compare(a.resource, b.resource) || compare(a.provider, b.provider);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Splits days, sorted, into runs of consecutive ones that one look compares. */
export function runsOfDays(days: readonly string[], most: number): string[][] {
  const runs: string[][] = [];
  for (const day of days) {
    const last = runs.at(-1);
    const follows = last && startOfDate(day) - startOfDate(last.at(-1) ?? '') === DAY_MS;
    if (follows && last.length < most) last.push(day);
    else runs.push([day]);
  }
  return runs;
}
