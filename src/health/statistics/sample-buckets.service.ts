import { Injectable } from '@nestjs/common';
import type { Resource } from '../catalogue/catalogue.js';
import { conversionOf, measureOf } from '../catalogue/units.js';
import type { SeriesRange } from '../clock/series-ranges.js';
import { type BucketRow, SampleBucketsReader, type SeriesOfBuckets } from './sample-buckets.reader.js';

/** Position of a bucket in the order of time, series and rank. */
export type BucketPlace = readonly [time: number, seriesId: number, rank: number];

export interface BucketsQuery {
  readonly account: number;
  /** A measure whose samples have one number each. */
  readonly resource: Resource;
  readonly provider: string | null;
  readonly sourceType: string | null;
  /** Epoch milliseconds, `end` exclusive. */
  readonly start: number | null;
  readonly end: number | null;
  /** Only these parts of series; undefined: all. */
  readonly ranges?: readonly SeriesRange[];
  /** Length of a bucket in milliseconds; buckets begin at its multiples. */
  readonly every: number;
  readonly after: BucketPlace | null;
  readonly limit: number;
  /** First observation of the account's present upstream user; null if there was no other one. */
  readonly earlierUntil: number | null;
}

/** The samples of a series in a span of time, in the unit of the catalogue, or in their own if none converts it. */
export interface Bucket {
  readonly series: SeriesOfBuckets;
  /** Start, epoch milliseconds. */
  readonly time: number;
  /** Number among the buckets of this series and time, which differ in unit or place of measurement. */
  readonly rank: number;
  readonly unit: string | null;
  readonly count: number;
  readonly min: number;
  readonly mean: number;
  readonly max: number;
}

type Sums = Omit<Bucket, 'rank' | 'mean'> & { readonly site: string; readonly sum: number };

/** Series of samples in less detail, for charts. Hidden samples do not count. */
@Injectable()
export class SampleBuckets {
  constructor(private readonly reader: SampleBucketsReader) {}

  /**
   * End of the newest hour in the range of which only sums are kept (SAMPLES_KEEP_DAYS), epoch milliseconds; null if
   * there is none. Earlier samples of the same range may be kept.
   */
  async thinnedUntil(
    query: Pick<BucketsQuery, 'account' | 'resource' | 'provider' | 'sourceType' | 'start' | 'ranges'>,
  ): Promise<number | null> {
    const { account, resource, provider, sourceType } = query;
    const series = await this.reader.series({ account, resource: resource.name, provider, sourceType });
    const parts = partsOf({ ...query, end: null }, series);
    const ends = parts.flatMap(({ start, thinnedUntil }) =>
      thinnedUntil !== null && thinnedUntil !== undefined && start < thinnedUntil ? [thinnedUntil] : [],
    );
    return ends.length === 0 ? null : Math.max(...ends);
  }

  /**
   * At most `limit` buckets with samples, by place. Reads `limit` spans at a time, and skips those without samples, so
   * that a page costs the same in a short and in a long range.
   */
  async page(query: BucketsQuery): Promise<Bucket[]> {
    const { account, resource, provider, sourceType, every, after, limit } = query;
    const series = await this.reader.series({ account, resource: resource.name, provider, sourceType });
    const parts = partsOf(query, series);
    const found: Bucket[] = [];
    for (let from = after?.[0] ?? Number.MIN_SAFE_INTEGER; found.length < limit; ) {
      const first = await this.reader.first(resource, within(parts, from, Number.MAX_SAFE_INTEGER), every);
      if (first === null) break;
      const start = Math.floor(first / every) * every;
      from = start + limit * every;
      const window = within(parts, start, from);
      const sums = (await this.reader.buckets(resource, window, every, query.earlierUntil)).map((row) =>
        sumsOf(resource, series.get((window[row.place] as SeriesRange).seriesId) as SeriesOfBuckets, row),
      );
      found.push(...ranked(sums).filter((bucket) => after === null || isAfter(bucket, after)));
    }
    return found.slice(0, limit);
  }
}

function partsOf(
  { start, end, ranges }: Pick<BucketsQuery, 'start' | 'end' | 'ranges'>,
  series: ReadonlyMap<number, SeriesOfBuckets>,
): SeriesRange[] {
  const [from, to] = [start ?? Number.MIN_SAFE_INTEGER, end ?? Number.MAX_SAFE_INTEGER];
  const all = ranges ?? [...series.keys()].map((seriesId) => ({ seriesId, start: from, end: to }));
  const own = all.flatMap((range) => {
    const one = series.get(range.seriesId);
    return one ? [{ ...range, thinnedUntil: one.thinned_until }] : [];
  });
  return within(own, from, to);
}

function within(parts: readonly SeriesRange[], from: number, to: number): SeriesRange[] {
  return parts.flatMap(({ start, end, ...of }) => {
    const part = { ...of, start: Math.max(start, from), end: Math.min(end, to) };
    return part.start < part.end ? [part] : [];
  });
}

function sumsOf(resource: Resource, series: SeriesOfBuckets, row: BucketRow): Sums {
  const { unit, place } = measureOf(row.content);
  const conversion = conversionOf(resource, unit);
  const { factor, offset } = conversion ?? { factor: 1, offset: 0 };
  return {
    ...{ series, time: row.slot, unit: conversion ? resource.unit : unit, site: place ?? '', count: row.count },
    sum: row.sum * factor + row.count * offset,
    min: row.min * factor + offset,
    max: row.max * factor + offset,
  };
}

function together(a: Sums, b: Sums): Sums {
  const { min, max } = Math;
  return { ...a, count: a.count + b.count, sum: a.sum + b.sum, min: min(a.min, b.min), max: max(a.max, b.max) };
}

function inOrder(a: Sums, b: Sums): number {
  const names = [`${a.unit} ${a.site}`, `${b.unit} ${b.site}`] as const;
  return a.time - b.time || a.series.id - b.series.id || (names[0] < names[1] ? -1 : 1);
}

/** One bucket for each series, span, unit and place of measurement, by place. */
function ranked(all: readonly Sums[]): Bucket[] {
  const joined = new Map<string, Sums>();
  for (const sums of all) {
    const key = JSON.stringify([sums.time, sums.series.id, sums.unit, sums.site]);
    const known = joined.get(key);
    joined.set(key, known ? together(known, sums) : sums);
  }
  const sorted = [...joined.values()].sort(inOrder);
  let rank = 0;
  return sorted.map(({ sum, site: _, ...bucket }, index) => {
    const before = sorted[index - 1];
    rank = before?.time === bucket.time && before.series.id === bucket.series.id ? rank + 1 : 0;
    return { ...bucket, rank, mean: sum / bucket.count };
  });
}

function isAfter({ time, series, rank }: Bucket, [afterTime, afterSeries, afterRank]: BucketPlace): boolean {
  return (time - afterTime || series.id - afterSeries || rank - afterRank) > 0;
}
