import { Injectable } from '@nestjs/common';
import { DAY_MS, HOUR_MS, type TimeRange } from '../../platform/platform/time.js';
import { shapeOf, valuesOf } from '../../storage/database/columns.js';
import { Reader } from '../../storage/database/reader.js';
import type { Queryable, Tx } from '../../storage/database/tx.js';
import type { Resource } from '../catalogue/catalogue.js';
import { inParts, type SeriesRange } from '../clock/series-ranges.js';
import { isCounted, numbersOf } from '../reads/counted-samples.reader.js';
import { SampleHourEntity } from '../records/record.entity.js';

/** An account with the time of its oldest sample of a resource. */
export interface OldestOfAccount {
  /** `accounts.id` */
  readonly account_id: number;
  readonly oldest: number | null;
}

/** Sums of the samples of a range with equal attributes. */
export interface SummedRow extends Omit<SampleHourEntity, 'time' | 'end_time' | 'sent_again_at'> {
  /** Index of the range. */
  readonly place: number;
  /** Number of samples with numbers that statistics count. */
  readonly numbers: number;
  /** The largest number of a sibling; 0 if no two samples have the same time. */
  readonly siblings: number;
}

export interface NewestOfSeries {
  readonly id: number;
  readonly provider: string;
  readonly newest: number | null;
}

const oldestOf = `(SELECT MIN(p.time) FROM samples p WHERE p.series_id = s.id AND p.time >= ?)`;

/** Samples without a group would not be counted, and thinning them fails. */
function summedSql(ranges: string, resource: Resource): string {
  const numbers = numbersOf(resource);
  const totals = numbers.map(
    ([of, of2]) => `SUM(${of}) AS sum${of2}, MIN(${of}) AS min${of2}, MAX(${of}) AS max${of2}`,
  );
  const at = (of: string, time: string): string =>
    `(SELECT ${of} FROM samples p WHERE p.series_id = t.series_id AND p.time = t.${time} AND p.sibling = 0)`;
  const ends = numbers.map(([of, of2]) => `${at(of, 'first_at')} AS first${of2}, ${at(of, 'last_at')} AS last${of2}`);
  return `SELECT t.*, ${ends.join(', ')} FROM (
      SELECT w.column1 AS place, w.column2 AS series_id, g.attributes_id, COUNT(*) AS count, ${totals.join(', ')},
        SUM(CASE WHEN ${isCounted(resource)} THEN 1 ELSE 0 END) AS numbers, MAX(p.sibling) AS siblings,
        MIN(p.time) AS first_at, MAX(p.time) AS last_at, MAX(g.observation_id) AS observation_id
      FROM (VALUES ${ranges}) AS w CROSS JOIN samples p JOIN sample_groups g ON g.id = p.group_id
      WHERE p.series_id = w.column2 AND p.time >= w.column3 AND p.time < w.column4
      GROUP BY w.column1, w.column2, g.attributes_id) AS t`;
}

const shape = shapeOf(SampleHourEntity);

/** Reads old samples, and replaces them by hours. */
@Injectable()
export class OldSamplesRepository {
  constructor(private readonly reader: Reader) {}

  /** The next accounts with series of a resource. */
  accounts(resource: string, after: number, limit: number): Promise<OldestOfAccount[]> {
    return this.reader.rows(
      `SELECT s.account_id, MIN(${oldestOf}) AS oldest FROM series s WHERE s.resource = ? AND s.account_id > ?
       GROUP BY s.account_id ORDER BY s.account_id LIMIT ?`,
      [Number.MIN_SAFE_INTEGER, resource, after, limit],
    );
  }

  /** Time of the oldest sample of an account from an instant on; null if there is none. */
  async oldest(account: number, resource: string, from: number): Promise<number | null> {
    const sql = `SELECT MIN(${oldestOf}) AS oldest FROM series s WHERE s.account_id = ? AND s.resource = ?`;
    return (await this.reader.row<{ oldest: number | null }>(sql, [from, account, resource]))?.oldest ?? null;
  }

  /** The newest sample of each series. */
  newest(tx: Tx, account: number, resource: string): Promise<NewestOfSeries[]> {
    return tx.rows(
      `SELECT s.id, s.provider, (SELECT MAX(p.time) FROM samples p WHERE p.series_id = s.id) AS newest FROM series s
       WHERE s.account_id = ? AND s.resource = ?`,
      [account, resource],
    );
  }

  summed(tx: Tx, ranges: readonly SeriesRange[], resource: Resource): Promise<SummedRow[]> {
    return inParts(ranges, (list, values) => tx.rows<SummedRow>(summedSql(list, resource), values));
  }

  /** Indexes of the ranges that overlap an hour that was thinned before. */
  async thinnedBefore(tx: Tx, ranges: readonly SeriesRange[]): Promise<number[]> {
    const rows = await inParts(ranges, (list, values) =>
      tx.rows<{ place: number }>(
        `SELECT w.column1 AS place FROM (VALUES ${list}) AS w WHERE EXISTS (SELECT 1 FROM sample_hours h
           WHERE h.series_id = w.column2 AND h.time < w.column4 AND h.time > w.column3 - ${HOUR_MS}
            AND h.end_time > w.column3)`,
        values,
      ),
    );
    return rows.map(({ place }) => place);
  }

  /**
   * Indexes of the ranges with a sample that looks did not show and about which it is not decided yet, also of holds.
   */
  async undecided(tx: Tx, account: number, resource: string, ranges: readonly SeriesRange[]): Promise<number[]> {
    const rows = await inParts(ranges, (list, values) =>
      tx.rows<{ place: number }>(
        `SELECT w.column1 AS place FROM (VALUES ${list}) AS w WHERE EXISTS (SELECT 1 FROM missing_records m
           WHERE m.account_id = ? AND m.resource = ? AND m.time >= w.column3 AND m.time < w.column4
            AND m.series_id = w.column2 AND m.state IN ('suspect', 'candidate', 'held'))`,
        [...values, account, resource],
      ),
    );
    return rows.map(({ place }) => place);
  }

  /** The UTC days of an account with hours, by source and resource; `at` is their start. */
  thinnedDays(
    account: number,
    { start, end }: TimeRange,
    source: Queryable = this.reader,
  ): Promise<{ resource: string; provider: string; at: number }[]> {
    return source.rows(
      `SELECT DISTINCT s.resource, s.provider, h.time - h.time % ${DAY_MS} AS at
       FROM series s JOIN sample_hours h ON h.series_id = s.id AND h.time >= ? AND h.time < ?
       WHERE s.account_id = ? AND s.thinned_until > ?`,
      [start, end, account, start],
    );
  }

  /** Stores hours and deletes the samples of `ranges`; returns the number of deleted samples. */
  async replace(tx: Tx, hours: readonly SampleHourEntity[], ranges: readonly SeriesRange[]): Promise<number> {
    await tx.bulk(shape, valuesOf(shape, hours));
    let deleted = 0;
    for (const { seriesId, start, end } of ranges) {
      const sql = 'DELETE FROM samples WHERE series_id = ? AND time >= ? AND time < ?';
      deleted += await tx.execute(sql, [seriesId, start, end]);
      const mark = `UPDATE series SET thinned_until = ? WHERE id = ? AND (thinned_until IS NULL OR thinned_until < ?)`;
      await tx.execute(mark, [end, seriesId, end]);
    }
    return deleted;
  }
}
