import type { Resource } from '../../health/catalogue/catalogue.js';
import type { DaysStatistics, Numbers, SlotStatistics } from '../../health/health-data/statistics.service.js';
import type { DaySpan } from '../../health/health-data/stored-records.service.js';
import type { RankedSource } from '../../health/priorities/source-priorities.service.js';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { HOUR_MS, toIso } from '../../platform/platform/time.js';
import type { DailyDto, DayDto, HourDto, HourlyDto } from './statistics.dto.js';
import type { Wholeness } from './wholeness.js';

/** The statistics of one resource, and what is needed to judge them. */
export interface Found extends DaysStatistics {
  readonly resource: Resource;
  /** `sources`, best first. */
  readonly ranked: readonly RankedSource[];
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

/** The samples of a day by source, and the place of the one that stands for it; -1 without any. */
function chosenOf(
  { ranked }: Found,
  { date }: DaySpan,
  ofDays: OfDays,
): { own: readonly SlotStatistics[]; place: number } {
  const own = ofDays.get(date) ?? [];
  return { own, place: ranked.findIndex((source) => own.some((slot) => isSame(slot, source))) };
}

function dayOf(given: Found, span: DaySpan, ofDays: OfDays): DayDto {
  const { own, place } = chosenOf(given, span, ofDays);
  return slotDto(given, { span, own, place, slot: own.find((slot) => isSame(slot, given.ranked[place])) });
}

/** Of the source that stands for the day, so that its hours add up to the day. */
function hoursOf(given: Found, span: DaySpan, ofDays: OfDays): HourDto[] {
  const { own, place } = chosenOf(given, span, ofDays);
  return own
    .filter((slot) => isSame(slot, given.ranked[place]))
    .map((slot) => ({
      ...slotDto(given, { span: { ...span, start: slot.at, end: slot.at + HOUR_MS }, own, place, slot }),
      start: toIso(slot.at),
      local_time: toIso(slot.at + slot.ahead).slice(0, -1),
    }));
}

interface Chosen {
  readonly span: DaySpan;
  readonly own: readonly SlotStatistics[];
  readonly place: number;
  readonly slot: SlotStatistics | undefined;
}

function slotDto({ resource, ranked, wholeness }: Found, { span, own, place, slot }: Chosen): DayDto {
  const reason = wholeness.reason(place < 0 ? ranked : ranked.slice(0, place + 1), span, slot?.count ?? 0);
  const source = ranked[place];
  const others = ranked.filter((one, at) => at !== place && own.some((other) => isSame(other, one)));
  const numbers = (of: Numbers): object => numbersDto(resource, slot?.count ?? 0, of);
  return {
    day: span.date,
    partial: reason !== 'whole',
    reason,
    source: source ? sourceDto(source) : null,
    other_sources: others.map(sourceDto),
    count: slot?.count ?? 0,
    unit: slot?.unit ?? null,
    first_at: slot ? toIso(slot.firstAt) : null,
    last_at: slot ? toIso(slot.lastAt) : null,
    ...(slot && !slot.second && numbers(slot.value)),
    ...(slot?.second && { systolic: numbers(slot.value), diastolic: numbers(slot.second) }),
  };
}

function numbersDto({ statistics }: Resource, count: number, { sum, min, max, first, last }: Numbers): object {
  const ends = { first, last };
  if (statistics === 'total') return { sum: plain(sum), ...ends };
  return { ...(min !== null && { min }), ...(max !== null && { max }), mean: plain(sum / count), ...ends };
}

/** Without the noise of adding binary fractions. */
function plain(value: number): number {
  return Number(value.toPrecision(12));
}

function sourceDto({ provider, sourceType }: RankedSource): { provider: string; type: string } {
  return { provider, type: sourceType };
}

function isSame(one: RankedSource, other: RankedSource | undefined): boolean {
  return one.provider === other?.provider && one.sourceType === other.sourceType;
}
