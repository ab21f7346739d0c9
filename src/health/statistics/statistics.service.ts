import { Injectable } from '@nestjs/common';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { DAY_MS, dateAfter, dateOf, HOUR_MS, startOfDate } from '../../platform/platform/time.js';
import { MAX_SPREAD_MS, type Resource, statisticsResources } from '../catalogue/catalogue.js';
import { MAX_DATES_A_READ } from '../catalogue/tuning.js';
import type { DaySpan, Days } from '../clock/day-spans.js';
import { PersonClocks } from '../clock/person-clocks.service.js';
import { type RankedSource } from '../priorities/priority-rule.js';
import { SourcePriorities } from '../priorities/source-priorities.service.js';
import { earlierUntil } from '../reads/stored-record.js';
import { type AmountColumns, AmountsReader, amountsOf } from './amounts.reader.js';
import { type AmountsOfDay, dayOf, hoursOf, totalsOfDays } from './day-totals.js';
import { type DayOnGrid, gridTotals } from './grid-days.js';
import {
  inOrder,
  inUnitOfResource,
  isSame,
  joined,
  kindOf,
  named,
  type Part,
  type SlotStatistics,
  type SourceShare,
  type StatisticsOwner,
  sourceIn,
  sourceOf,
  type Totalled,
  totalSlot,
  type Wanted,
} from './slot-statistics.js';
import { type PartStatistics, StatisticsReader, type TotalOfPart } from './statistics.reader.js';

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

type FoundPart = Pick<Part, 'one' | 'slot'> & { readonly part: PartStatistics };

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
    const first = await this.reader.firstFrom(account, startOfDate(day) - MAX_SPREAD_MS - DAY_MS);
    if (first === null) return null;
    const date = dateAfter(dateOf(first), -1);
    return date > day ? date : day;
  }

  /** `resource` must have statistics. Hidden records do not count. */
  async of(account: StatisticsOwner, resource: Resource, days: Days, { per, mode }: Wanted): Promise<DaysStatistics> {
    const isTotal = resource.statistics === 'total';
    const { clock, series, spans, slots: slotsBy } = await this.clocks.ofResource(account, resource, days);
    // Intervals of a total may begin earlier.
    const from = isTotal ? dateOf(startOfDate(days.from) - MAX_SPREAD_MS) : days.from;
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
    for (const [{ one, slot }, { isOneGroup: _, isApart: __, duration, ...part }] of plain) {
      const [date, source, ahead] = [slot.date, sourceOf(one), starts.get(slot.date)];
      if (ahead === undefined) continue;
      const kind = kindOf(resource, one);
      slots.push({ ...part, kind, source: sourceIn(ranked, source), date, at: startOfDate(date) - ahead, ahead });
      const leftOut = { samples: 0, value: 0 };
      const ms = Math.min(part.count * (duration ?? 0), slot.end - slot.start);
      const share = { samples: part.count, value: part.value.sum, ms, leftOut };
      shares.set(date, [{ ...share, source: sourceIn(ranked, source) }]);
    }
    const reading = withSamples.filter((part) => !plain.has(part));
    const { found, onGrid } = await this.read(reading, { resource, ranked, starts, returned, per, mode, account });
    for (const { slot, ofSources } of onGrid) {
      slots.push(slot);
      shares.set(slot.date, ofSources);
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

  /** The totals of the days on one grid, and the amounts of the others. */
  private async read(
    parts: readonly Part[],
    wanted: Wanted & Totalled,
  ): Promise<{ found: Map<Part, AmountColumns>; onGrid: DayOnGrid[] }> {
    const found = new Map<Part, AmountColumns>();
    const onGrid: DayOnGrid[] = [];
    const open = new Set<string>();
    for (const some of byDates(parts, MAX_DATES_A_READ)) {
      const columns = await this.amounts.amounts(wanted.resource, some, earlierUntil(wanted.account.relinked_at));
      const read = new Map(some.map((part, index) => [part, columns[index] as AmountColumns]));
      const totals = gridTotals(read, { ...wanted, open });
      onGrid.push(...totals);
      const taken = new Set(totals.flatMap(({ own }) => own));
      for (const [part, left] of read) if (!taken.has(part)) found.set(part, left);
    }
    return { found, onGrid };
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
      if (!total?.isOneGroup || total.duration === null || total.lastAt + total.duration > part.slot.end) continue;
      if (total.isApart || !(resource.onceAtATime || resource.mayFlow)) closed.set(part, total);
    }
    const isClosed = (date: string): boolean => (byDate.get(date) ?? []).every((part) => closed.has(part));
    return new Map(
      [...closed].filter(([{ slot }]) => [1, 2, 3].every((days) => isClosed(dateAfter(slot.date, -days)))),
    );
  }
}

/** Parts of whole dates, in order of their dates. */
function byDates(parts: readonly Part[], most: number): Part[][] {
  const dates = [...groupedBy(parts, ({ slot }) => slot.date)].sort(([one], [other]) => (one < other ? -1 : 1));
  const places = Array.from({ length: Math.ceil(dates.length / most) }, (_, index) => index * most);
  return places.map((from) => dates.slice(from, from + most).flatMap(([, own]) => own));
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

function amountsFound(columns: AmountColumns | undefined): AmountsOfDay['amounts'] {
  return columns ? amountsOf(columns) : [];
}

/** The types of the amounts of each date. */
function kindsOfDates(all: readonly AmountsOfDay[]): Map<string, Set<string>> {
  const kinds = new Map<string, Set<string>>();
  for (const { slot, kind, amounts } of all) {
    if (amounts.length > 0) kinds.set(slot.date, (kinds.get(slot.date) ?? new Set()).add(kind));
  }
  return kinds;
}

function presentOf(parts: readonly Part[], ranked: readonly RankedSource[]): Map<string, RankedSource[]> {
  const ofDates = groupedBy(parts, ({ slot }) => slot.date);
  return new Map(
    [...ofDates].map(([date, own]) => {
      return [date, ranked.filter((source) => own.some(({ one }) => isSame(sourceOf(one), source)))];
    }),
  );
}
