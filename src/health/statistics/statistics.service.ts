import { Injectable } from '@nestjs/common';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { DAY_MS, dateAfter, dateOf, HOUR_MS, startOfDate } from '../../platform/platform/time.js';
import { type Resource, statisticsResources } from '../catalogue/catalogue.js';
import { conversionOf } from '../catalogue/units.js';
import type { DaySpan, Days } from '../clock/day-spans.js';
import type { Slot } from '../clock/local-slots.js';
import type { ResourceSeries } from '../clock/offsets.reader.js';
import { PersonClocks, type ZoneOfAccount } from '../clock/person-clocks.service.js';
import type { SeriesRange } from '../clock/series-ranges.js';
import { type RankedSource } from '../priorities/priority-rule.js';
import { SourcePriorities } from '../priorities/source-priorities.service.js';
import { earlierUntil, type Relinked } from '../reads/stored-record.js';
import { type AmountColumns, AmountsReader, amountsOf } from './amounts.reader.js';
import { type AmountsOfDay, type CountedSlot, dayOf, hoursOf, LONGEST_MS, totalsOfDays } from './day-totals.js';
import { totalOfGrid } from './grid-merge.js';
import type { Share, SourceMode } from './interval-merge.js';
import { type Numbers, type PartStatistics, StatisticsReader, type TotalOfPart } from './statistics.reader.js';

export { type Incomparable, incomparables, type Numbers } from './statistics.reader.js';

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

/** The wanted statistics. `mode` matters only for totals. */
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
  /** See {@link datesReturnedTo}. */
  readonly returned: ReadonlySet<string>;
}

type FoundPart = Pick<Part, 'one' | 'slot'> & { readonly part: PartStatistics };

interface Part extends SeriesRange {
  readonly one: ResourceSeries;
  readonly slot: Slot;
}

/**
 * Statistics of samples per local day or hour, computed on each call: totals from all sources, interval by interval
 * (interval-merge.ts), measures from one source per day.
 */
@Injectable()
export class SampleStatistics {
  constructor(
    private readonly clocks: PersonClocks,
    private readonly reader: StatisticsReader,
    private readonly amounts: AmountsReader,
    private readonly priorities: SourcePriorities,
  ) {}

  /** People who have samples; `accounts.id`. Without those who are being erased. */
  people(): Promise<number[]> {
    return this.reader.people();
  }

  /** Resources with statistics of which an account has samples. */
  async resourcesOf(account: number): Promise<string[]> {
    const names = await this.reader.resourcesOf(account);
    return names.filter((name) => statisticsResources.includes(name));
  }

  /** The first day on or after this one that may have statistics; null if none has. */
  async nextDay(account: number, day: string): Promise<string | null> {
    // An interval may reach into the days after it, and its own day may begin before or after that of UTC.
    const first = await this.reader.firstFrom(account, startOfDate(day) - LONGEST_MS - DAY_MS);
    if (first === null) return null;
    const date = dateAfter(dateOf(first), -1);
    return date > day ? date : day;
  }

  /** `resource` must have statistics. Hidden records do not count. */
  async of(account: StatisticsOwner, resource: Resource, days: Days, { per, mode }: Wanted): Promise<DaysStatistics> {
    const isTotal = resource.statistics === 'total';
    const { clock, series, spans, slots: slotsBy } = await this.clocks.ofResource(account, resource, days);
    // Intervals of a total may begin earlier.
    const from = isTotal ? dateOf(startOfDate(days.from) - LONGEST_MS) : days.from;
    // After a move west, an interval of a later date may reach into an earlier one.
    const to = isTotal ? dateAfter(days.to, MAX_DATES_BACK) : days.to;
    const near = slotsBy(per === 'day' || isTotal ? DAY_MS : HOUR_MS, { from, to }).map(({ series: one, ...slot }) => {
      return { one, slot, seriesId: one.id, start: slot.start, end: slot.end, thinnedUntil: one.thinned_until };
    });
    const returned = isTotal ? datesReturnedTo(near) : new Set<string>();
    const last = [...returned].some((date) => date <= days.to) ? to : days.to;
    const all = near.filter(({ slot }) => slot.date <= last);
    const sources = new Map(series.map((one) => [`${one.provider}|${one.source_type}`, sourceOf(one)]));
    const ranked = await this.priorities.rank(account.id, resource, [...sources.values()]);
    const isPresent = await this.reader.present(resource, all);
    const withSamples = all.filter((_, index) => isPresent[index]);
    const starts = new Map(spans.map(({ date, start }) => [date, startOfDate(date) - start]));
    if (isTotal)
      return {
        ranked,
        spans,
        ...(await this.totals(all, withSamples, { resource, ranked, starts, returned, per, mode, account })),
      };
    const present = presentOf(withSamples, ranked);
    const parts = withSamples.filter(({ one, slot }) => isSame(sourceOf(one), present.get(slot.date)?.[0]));
    const slots = new Map<string, SlotStatistics>();
    for (const { one, slot, part } of await this.partsOf(resource, parts, earlierUntil(account.relinked_at))) {
      const at = one.floating_time === 1 ? clock.instantOf(slot.local, one).instant : slot.local - slot.ahead;
      const ahead = slot.local - at;
      // While a person travels, two local hours may begin at the same instant.
      const hour = per === 'day' ? [] : [at, slot.local];
      const key = [slot.date, ...hour].join('|');
      const known = slots.get(key);
      slots.set(
        key,
        known
          ? joined(resource, known, part)
          : { ...part, source: sourceIn(ranked, sourceOf(one)), date: slot.date, at, ahead },
      );
    }
    const inDayUnit = [...groupedBy([...slots.values()], ({ date }) => date).values()].flatMap((own) => {
      const hasOne = new Set(own.map(({ unit }) => unit)).size === 1;
      return hasOne ? own : own.map((each) => ({ ...each, ...inUnitOfResource(resource, each) }));
    });
    return { ranked, spans, present, shares: new Map(), found: inDayUnit.sort(inOrder) };
  }

