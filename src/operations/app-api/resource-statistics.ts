import type { Resource } from '../../health/catalogue/catalogue.js';
import { conversionOf } from '../../health/catalogue/units.js';
import type { DaySpan } from '../../health/clock/day-spans.js';
import type { RankedSource } from '../../health/priorities/priority-rule.js';
import {
  joined,
  type Numbers,
  type SlotStatistics,
  type SourceShare,
} from '../../health/statistics/slot-statistics.js';
import type { DaysStatistics } from '../../health/statistics/statistics.service.js';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { dateAfter, HOUR_MS, MINUTE_MS, toIso } from '../../platform/platform/time.js';
import type { DayReason } from '../explain/day-state.js';
import type { DailyDto, DayDto, HourDto, HourlyDto, Period } from './statistics.dto.js';
import type { Wholeness } from './wholeness.js';

/** Amounts below it come from rounding. */
const NOISE = 1e-6;

/** Statistics of one resource, with the facts to judge whether they are complete. */
export interface Found extends DaysStatistics {
  readonly resource: Resource;
  readonly wholeness: Wholeness;
  readonly isSynced: boolean;
}

/** By date. */
type OfDays = ReadonlyMap<string, readonly SlotStatistics[]>;

type Head = Pick<DailyDto, 'resource' | 'statistics' | 'state' | 'days_in'>;

export function toDailyDto(found: Found, per: Period): DailyDto {
  const head = headOf(found);
  if (head.state === 'not_synced') return { ...head, days: [] };
  const ofDays = groupedBy(found.found, ({ date }) => date);
  const rows = groupedBy(found.spans, ({ date }) => periodOf(date, per));
  return { ...head, days: [...rows.values()].map((spans) => periodDto(found, spans, ofDays)) };
}

export function toHourlyDto(found: Found): HourlyDto {
  const ofDays = groupedBy(found.found, ({ date }) => date);
  return { ...headOf(found), hours: found.spans.flatMap((span) => hoursOf(found, span, ofDays)) };
}

function headOf({ resource, found, spans, isSynced }: Found): Head {
  return {
    resource: resource.name,
    statistics: resource.statistics ?? 'measure',
    state: found.length > 0 ? 'stored' : isSynced ? 'none' : 'not_synced',
    days_in: [...new Set(spans.map(({ by }) => by))].sort(),
  };
}

/** The Monday of a week, the first of a month, or the day itself. */
function periodOf(date: string, per: Period): string {
  if (per === 'day') return date;
  if (per === 'month') return date.slice(0, 'YYYY-MM'.length);
  const monday = (new Date(date).getUTCDay() + 6) % 7;
  return dateAfter(date, -monday);
}

/** One row for the days of a period. Of a measure, every sample counts the same, whatever its day. */
function periodDto(given: Found, spans: readonly DaySpan[], ofDays: OfDays): DayDto {
  const slots = spans.flatMap(({ date }) => ofDays.get(date) ?? []);
  const [first, ...others] = slots;
  const all = first && others.reduce((one, other) => joined(given.resource, one, other), first);
  const judged = spans.map((span) => reasonOf(given, span));
  const present = given.ranked.filter((source) => spans.some(({ date }) => given.present.get(date)?.includes(source)));
  const source = all && spans.length > 1 ? mainOf(slots) : (all?.source ?? null);
  return {
    day: spans[0]?.date ?? '',
    last_day: spans.at(-1)?.date ?? '',
    ...slotDto(given.resource, present, { source, reason: judged.find((reason) => reason !== 'whole') ?? 'whole' }),
    ...(given.resource.statistics === 'total' ? sharesDto(given, spans, { ofDays, all }) : {}),
    ...(all ? measured(given.resource, all) : unmeasured),
  };
}

/** The hours of one day; they add up to it. */
function hoursOf(given: Found, span: DaySpan, ofDays: OfDays): HourDto[] {
  const present = given.present.get(span.date) ?? [];
  return (ofDays.get(span.date) ?? []).map((slot) => {
    const reason = reasonOf(given, { ...span, start: slot.at, end: slot.at + HOUR_MS });
    return {
      day: span.date,
      ...slotDto(given.resource, present, { source: slot.source, reason }),
      ...measured(given.resource, slot),
      start: toIso(slot.at),
      local_time: toIso(slot.at + slot.ahead).slice(0, -1),
    };
  });
}

