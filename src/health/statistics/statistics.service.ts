import { Injectable } from '@nestjs/common';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { DAY_MS, dateOf, HOUR_MS, MOST_AHEAD_MS, MOST_BEHIND_MS, startOfDate } from '../../platform/platform/time.js';
import type { Resource } from '../catalogue/catalogue.js';
import { type RankedSource, SourcePriorities } from '../priorities/source-priorities.service.js';
import { type DaySpan, datesOf, daySpans, localTimesOf } from '../reads/day-spans.js';
import { type Days, RecordDaysReader, type SeenOffset } from '../reads/record-days.reader.js';
import { earlierUntil, type Relinked, type ZoneOfAccount } from '../reads/stored-records.service.js';
import { AmountsReader } from './amounts.reader.js';
import { type AmountsOfDay, type CountedSlot, dayOf, hoursOf, LONGEST_MS, totalsOfDays } from './day-totals.js';
import type { Share, SourceMode } from './interval-merge.js';
import { type OffsetChange, offsetRuns, type Slot, slotsOf } from './local-slots.js';
import {
  type Numbers,
  type PartStatistics,
  type SeriesRange,
  type SourceSeries,
  StatisticsReader,
  type TotalOfPart,
} from './statistics.reader.js';

export { type SourceMode, sourceModes } from './interval-merge.js';
export type { Numbers } from './statistics.reader.js';

/** Statistics of one local day or hour. */
export interface SlotStatistics extends PartStatistics {
  /** The source of a measure; of a total, the one that counted most. */
  readonly source: RankedSource;
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
  /** By date, the sources with samples, best first. For a measure, the first represents the day. */
  readonly present: ReadonlyMap<string, readonly RankedSource[]>;
  /** By date, what each source contributed to a total; empty for a measure. Same order as `present`. */
  readonly shares: ReadonlyMap<string, readonly SourceShare[]>;
  /** By date and instant; without days and hours without samples. */
  readonly found: readonly SlotStatistics[];
}

export interface SourceShare extends Omit<Share, 'source'> {
  readonly source: RankedSource;
}

/** What is computed. `mode` matters only for totals. */
export interface Wanted {
  readonly per: 'day' | 'hour';
  readonly mode: SourceMode;
}

type StatisticsOwner = ZoneOfAccount & Relinked;

interface Totalled {
  readonly resource: Resource;
  readonly account: StatisticsOwner;
  readonly ranked: readonly RankedSource[];
  readonly starts: ReadonlyMap<string, number>;
}

interface Part extends SeriesRange {
  readonly one: SourceSeries;
  readonly slot: Slot;
}

/**
 * Statistics of samples per local day or hour, computed on each call: totals from all sources, interval by interval
 * (interval-merge.ts), measures from one source per day.
 */
@Injectable()
export class SampleStatistics {
  constructor(
    private readonly days: RecordDaysReader,
    private readonly reader: StatisticsReader,
    private readonly amounts: AmountsReader,
    private readonly priorities: SourcePriorities,
  ) {}

