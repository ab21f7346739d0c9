import { Injectable } from '@nestjs/common';
import { packed, preparedLength, typedRows } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Resource } from '../catalogue/catalogue.js';
import { aheadOf } from '../catalogue/records.js';
import type { SeenOffset } from '../reads/record-days.reader.js';

/** A series of samples and its source. */
export interface SourceSeries {
  readonly id: number;
  readonly provider: string;
  readonly source_type: string;
  /** The `type` of its points; '' if they have none. */
  readonly sub_series: string;
  readonly floating_time: number;
}

/** A part of a series; epoch milliseconds, `end` exclusive. */
export interface SeriesRange {
  readonly seriesId: number;
  readonly start: number;
  readonly end: number;
}

/** Statistics of one number of a part. `min` and `max` are null for totals. */
export interface Numbers {
  readonly sum: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly first: number;
  readonly last: number;
}

export interface PartStatistics {
  readonly count: number;
  /** Times of the first and the last sample. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Unit of the first and the last sample; null if they have none or differ. */
  readonly unit: string | null;
  /** True if these units differ, so that the numbers are meaningless. */
  readonly hasUnits: boolean;
  readonly value: Numbers;
  /** For the second number of a pair, the diastolic. */
  readonly second: Numbers | null;
}

/** Statistics of a total of one part, and how far its intervals reach. */
export interface TotalOfPart extends PartStatistics {
  /** True if all samples are from one observation with equal attributes, so of one device and one unit. */
  readonly isOneGroup: boolean;
  /** Sum of the durations. */
  readonly ms: number;
  /** End of the last interval, epoch milliseconds. */
  readonly end: number;
}

const RANGES_A_STATEMENT = 512;
const rangeTypes = ['bigint', 'bigint', 'bigint', 'bigint'];

/** Excludes larger numbers: they are no measurements, and their sum could overflow. */
export const isMeasured = (number: string): string =>
  `${number} BETWEEN CAST(-1e100 AS double precision) AND CAST(1e100 AS double precision)`;
/** Samples with a number in the range `w`, whose columns are place, series, start, end. */
const ofRange = `FROM samples p WHERE p.series_id = w.column2 AND p.time >= w.column3 AND p.time < w.column4
  AND ${isMeasured('p.value')}`;
const second = 'CAST(p.text_value AS double precision)';
const attributes = `(SELECT a.content FROM sample_groups g JOIN sample_attributes a ON a.id = g.attributes_id
  WHERE g.id = p.group_id)`;

const inRangeOf = ({ family }: Resource): string =>
  family === 'pair' ? `${ofRange} AND ${isMeasured(second)}` : ofRange;

const seriesSql = `SELECT id, provider, source_type, sub_series, floating_time FROM series WHERE account_id = ? AND resource = ?
  ORDER BY id`;

/** In each range, the samples whose attributes differ from those of the previous sample. */
const changesSql = (ranges: string): string => `SELECT q.place, q.time, a.content FROM (
    SELECT w.column1 AS place, p.time, g.attributes_id,
      LAG(g.attributes_id) OVER (PARTITION BY w.column1 ORDER BY p.time, p.sibling) AS before
    FROM (VALUES ${ranges}) AS w CROSS JOIN samples p JOIN sample_groups g ON g.id = p.group_id
    WHERE p.series_id = w.column2 AND p.time >= w.column3 AND p.time < w.column4) AS q
  JOIN sample_attributes a ON a.id = q.attributes_id
  WHERE q.before IS NULL OR q.before <> q.attributes_id ORDER BY q.place, q.time`;

type Row = { place: number; totals: string; first: string | null; last: string | null };
type End = readonly [time: number, attributes: string | null, value: number, second: number | null];

/** Computes statistics of samples in the database. */
@Injectable()
export class StatisticsReader {
  constructor(private readonly reader: Reader) {}

  series(account: number, resource: string): Promise<SourceSeries[]> {
    return this.reader.rows(seriesSql, [account, resource]);
  }

  /** Offsets at the start of each range, and wherever the attributes change within it. */
  async offsetsIn(ranges: readonly SeriesRange[]): Promise<SeenOffset[]> {
    const rows = await withRanges(ranges, (list, values) =>
      this.reader.rows<{ place: number; time: number; content: string }>(changesSql(list), values),
    );
    return rows.map(({ place, time, content }) => {
      return { seriesId: (ranges[place] as SeriesRange).seriesId, time, ahead: aheadOf(content) };
    });
  }