  /**
   * The statistics of parts with samples; of a series that has several units or kinds, one for each. `since`: first
   * observation of the present upstream user; null if there was no other one.
   */
  private async partsOf(resource: Resource, parts: readonly Part[], since: number | null): Promise<FoundPart[]> {
    const isOfBoth = await this.reader.ofBothUsers(parts, since);
    const [alone, shared] = [parts.filter((_, at) => !isOfBoth[at]), parts.filter((_, at) => isOfBoth[at])];
    return [...(await this.partsAmong(resource, alone, null)), ...(await this.partsAmong(resource, shared, since))];
  }

  private async partsAmong(resource: Resource, parts: readonly Part[], since: number | null): Promise<FoundPart[]> {
    const plain = parts.filter(({ one }) => one.is_mixed === 0);
    const mixed = parts.filter(({ one }) => one.is_mixed === 1);
    const [ofPlain, ofMixed] = [
      await this.reader.statistics(resource, plain, since),
      mixed.length === 0 ? [] : await this.reader.mixed(resource, mixed, since),
    ];
    const ofType = (own: Part, part: PartStatistics) => {
      return { ...own, part: resource.byType ? { ...part, kind: own.one.sub_series } : part };
    };
    return [
      ...plain.flatMap((own, index) => (ofPlain[index] ? [ofType(own, ofPlain[index])] : [])),
      ...mixed.flatMap((own, index) => (ofMixed[index] ?? []).map((part) => ofType(own, part))),
    ];
  }

