import type { Resource } from '../../health/catalogue/catalogue.js';
import type { RankedSource } from '../../health/priorities/source-priorities.service.js';
import type { DaySpan } from '../../health/reads/stored-records.service.js';
import type { DaysStatistics, Numbers, SlotStatistics } from '../../health/statistics/statistics.service.js';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { HOUR_MS, toIso } from '../../platform/platform/time.js';
import type { DailyDto, DayDto, HourDto, HourlyDto } from './statistics.dto.js';
import type { Wholeness } from './wholeness.js';

/** Statistics of one resource, with the facts to judge whether they are complete. */
export interface Found extends DaysStatistics {
  readonly resource: Resource;
  readonly wholeness: Wholeness;
  readonly isSynced: boolean;
}

/** By date. */
type OfDays = ReadonlyMap<string, readonly SlotStatistics[]>;

type Head = Pick<DailyDto, 'resource' | 'statistics' | 'state' | 'days_in'>;

export function toDailyDto(found: Found): DailyDto {
  const head = headOf(found);
  const ofDays = groupedBy(found.found, ({ date }) => date);
  return { ...head, days: head.state === 'not_synced' ? [] : found.spans.map((span) => dayOf(found, span, ofDays)) };
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

function dayOf(given: Found, span: DaySpan, ofDays: OfDays): DayDto {
  return slotDto(given, span, ofDays.get(span.date)?.[0]);
}

/** The hours of one day; they add up to it. */
function hoursOf(given: Found, span: DaySpan, ofDays: OfDays): HourDto[] {
  return (ofDays.get(span.date) ?? []).map((slot) => ({
    ...slotDto(given, { ...span, start: slot.at, end: slot.at + HOUR_MS }, slot),
    start: toIso(slot.at),
    local_time: toIso(slot.at + slot.ahead).slice(0, -1),
  }));
}

function slotDto({ resource, ranked, present, wholeness }: Found, span: DaySpan, slot?: SlotStatistics): DayDto {
  const [source, ...others] = present.get(span.date) ?? [];
  const sources = source ? ranked.slice(0, ranked.indexOf(source) + 1) : ranked;
  const reason = wholeness.reason({ sources, ranked }, span, slot?.count ?? 0);
  return {
    day: span.date,
    partial: reason !== 'whole',
    reason,
    source: source ? sourceDto(source) : null,
    other_sources: others.map(sourceDto),
    ...(slot ? measured(resource, slot) : unmeasured),
  };
}

type Measured = Pick<DayDto, 'count' | 'unit' | 'first_at' | 'last_at'>;
const unmeasured: Measured = { count: 0, unit: null, first_at: null, last_at: null };

function measured(resource: Resource, slot: SlotStatistics): Measured {
  const { count, unit, hasUnits, firstAt, lastAt, value, second } = slot;
  const stored = { count, unit, first_at: toIso(firstAt), last_at: toIso(lastAt) };
  if (hasUnits) return stored;
  const numbers = (of: Numbers): object => numbersDto(resource, count, of);
  return { ...stored, ...(second ? { systolic: numbers(value), diastolic: numbers(second) } : numbers(value)) };
}

function numbersDto({ statistics }: Resource, count: number, { sum, min, max, first, last }: Numbers): object {
  const ends = { first, last };
  if (statistics === 'total') return { sum: plain(sum), ...ends };
  return { ...(min !== null && { min }), ...(max !== null && { max }), mean: plain(sum / count), ...ends };
}

/** Removes floating-point noise. */
function plain(value: number): number {
  return Number(value.toPrecision(12));
}

function sourceDto({ provider, sourceType }: RankedSource): { provider: string; type: string } {
  return { provider, type: sourceType };
}
