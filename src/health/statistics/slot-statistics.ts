import type { Resource } from '../catalogue/catalogue.js';
import { conversionOf } from '../catalogue/units.js';
import type { Slot } from '../clock/local-slots.js';
import type { ResourceSeries } from '../clock/offsets.reader.js';
import type { ZoneOfAccount } from '../clock/person-clocks.service.js';
import type { SeriesRange } from '../clock/series-ranges.js';
import type { RankedSource } from '../priorities/priority-rule.js';
import type { Relinked } from '../reads/stored-record.js';
import type { CountedSlot } from './day-totals.js';
import type { Share, SourceMode } from './interval-merge.js';
import type { Numbers, PartStatistics } from './statistics.reader.js';

export { type Incomparable, incomparables, type Numbers } from './statistics.reader.js';

/** The wanted statistics. `mode` matters only for totals. */
export interface Wanted {
  readonly per: 'day' | 'hour';
  readonly mode: SourceMode;
}

export type StatisticsOwner = ZoneOfAccount & Relinked;

/** Whose totals are computed, and of which dates. */
export interface Totalled {
  readonly resource: Resource;
  readonly account: StatisticsOwner;
  readonly ranked: readonly RankedSource[];
  readonly starts: ReadonlyMap<string, number>;
  /** Dates that began again after a later one, because the person moved west. */
  readonly returned: ReadonlySet<string>;
}

/** A series in one of its local days or hours. */
export interface Part extends SeriesRange {
  readonly one: ResourceSeries;
  readonly slot: Slot;
}

/** Statistics of one local day or hour. */
export interface SlotStatistics extends PartStatistics {
  /** The source of a measure; of a total, the one that counted most. */
  readonly source: RankedSource;
  readonly date: string;
  /** Instant at which the hour begins; for a day, that of its first part. */
  readonly at: number;
  readonly ahead: number;
}

export interface SourceShare extends Omit<Share, 'source'> {
  readonly source: RankedSource;
}

export function named(shares: readonly Share[], ranked: readonly RankedSource[]): SourceShare[] {
  return shares.map((share) => ({ ...share, source: ranked[share.source] as RankedSource }));
}

/** Kinds that get no common number. */
export function kindOf({ byType }: Resource, { sub_series: type }: ResourceSeries): string {
  return byType ? type : '';
}

interface Ends {
  readonly first: { readonly time: number; readonly value: number };
  readonly last: Ends['first'];
}

export function totalSlot(
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

export function sourceOf({ provider, source_type }: ResourceSeries): RankedSource {
  return { provider, sourceType: source_type };
}

export function sourceIn(ranked: readonly RankedSource[], source: RankedSource): RankedSource {
  return ranked.find((one) => isSame(one, source)) ?? source;
}

export function isSame(one: RankedSource, other: RankedSource | undefined): boolean {
  return one.provider === other?.provider && one.sourceType === other.sourceType;
}

export function inOrder(a: SlotStatistics, b: SlotStatistics): number {
  if (a.date !== b.date) return a.date < b.date ? -1 : 1;
  return a.at - b.at || a.firstAt - b.firstAt;
}

/** The part in the unit of the catalogue; without comparable numbers if no conversion is known. */
export function inUnitOfResource(resource: Resource, part: PartStatistics): PartStatistics {
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