  /**
   * Totals of the dates of `starts`, which are how far local midnights are ahead of UTC. `parts` are all local days of
   * the series, because an interval may reach into a day without samples.
   */
  private async totals(
    parts: readonly Part[],
    withSamples: readonly Part[],
    { resource, ranked, starts, returned, per, mode, account }: Wanted & Totalled,
  ): Promise<Pick<DaysStatistics, 'present' | 'shares' | 'found'>> {
    const slots: SlotStatistics[] = [];
    const shares = new Map<string, SourceShare[]>();
    const plain = per === 'day' ? await this.plainDays(resource, withSamples, returned) : new Map<Part, TotalOfPart>();
    for (const [{ one, slot }, { isOneGroup: _, isApart: __, ms, end: ___, ...part }] of plain) {
      const [date, source, ahead] = [slot.date, sourceOf(one), starts.get(slot.date)];
      if (ahead === undefined) continue;
      const kind = kindOf(resource, one);
      slots.push({ ...part, kind, source: sourceIn(ranked, source), date, at: startOfDate(date) - ahead, ahead });
      const leftOut = { samples: 0, value: 0 };
      const share = { samples: part.count, value: part.value.sum, ms: Math.min(ms, slot.end - slot.start), leftOut };
      shares.set(date, [{ ...share, source: sourceIn(ranked, source) }]);
    }
    const reading = withSamples.filter((part) => !plain.has(part));
    const columns = await this.amounts.amounts(reading, earlierUntil(account.relinked_at));
    const found = new Map(reading.map((part, index) => [part, columns[index] as AmountColumns]));
    for (const { own, slot, ofSources } of gridTotals(found, { resource, ranked, starts, returned, per, mode })) {
      slots.push(slot);
      shares.set(slot.date, ofSources);
      for (const part of own) found.delete(part);
    }
    const all = parts.map((part): AmountsOfDay => {
      const { one, slot, seriesId } = part;
      const source = ranked.indexOf(sourceIn(ranked, sourceOf(one)));
      const shift = one.floating_time === 1 ? (starts.get(slot.date) ?? 0) : 0;
      return { seriesId, source, kind: one.sub_series, slot, shift, amounts: amountsFound(found.get(part)) };
    });
    const kinds = kindsOfDates(all);
    for (const [date, { pieces, shares: ofSources }] of totalsOfDays(all, mode, resource)) {
      if (!starts.has(date)) continue;
      shares.set(date, named(ofSources, ranked));
      const start = startOfDate(date) - (starts.get(date) ?? 0);
      const own = per === 'hour' ? hoursOf(pieces) : [dayOf(pieces, start)];
      const [kind = '', ...others] = resource.byType ? (kinds.get(date) ?? []) : [];
      const ofKind = others.length === 0 ? { kind } : ({ kind, unit: null, incomparable: 'kinds' } as const);
      slots.push(...own.flatMap((slot) => (slot ? [{ date, ...totalSlot(slot, ranked), ...ofKind }] : [])));
    }
    const present = new Map([...shares].map(([date, own]) => [date, own.map(({ source }) => source)]));
    return { present, shares, found: slots.sort(inOrder) };
  }

  /**
   * The days with samples of one series and one device, which do not overlap, into which no interval reaches and out of
   * which none does: their total is a sum, which the database computes without reading each sample.
   */
  private async plainDays(
    resource: Resource,
    parts: readonly Part[],
    returned: ReadonlySet<string>,
  ): Promise<Map<Part, TotalOfPart>> {
    const byDate = groupedBy(parts, ({ slot }) => slot.date);
    const single = [...byDate.values()]
      .flatMap((own) => (own.length === 1 ? own : []))
      .filter(({ slot }) => !returned.has(slot.date));
    const totals = await this.reader.totals(resource, single);
    const closed = new Map<Part, TotalOfPart>();
    for (const [index, part] of single.entries()) {
      const total = totals[index];
      if (!total?.isOneGroup || total.end > part.slot.end) continue;
      if (total.isApart || !resource.onceAtATime) closed.set(part, total);
    }
    const isClosed = (date: string): boolean => (byDate.get(date) ?? []).every((part) => closed.has(part));
    return new Map(
      [...closed].filter(([{ slot }]) => [1, 2, 3].every((days) => isClosed(dateAfter(slot.date, -days)))),
    );
  }
}

interface GridDay {
  readonly date: string;
  readonly own: readonly Part[];
  /** Instant at which it begins. */
  readonly at: number;
}

/** The totals of the days whose amounts lie on one grid; none for hours or single sources. */
function gridTotals(
  read: ReadonlyMap<Part, AmountColumns>,
  { resource, ranked, starts, returned, per, mode }: Wanted & Omit<Totalled, 'account'>,
): { own: readonly Part[]; slot: SlotStatistics; ofSources: SourceShare[] }[] {
  if (per === 'hour' || mode === 'single') return [];
  return gridDaysOf(read, starts)
    .filter(({ date }) => !returned.has(date))
    .flatMap(({ date, own, at }) => {
      const tracks = own.map((part) => {
        const source = ranked.indexOf(sourceIn(ranked, sourceOf(part.one)));
        return { source, columns: read.get(part) as AmountColumns };
      });
      const total = totalOfGrid(tracks);
      if (total === null) return [];
      const { shares, ...rest } = total;
      const kind = own[0] ? kindOf(resource, own[0].one) : '';
      const slot = { ...rest, at, ahead: own[0]?.slot.ahead ?? 0, kind, incomparable: null };
      return [{ own, slot: { date, ...totalSlot(slot, ranked) }, ofSources: named(shares, ranked) }];
    });
}

/**
 * The days whose amounts may lie on one grid: series with equal hours and one type, into which no interval reaches and
 * out of which none does. What was not read reaches into none either (`plainDays`).
 */
