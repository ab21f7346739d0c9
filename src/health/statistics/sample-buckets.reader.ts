import { Injectable } from '@nestjs/common';
import { HOUR_MS } from '../../platform/platform/time.js';
import { Conditions } from '../../storage/database/conditions.js';
import { Reader } from '../../storage/database/reader.js';
import type { Resource } from '../catalogue/catalogue.js';
import { stepOf } from '../clock/offsets.reader.js';
import { SampleHours } from '../clock/sample-hours.reader.js';
import { inParts, type SeriesRange } from '../clock/series-ranges.js';
import { numbersOf } from '../reads/counted-samples.reader.js';
import { notSentAgain, ofBothUsers } from '../reads/earlier-samples.reader.js';
import { countedInRange } from './statistics.reader.js';

export interface SeriesOfBuckets {
  readonly id: number;
  readonly provider: string;
  readonly source_type: string;
  readonly sub_series: string;
  readonly floating_time: number;
  readonly thinned_until: number | null;
}

export interface SeriesFilter {
  readonly account: number;
  readonly resource: string;
  readonly provider: string | null;
  readonly sourceType: string | null;
}

/** Samples of a range with equal attributes in a span of time. */
export interface BucketRow {
  /** Index of the range. */
  readonly place: number;
  /** Start of the span, epoch milliseconds. */
  readonly slot: number;
  /** Attributes, as JSON. */
  readonly content: string;
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
}

/** By attributes, of which a series has few, because they contain the unit. */
const bucketsSql = (
  ranges: string,
  condition: string,
  number: string,
  every: number,
): string => `SELECT b.*, a.content FROM (
    SELECT w.column1 AS place, ${stepOf('p.time', every)} AS slot, g.attributes_id, COUNT(*) AS count,
      SUM(${number}) AS sum, MIN(${number}) AS min, MAX(${number}) AS max
    FROM (VALUES ${ranges}) AS w CROSS JOIN samples p JOIN sample_groups g ON g.id = p.group_id
    WHERE ${condition} GROUP BY 1, 2, 3) AS b
  JOIN sample_attributes a ON a.id = b.attributes_id`;

const firstSql = (ranges: string, resource: Resource): string => `SELECT w.column1 AS place,
    (SELECT p.time FROM samples p WHERE ${countedInRange(resource)} ORDER BY p.time LIMIT 1) AS time
  FROM (VALUES ${ranges}) AS w`;

/** Sums up samples by spans of time in the database. */
@Injectable()
export class SampleBucketsReader {
  constructor(
    private readonly reader: Reader,
    private readonly hours: SampleHours,
  ) {}

  /** The series of a resource by id. */
  async series(filter: SeriesFilter): Promise<ReadonlyMap<number, SeriesOfBuckets>> {
    const { where, values } = new Conditions()
      .add('account_id = ?', filter.account)
      .add('resource = ?', filter.resource)
      .add('provider = ?', filter.provider ?? undefined)
      .add('source_type = ?', filter.sourceType ?? undefined);
    const sql = `SELECT id, provider, source_type, sub_series, floating_time, thinned_until FROM series ${where}`;
    const rows = await this.reader.rows<SeriesOfBuckets>(sql, values);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /**
   * Time of the first number in the ranges, or of the first hour of thinned samples if spans of `every` can show it;
   * null if there is none.
   */
  async first(resource: Resource, ranges: readonly SeriesRange[], every: number): Promise<number | null> {
    const rows = await inParts(ranges, (list, values) =>
      this.reader.rows<{ place: number; time: number | null }>(firstSql(list, resource), values),
    );
    const thinned = showsHours(every) ? await this.hours.first(ranges) : null;
    const times = [...rows.map(({ time }) => time), thinned].flatMap((time) => time ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }

  /**
   * By range, span and attributes, in no order. `since`: first observation of the present upstream user; null if there
   * was no other one.
   */
  async buckets(
    resource: Resource,
    ranges: readonly SeriesRange[],
    every: number,
    since: number | null,
  ): Promise<BucketRow[]> {
    const isOfBoth = since !== null && (await ofBothUsers(this.reader, ranges, since)).includes(true);
    const counted = countedInRange(resource);
    const condition = isOfBoth ? `${counted} AND ${notSentAgain(since)}` : counted;
    const [[number] = ['']] = numbersOf(resource);
    const stored = await inParts(ranges, (list, values) =>
      this.reader.rows<BucketRow>(bucketsSql(list, condition, number, every), values),
    );
    const thinned = showsHours(every) ? await this.hours.in(ranges) : [];
    return [...stored, ...thinned.map((hour) => ({ ...hour, slot: Math.floor(hour.time / every) * every }))];
  }
}

/** Of thinned samples, only spans of complete hours can be told. */
function showsHours(every: number): boolean {
  return every % HOUR_MS === 0;
}
