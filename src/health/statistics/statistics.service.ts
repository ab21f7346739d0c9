import { Injectable } from '@nestjs/common';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { DAY_MS, HOUR_MS, MOST_AHEAD_MS, MOST_BEHIND_MS, startOfDate } from '../../platform/platform/time.js';
import type { Resource } from '../catalogue/catalogue.js';
import { type RankedSource, SourcePriorities } from '../priorities/source-priorities.service.js';
import { type DaySpan, datesOf, daySpans, localTimesOf } from '../reads/day-spans.js';
import { type Days, RecordDaysReader, type SeenOffset } from '../reads/record-days.reader.js';
import type { ZoneOfAccount } from '../reads/stored-records.service.js';
import { type OffsetChange, offsetRuns, type Slot, slotsOf } from './local-slots.js';
import {
  type Numbers,
  type PartStatistics,
  type SeriesRange,
  type SourceSeries,
  StatisticsReader,
} from './statistics.reader.js';

export type { Numbers } from './statistics.reader.js';

/** Statistics of one local day or hour. */
export interface SlotStatistics extends PartStatistics {
  readonly date: string;
  /** Instant at which the hour begins; for a day, that of its first part. */
  readonly at: number;
  readonly ahead: number;
}

export interface DaysStatistics {
  /** Sources that ever sent a sample of the resource, best first. */
  readonly ranked: readonly RankedSource[];
  /** One for every requested date. */
  readonly spans: readonly DaySpan[];
  /** By date, the sources with samples, best first: the first represents the day. */
  readonly present: ReadonlyMap<string, readonly RankedSource[]>;
  /** Statistics of the source that represents each day, by date and instant; without days and hours without samples. */
  readonly found: readonly SlotStatistics[];
}

interface Part extends SeriesRange {
  readonly one: SourceSeries;
  readonly slot: Slot;
}

/** Statistics of samples per local day or hour, from one source per day, computed on each call. */
@Injectable()
export class SampleStatistics {
  constructor(
    private readonly days: RecordDaysReader,
    private readonly reader: StatisticsReader,
    private readonly priorities: SourcePriorities,
  ) {}

  /** `resource` must have statistics. Hidden records do not count. Of other sources, only the presence is read. */
  async of(account: ZoneOfAccount, resource: Resource, days: Days, per: 'day' | 'hour'): Promise<DaysStatistics> {
    const [series, seen] = await Promise.all([
      this.reader.series(account.id, resource.name),
      this.days.offsets(account.id, resource.name, days),
    ]);
    const zone = account.fallback_time_zone;
    const spans = daySpans(datesOf(days), { resource, observed: localTimesOf(seen), zone });
    const changes = await this.changes(seen);
    const range = {
      start: startOfDate(days.from) - MOST_AHEAD_MS,
      end: startOfDate(days.to) + DAY_MS + MOST_BEHIND_MS,
    };
    const size = per === 'day' ? DAY_MS : HOUR_MS;
    const all = series.flatMap((one): Part[] => {
      const own = changes.get(one.id) ?? [];
      const runs = one.floating_time === 1 ? [{ ...range, ahead: 0 }] : offsetRuns(own, zone, range);
      return slotsOf(runs, days, size).map((slot) => ({
        one,
        slot,
        seriesId: one.id,
        start: slot.start,
        end: slot.end,
      }));
    });
    const sources = new Map(series.map((one) => [`${one.provider}|${one.source_type}`, sourceOf(one)]));
    const ranked = await this.priorities.rank(account.id, resource, [...sources.values()]);
    const isPresent = await this.reader.present(resource, all);
    const withSamples = all.filter((_, index) => isPresent[index]);
    const present = presentOf(withSamples, ranked);
    const parts = withSamples.filter(({ one, slot }) => isSame(sourceOf(one), present.get(slot.date)?.[0]));
    const found = await this.reader.statistics(resource, parts);
    const starts = new Map(spans.map(({ date, start }) => [date, startOfDate(date) - start]));
    const slots = new Map<string, SlotStatistics>();
    for (const [index, { one, slot }] of parts.entries()) {
      const part = found[index];
      if (!part) continue;
      const ahead = one.floating_time === 1 ? (starts.get(slot.date) ?? 0) : slot.ahead;
      const at = slot.local - ahead;
      // While a person travels, two local hours may begin at the same instant.
      const hour = per === 'day' ? [] : [at, slot.local];
      const key = [slot.date, ...hour].join('|');
      const known = slots.get(key);
      slots.set(key, known ? joined(known, part) : { ...part, date: slot.date, at, ahead });
    }
    return { ranked, spans, present, found: [...slots.values()].sort(inOrder) };
  }