function gridDaysOf(read: ReadonlyMap<Part, AmountColumns>, starts: ReadonlyMap<string, number>): GridDay[] {
  const open = new Set([...read].flatMap(([{ slot }, columns]) => (endOf(columns) <= slot.end ? [] : [slot.date])));
  const isClosed = (date: string): boolean => [0, 1, 2, 3].every((days) => !open.has(dateAfter(date, -days)));
  const days = groupedBy([...read.keys()], ({ slot }) => slot.date);
  return [...days].flatMap(([date, own]) => {
    const [first, ahead] = [own[0] as Part, starts.get(date)];
    const isEqual = ({ one, slot }: Part): boolean =>
      one.floating_time === 0 && one.sub_series === first.one.sub_series && isSameSlot(slot, first.slot);
    if (ahead === undefined || !isClosed(date) || !own.every(isEqual)) return [];
    return [{ date, own, at: startOfDate(date) - ahead }];
  });
}

/** A move west over the date line sets the local date back by up to 26 hours. */
const MAX_DATES_BACK = 2;

/** Dates that began again after a later one, because the person moved west. */
function datesReturnedTo(parts: readonly Part[]): Set<string> {
  const returned = new Set<string>();
  for (const own of groupedBy(parts, ({ seriesId }) => seriesId).values()) {
    let newest = '';
    for (const { slot } of own.toSorted((one, other) => one.start - other.start)) {
      if (slot.date < newest) returned.add(slot.date);
      else newest = slot.date;
    }
  }
  return returned;
}

function isSameSlot(one: Slot, other: Slot): boolean {
  return one.start === other.start && one.end === other.end && one.ahead === other.ahead;
}

function endOf({ start, times, durations }: AmountColumns): number {
  let end = 0;
  for (let index = 0; index < times.length; index++) {
    end = Math.max(end, (times[index] ?? 0) + (durations[index] ?? 0));
  }
  return start + end;
}

function amountsFound(columns: AmountColumns | undefined): AmountsOfDay['amounts'] {
  return columns ? amountsOf(columns) : [];
}

function named(shares: readonly Share[], ranked: readonly RankedSource[]): SourceShare[] {
  return shares.map((share) => ({ ...share, source: ranked[share.source] as RankedSource }));
}

/** Kinds that get no common number. */
function kindOf({ byType }: Resource, { sub_series: type }: ResourceSeries): string {
  return byType ? type : '';
}

/** The types of the amounts of each date. */
function kindsOfDates(all: readonly AmountsOfDay[]): Map<string, Set<string>> {
  const kinds = new Map<string, Set<string>>();
  for (const { slot, kind, amounts } of all) {
    if (amounts.length > 0) kinds.set(slot.date, (kinds.get(slot.date) ?? new Set()).add(kind));
  }
  return kinds;
}

interface Ends {
  readonly first: { readonly time: number; readonly value: number };
  readonly last: Ends['first'];
}

function totalSlot(
  { sum, first, last, source, ...slot }: Omit<CountedSlot, 'first' | 'last'> & Ends,
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
    thinned: false,
  };
}

function sourceOf({ provider, source_type }: ResourceSeries): RankedSource {
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

/** The part in the unit of the catalogue; without comparable numbers if no conversion is known. */
function inUnitOfResource(resource: Resource, part: PartStatistics): PartStatistics {
  const conversion = conversionOf(resource, part.unit);
  if (part.incomparable !== null) return part;
  if (conversion === null) return { ...part, unit: null, incomparable: 'units' };
  const { factor, offset } = conversion;
  const convert = (value: number): number => value * factor + offset;
  const numbers = ({ sum, min, max, first, last }: Numbers): Numbers => ({
    sum: sum * factor + part.count * offset,
    min: min === null ? null : convert(min),
    max: max === null ? null : convert(max),
    first: convert(first),
    last: convert(last),
  });
  return { ...part, unit: resource.unit, value: numbers(part.value), second: part.second && numbers(part.second) };
}

/** Merges two parts of one day, two series of one source, or two days. Different units become that of the catalogue. */
export function joined(resource: Resource, before: SlotStatistics, after: PartStatistics): SlotStatistics {
  const isOneUnit = before.unit === after.unit;
  const one = isOneUnit ? before : { ...before, ...inUnitOfResource(resource, before) };
  const other = isOneUnit ? after : inUnitOfResource(resource, after);
  const incomparable = one.kind === other.kind ? (one.incomparable ?? other.incomparable) : 'kinds';
  const [isFirst, isLast] = [other.firstAt < one.firstAt, other.lastAt > one.lastAt];
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
    unit: incomparable === null ? one.unit : null,
    incomparable,
    value: numbers(one.value, other.value),
    second: one.second && other.second && numbers(one.second, other.second),
    thinned: one.thinned || other.thinned,
  };
}