  /** `resource` must have statistics. Hidden records do not count. */
  async of(account: StatisticsOwner, resource: Resource, days: Days, { per, mode }: Wanted): Promise<DaysStatistics> {
    const isTotal = resource.statistics === 'total';
    const [series, seen] = await Promise.all([
      this.reader.series(account.id, resource.name),
      this.days.offsets(account.id, resource.name, days),
    ]);
    const zone = account.fallback_time_zone;
    const spans = daySpans(datesOf(days), { resource, observed: localTimesOf(seen), zone });
    const changes = await this.changes(seen);
    // Intervals of a total may begin earlier.
    const first = startOfDate(days.from) - (isTotal ? LONGEST_MS : 0);
    const range = {
      start: first - MOST_AHEAD_MS,
      end: startOfDate(days.to) + DAY_MS + MOST_BEHIND_MS,
    };
    const size = per === 'day' || isTotal ? DAY_MS : HOUR_MS;
    const all = series.flatMap((one): Part[] => {
      const own = changes.get(one.id) ?? [];
      const runs = one.floating_time === 1 ? [{ ...range, ahead: 0 }] : offsetRuns(own, zone, range);
      return slotsOf(runs, { from: dateOf(first), to: days.to }, size).map((slot) => ({
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
    const starts = new Map(spans.map(({ date, start }) => [date, startOfDate(date) - start]));
    if (isTotal)
      return {
        ranked,
        spans,
        ...(await this.totals(all, withSamples, { resource, ranked, starts, per, mode, account })),
      };
    const present = presentOf(withSamples, ranked);
    const parts = withSamples.filter(({ one, slot }) => isSame(sourceOf(one), present.get(slot.date)?.[0]));
    const found = await this.reader.statistics(resource, parts);
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
      slots.set(key, known ? joined(known, part) : { ...part, source: sourceOf(one), date: slot.date, at, ahead });
    }
    return { ranked, spans, present, shares: new Map(), found: [...slots.values()].sort(inOrder) };
  }

  /**
   * Totals of the dates of `starts`, which are how far local midnights are ahead of UTC. `parts` are all local days of
   * the series, because an interval may reach into a day without samples.
   */
  private async totals(
    parts: readonly Part[],
    withSamples: readonly Part[],
    { resource, ranked, starts, per, mode, account }: Wanted & Totalled,
  ): Promise<Pick<DaysStatistics, 'present' | 'shares' | 'found'>> {
    const slots: SlotStatistics[] = [];
    const shares = new Map<string, SourceShare[]>();
    const plain = per === 'day' ? await this.plainDays(resource, withSamples) : new Map<Part, TotalOfPart>();
    for (const [{ one, slot }, { isOneGroup: _, ms, end: __, ...part }] of plain) {
      const [date, source, ahead] = [slot.date, sourceOf(one), starts.get(slot.date)];
      if (ahead === undefined) continue;
      slots.push({ ...part, source: sourceIn(ranked, source), date, at: startOfDate(date) - ahead, ahead });
      const leftOut = { samples: 0, value: 0 };
      const share = { samples: part.count, value: part.value.sum, ms: Math.min(ms, slot.end - slot.start), leftOut };
      shares.set(date, [{ ...share, source: sourceIn(ranked, source) }]);
    }
    const reading = withSamples.filter((part) => !plain.has(part));
    const amounts = await this.amounts.amounts(reading, earlierUntil(account.relinked_at));
    const found = new Map(reading.map((part, index) => [part, amounts[index] ?? []]));
    const all = parts.map((part): AmountsOfDay => {
      const { one, slot, seriesId } = part;
      const source = ranked.indexOf(sourceIn(ranked, sourceOf(one)));
      const shift = one.floating_time === 1 ? (starts.get(slot.date) ?? 0) : 0;
      return { seriesId, source, kind: one.sub_series, slot, shift, amounts: found.get(part) ?? [] };
    });
    for (const [date, { pieces, shares: ofSources }] of totalsOfDays(all, mode)) {
      if (!starts.has(date)) continue;
      shares.set(
        date,
        ofSources.map((share) => ({ ...share, source: ranked[share.source] as RankedSource })),
      );
      const start = startOfDate(date) - (starts.get(date) ?? 0);
      const own = per === 'hour' ? hoursOf(pieces) : [dayOf(pieces, start)];
      slots.push(...own.flatMap((slot) => (slot ? [{ date, ...totalSlot(slot, ranked) }] : [])));
    }
    const present = new Map([...shares].map(([date, own]) => [date, own.map(({ source }) => source)]));
    return { present, shares, found: slots.sort(inOrder) };
  }

  /**
   * The days with samples of one series and one device, into which no interval reaches and out of which none does: their
   * total is a sum, which the database computes without reading each sample.
   */
  private async plainDays(resource: Resource, parts: readonly Part[]): Promise<Map<Part, TotalOfPart>> {
    const byDate = groupedBy(parts, ({ slot }) => slot.date);
    const single = [...byDate.values()].flatMap((own) => (own.length === 1 ? own : []));
    const totals = await this.reader.totals(resource, single);
    const closed = new Map<Part, TotalOfPart>();
    for (const [index, part] of single.entries()) {
      const total = totals[index];
      if (total?.isOneGroup && total.end <= part.slot.end) closed.set(part, total);
    }
    const isClosed = (date: string): boolean => (byDate.get(date) ?? []).every((part) => closed.has(part));
    const before = (date: string, days: number): string => dateOf(startOfDate(date) - days * DAY_MS);
    return new Map([...closed].filter(([{ slot }]) => [1, 2, 3].every((days) => isClosed(before(slot.date, days)))));
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

function totalSlot(
  { sum, first, last, source, ...slot }: CountedSlot,
  ranked: readonly RankedSource[],
): Omit<SlotStatistics, 'date'> {
  const value = { sum, min: null, max: null, first: first.value, last: last.value };
  return {
    ...slot,
    source: ranked[source] as RankedSource,
    firstAt: first.time,
    lastAt: last.time,
    value,
    second: null,
  };
}

function sourceOf({ provider, source_type }: SourceSeries): RankedSource {
  return { provider, sourceType: source_type };
}

function sourceIn(ranked: readonly RankedSource[], source: RankedSource): RankedSource {
  return ranked.find((one) => isSame(one, source)) ?? source;
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

/** Merges two parts of one day, two series of one source, or two days. */
export function joined(one: SlotStatistics, other: PartStatistics): SlotStatistics {
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