  /**
   * The offset changes of each series. If two consecutive entries of `seen` have the same offset, samples between them
   * are assumed to have it too; if not, all samples between them are read. A change that is reverted within six hours
   * goes unnoticed.
   */
  private async changes(seen: readonly SeenOffset[]): Promise<Map<number, OffsetChange[]>> {
    const bySeries = groupedBy(seen, ({ seriesId }) => seriesId);
    const ranges: SeriesRange[] = [];
    for (const [seriesId, own] of bySeries) {
      own.sort((a, b) => a.time - b.time);
      own.forEach(({ time, ahead }, index) => {
        const next = own[index + 1];
        if (next && next.ahead !== ahead) ranges.push({ seriesId, start: time, end: next.time });
      });
    }
    for (const one of await this.reader.offsetsIn(ranges)) bySeries.get(one.seriesId)?.push(one);
    return new Map(
      [...bySeries].map(([seriesId, own]) => {
        own.sort((a, b) => a.time - b.time);
        return [seriesId, own.filter(({ ahead }, index) => index === 0 || own[index - 1]?.ahead !== ahead)];
      }),
    );
  }
}

function sourceOf({ provider, source_type }: SourceSeries): RankedSource {
  return { provider, sourceType: source_type };
}

function isSame(one: RankedSource, other: RankedSource | undefined): boolean {
  return one.provider === other?.provider && one.sourceType === other.sourceType;
}

function presentOf(parts: readonly Part[], ranked: readonly RankedSource[]): Map<string, RankedSource[]> {
  const ofDates = groupedBy(parts, ({ slot }) => slot.date);
  return new Map(
    [...ofDates].map(([date, own]) => {
      return [date, ranked.filter((source) => own.some(({ one }) => isSame(sourceOf(one), source)))];
    }),
  );
}

function inOrder(a: SlotStatistics, b: SlotStatistics): number {
  if (a.date !== b.date) return a.date < b.date ? -1 : 1;
  return a.at - b.at || a.firstAt - b.firstAt;
}

/** Merges two parts of one day, or of two series of one source. */
function joined(one: SlotStatistics, other: PartStatistics): SlotStatistics {
  const [isFirst, isLast] = [other.firstAt < one.firstAt, other.lastAt > one.lastAt];
  const hasUnits = one.hasUnits || other.hasUnits || one.unit !== other.unit;
  const numbers = (a: Numbers, b: Numbers): Numbers => ({
    sum: a.sum + b.sum,
    min: a.min === null || b.min === null ? null : Math.min(a.min, b.min),
    max: a.max === null || b.max === null ? null : Math.max(a.max, b.max),
    first: isFirst ? b.first : a.first,
    last: isLast ? b.last : a.last,
  });
  return {
    ...one,
    count: one.count + other.count,
    firstAt: Math.min(one.firstAt, other.firstAt),
    lastAt: Math.max(one.lastAt, other.lastAt),
    unit: hasUnits ? null : one.unit,
    hasUnits,
    value: numbers(one.value, other.value),
    second: one.second && other.second && numbers(one.second, other.second),
  };
}
