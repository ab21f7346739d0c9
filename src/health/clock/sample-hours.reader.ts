import { Injectable } from '@nestjs/common';
import { Reader } from '../../storage/database/reader.js';
import type { Queryable } from '../../storage/database/tx.js';
import { inParts, type SeriesRange } from './series-ranges.js';

/** The samples of an hour of a series with the same attributes, which are no longer stored (`SampleHourEntity`). */
export interface SampleHour {
  /** Index of the range. */
  readonly place: number;
  readonly series_id: number;
  /** Start, epoch milliseconds; `end_time` is exclusive. */
  readonly time: number;
  readonly end_time: number;
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  readonly first_at: number;
  readonly first: number;
  readonly last_at: number;
  readonly last: number;
  readonly sum_2: number | null;
  readonly min_2: number | null;
  readonly max_2: number | null;
  readonly first_2: number | null;
  readonly last_2: number | null;
  readonly observation_id: number;
  readonly sent_again_at: number | null;
  /** Their attributes, as JSON. */
  readonly content: string;
}

const inRange = 'h.series_id = w.column2 AND h.time >= w.column3 AND h.time < w.column4';
const hoursSql = (ranges: string): string => `SELECT w.column1 AS place, h.*, a.content
  FROM (VALUES ${ranges}) AS w CROSS JOIN sample_hours h JOIN sample_attributes a ON a.id = h.attributes_id
  WHERE ${inRange}`;
const firstSql = (ranges: string): string => `SELECT w.column1 AS place,
    (SELECT MIN(h.time) FROM sample_hours h WHERE ${inRange}) AS time
  FROM (VALUES ${ranges}) AS w`;

/** The one reader of what is kept of thinned samples. Costs nothing where none were thinned. */
@Injectable()
export class SampleHours {
  constructor(private readonly reader: Reader) {}

  /** The hours that begin in the ranges, by their first samples. */
  async in(ranges: readonly SeriesRange[], source: Queryable = this.reader): Promise<SampleHour[]> {
    const { thinned, places } = thinnedAmong(ranges);
    const rows = await inParts(thinned, (list, values) => source.rows<SampleHour>(hoursSql(list), values));
    return rows
      .map((row) => ({ ...row, place: places[row.place] as number }))
      .sort((a, b) => a.place - b.place || a.first_at - b.first_at);
  }

  /** Start of the first hour in the ranges; null if there is none. */
  async first(ranges: readonly SeriesRange[]): Promise<number | null> {
    const rows = await inParts(thinnedAmong(ranges).thinned, (list, values) =>
      this.reader.rows<{ place: number; time: number | null }>(firstSql(list), values),
    );
    const times = rows.flatMap(({ time }) => time ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }
}

/** The ranges in which samples may have been thinned, and the index of each. */
function thinnedAmong(ranges: readonly SeriesRange[]): { thinned: SeriesRange[]; places: number[] } {
  const places = ranges.flatMap(({ start, thinnedUntil }, place) => ((thinnedUntil ?? start) > start ? [place] : []));
  return { thinned: places.map((place) => ranges[place] as SeriesRange), places };
}