  /** For each of `ranges`, true if it contains a number. */
  async present(resource: Resource, ranges: readonly SeriesRange[]): Promise<boolean[]> {
    const found = ranges.map(() => false);
    const rows = await withRanges(ranges, (list, values) =>
      this.reader.rows<{ place: number; present: number | null }>(
        `SELECT w.column1 AS place, (SELECT 1 ${inRangeOf(resource)} LIMIT 1) AS present FROM (VALUES ${list}) AS w`,
        values,
      ),
    );
    for (const { place, present } of rows) found[place] = present !== null;
    return found;
  }

  /** Statistics of each of `ranges`; null for a range without a number. */
  statistics(resource: Resource, ranges: readonly SeriesRange[]): Promise<(PartStatistics | null)[]> {
    return this.each(resource, ranges, [], (part) => part);
  }

  /** The same for totals. */
  totals(resource: Resource, ranges: readonly SeriesRange[]): Promise<(TotalOfPart | null)[]> {
    const duration = 'COALESCE(p.duration_ms, 0)';
    const more = ['MIN(p.group_id)', 'MAX(p.group_id)', `SUM(${duration})`, `MAX(p.time + ${duration})`];
    return this.each(resource, ranges, more, (part, [first, last, ms = 0, end = 0]) => {
      return { ...part, isOneGroup: first === last, ms, end };
    });
  }

  private async each<T>(
    resource: Resource,
    ranges: readonly SeriesRange[],
    more: readonly string[],
    toPart: (part: PartStatistics, more: number[]) => T,
  ): Promise<(T | null)[]> {
    const isPair = resource.family === 'pair';
    const inRange = inRangeOf(resource);
    const numbers = ['p.value', ...(isPair ? [second] : [])];
    const wanted = resource.statistics === 'total' ? ['SUM'] : ['SUM', 'MIN', 'MAX'];
    const totals = ['COUNT(*)', ...numbers.flatMap((number) => wanted.map((name) => `${name}(${number})`)), ...more];
    const end = (order: string): string => {
      const query = `${inRange} ORDER BY p.time ${order}, p.sibling ${order} LIMIT 1`;
      return packed(this.reader.dialect, ['p.time', attributes, ...numbers], query);
    };
    const found: (T | null)[] = ranges.map(() => null);
    const rows = await withRanges(ranges, (list, values) =>
      this.reader.rows<Row>(
        `SELECT w.column1 AS place, ${packed(this.reader.dialect, totals, inRange)} AS totals,
          ${end('ASC')} AS first, ${end('DESC')} AS last
         FROM (VALUES ${list}) AS w`,
        values,
      ),
    );
    for (const row of rows) {
      if (row.first === null) continue;
      const others = more.length === 0 ? [] : (JSON.parse(row.totals) as number[]).slice(-more.length);
      found[row.place] = toPart(statisticsOf(row, wanted.length, isPair), others);
    }
    return found;
  }
}

/** Calls `read` with slices of the ranges, each as a list of places, series and times; returns all rows. */
export async function withRanges<T extends { place: number }>(
  ranges: readonly SeriesRange[],
  read: (list: string, values: number[]) => Promise<T[]>,
): Promise<T[]> {
  const rows: T[] = [];
  for (let from = 0; from < ranges.length; from += RANGES_A_STATEMENT) {
    const part = ranges.slice(from, from + RANGES_A_STATEMENT);
    const length = preparedLength(part.length);
    const values = part.flatMap(({ seriesId, start, end }, index) => [from + index, seriesId, start, end]);
    for (let more = part.length; more < length; more++) values.push(-1, 0, 0, 0);
    rows.push(...(await read(typedRows(rangeTypes, length), values)).filter(({ place }) => place >= 0));
  }
  return rows;
}

function statisticsOf(row: Row, width: number, isPair: boolean): PartStatistics {
  const [count = 0, ...totals] = JSON.parse(row.totals) as number[];
  const [firstAt, firstAttributes, ...first] = JSON.parse(row.first ?? '[]') as unknown as End;
  const [lastAt, lastAttributes, ...last] = JSON.parse(row.last ?? '[]') as unknown as End;
  const numbersAt = (index: 0 | 1): Numbers => {
    const [sum = 0, min = null, max = null] = totals.slice(index * width, (index + 1) * width);
    return { sum, min, max, first: first[index] ?? 0, last: last[index] ?? 0 };
  };
  const unit = unitOf(lastAttributes);
  const hasUnits = unit !== unitOf(firstAttributes);
  return {
    ...{ count, firstAt, lastAt, unit: hasUnits ? null : unit, hasUnits },
    value: numbersAt(0),
    second: isPair ? numbersAt(1) : null,
  };
}

function unitOf(content: string | null): string | null {
  const { unit } = JSON.parse(content ?? '{}') as { unit?: unknown };
  return typeof unit === 'string' ? unit : null;
}