/** The source that counted most, or has most samples. */
function mainOf(slots: readonly SlotStatistics[]): RankedSource | null {
  const weights = new Map<RankedSource, number>();
  for (const { source, value, count } of slots) {
    weights.set(source, (weights.get(source) ?? 0) + (value.min === null ? value.sum : count));
  }
  return [...weights].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

function reasonOf({ resource, ranked, present, wholeness }: Found, span: DaySpan): DayReason {
  const own = present.get(span.date) ?? [];
  const [best] = own;
  // Of a measure, only data of the best source, or of a better one, would change the day.
  const sources = best && resource.statistics === 'measure' ? ranked.slice(0, ranked.indexOf(best) + 1) : ranked;
  return wholeness.reason(
    { sources, ranked, present: resource.statistics === 'measure' ? own.slice(0, 1) : own },
    span,
  );
}

function slotDto(
  { statistics }: Resource,
  present: readonly RankedSource[],
  { source, reason }: { source: RankedSource | null; reason: DayReason },
): Pick<DayDto, 'partial' | 'reason' | 'source' | 'other_sources'> {
  const main = source ?? (statistics === 'total' ? (present[0] ?? null) : null);
  return {
    partial: reason !== 'whole',
    reason,
    source: main && sourceDto(main),
    other_sources: present.filter((one) => one !== main).map(sourceDto),
  };
}

/**
 * Contribution of each source to the total of these days, in its unit, and the part of it that was left out; without
 * amounts where the total has no number.
 */
function sharesDto(
  { resource, shares, ranked }: Found,
  spans: readonly DaySpan[],
  { ofDays, all }: { ofDays: OfDays; all: SlotStatistics | undefined },
): Pick<DayDto, 'sources' | 'left_out'> {
  const factorOf = (date: string): number => {
    const unit = ofDays.get(date)?.[0]?.unit ?? null;
    return unit === all?.unit ? 1 : (conversionOf(resource, unit)?.factor ?? 1);
  };
  const ofSources = groupedBy(
    spans.flatMap(({ date }) => (shares.get(date) ?? []).map((share) => inUnit(share, factorOf(date)))),
    ({ source }) => source,
  );
  const own = ranked.flatMap((source) => {
    return ofSources.has(source) ? [{ source, shares: ofSources.get(source) ?? [] }] : [];
  });
  const sum = (of: readonly SourceShare[], figure: (share: SourceShare) => number): number =>
    plain(of.reduce((before, share) => before + figure(share), 0));
  const amounts = (value: number): { sum?: number } => (all && all.incomparable !== null ? {} : { sum: value });
  return {
    sources: own.flatMap(({ source, shares: of }) => {
      const samples = sum(of, (share) => share.samples);
      const minutes = Math.round(sum(of, ({ ms }) => ms / MINUTE_MS));
      return samples === 0
        ? []
        : [{ ...sourceDto(source), minutes, samples, ...amounts(sum(of, ({ value }) => value)) }];
    }),
    left_out: own.flatMap(({ source, shares: of }) => {
      const samples = sum(of, ({ leftOut }) => leftOut.samples);
      const amount = sum(of, ({ leftOut }) => leftOut.value);
      return samples === 0 && amount < NOISE ? [] : [{ ...sourceDto(source), samples, ...amounts(amount) }];
    }),
  };
}

function inUnit(share: SourceShare, factor: number): SourceShare {
  if (factor === 1) return share;
  const { value, leftOut } = share;
  return { ...share, value: value * factor, leftOut: { ...leftOut, value: leftOut.value * factor } };
}

type Measured = Pick<DayDto, 'count' | 'unit' | 'incomparable' | 'first_at' | 'last_at' | 'thinned'>;
const unmeasured: Measured = {
  ...{ count: 0, unit: null, incomparable: null, first_at: null, last_at: null, thinned: false },
};

function measured(resource: Resource, slot: SlotStatistics): Measured {
  const { count, unit, incomparable, firstAt, lastAt, value, second, thinned } = slot;
  const stored = { count, unit, incomparable, first_at: toIso(firstAt), last_at: toIso(lastAt), thinned };
  if (incomparable !== null) return stored;
  const numbers = (of: Numbers): object => numbersDto(resource, count, of);
  return { ...stored, ...(second ? { systolic: numbers(value), diastolic: numbers(second) } : numbers(value)) };
}

function numbersDto({ statistics }: Resource, count: number, { sum, min, max, first, last }: Numbers): object {
  const ends = { first: plain(first), last: plain(last) };
  if (statistics === 'total') return { sum: plain(sum), ...ends };
  return {
    ...(min !== null && { min: plain(min) }),
    ...(max !== null && { max: plain(max) }),
    mean: plain(sum / count),
    ...ends,
  };
}

/** Removes floating-point noise. */
function plain(value: number): number {
  return Number(value.toPrecision(12));
}

function sourceDto({ provider, sourceType }: RankedSource): { provider: string; type: string } {
  return { provider, type: sourceType };
}
