import { Injectable } from '@nestjs/common';
import { DAY_MS, dateOf, startOfDate } from '../../platform/platform/time.js';
import { placeholders } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import { catalogue, type Resource } from '../catalogue/catalogue.js';
import { observedAt } from './record.entity.js';

/** One source and resource; `resource` is a name of the catalogue. */
export interface StreamName {
  readonly provider: string;
  readonly resource: string;
}

/** Counts of records per source, resource and day; never their values. */
export interface RecordDay extends StreamName {
  /** `YYYY-MM-DD`: UTC of a sample, the calendar date of a summary that has one. */
  readonly date: string;
  readonly records: number;
  /** True when counting stopped: there are more. */
  readonly more: boolean;
}

/** Days as `YYYY-MM-DD`, both included. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** Stored records of a day from one source: their number, and when the newest was observed. */
export interface StoredOfDay {
  readonly provider: string;
  readonly records: number;
  /** Epoch milliseconds. */
  readonly observedAt: number;
}

/** Samples of one series and day are counted up to here, so that a year of heart rate takes a bounded time. */
export const COUNTED_A_DAY = 1_000;

/**
 * Maximum distance of a summary's time from its calendar date: a night begins the day before, and time zones differ.
 */
const SUMMARY_SLACK_MS = 2 * DAY_MS;

const summaryResources = catalogue.filter(({ family }) => family === 'summary').map(({ name }) => name);

/** Of the UTC day; the remainder of a time before 1970 is negative. */
const midnightOf = (time: string): string => `${time} - (${time} % ${DAY_MS} + ${DAY_MS}) % ${DAY_MS}`;
const midnight = midnightOf('h.time');
const firstFrom = (series: string, from: string): string =>
  `(SELECT MIN(p.time) FROM samples p WHERE p.series_id = ${series} AND p.time >= ${from} AND p.time < ?)`;

/**
 * Jumps from day to day through each series, one seek a day that has samples, and counts along the clustered key. Work
 * is bounded by series times days, not by samples: 2.6 million samples of a year in five series take 0.2 s on SQLite.
 */
const sampleDaysSql = `WITH RECURSIVE hop (series_id, provider, resource, time) AS (
    SELECT s.id, s.provider, s.resource, ${firstFrom('s.id', '?')}
    FROM series s WHERE s.account_id = ? AND s.resource = ?
    UNION ALL
    SELECT h.series_id, h.provider, h.resource, ${firstFrom('h.series_id', `${midnight} + ${DAY_MS}`)}
    FROM hop h WHERE h.time IS NOT NULL
  )
  SELECT provider, resource, day, CAST(SUM(records) AS bigint) AS records, MAX(records) AS most FROM (
    SELECT h.provider, h.resource, ${midnight} AS day, (SELECT COUNT(*) FROM (
      SELECT 1 FROM samples p WHERE p.series_id = h.series_id AND p.time >= h.time AND p.time < ${midnight} + ${DAY_MS}
      LIMIT ${COUNTED_A_DAY}) AS counted) AS records
    FROM hop h WHERE h.time IS NOT NULL) AS days
  GROUP BY provider, resource, day`;

const summaryDaysSql = `SELECT provider, resource, calendar_date, ${midnightOf('time')} AS day, COUNT(*) AS records
  FROM summaries WHERE account_id = ? AND resource IN (${placeholders(summaryResources.length)})
   AND time >= ? AND time < ?
  GROUP BY provider, resource, calendar_date, ${midnightOf('time')}`;

const seriesSql = 'SELECT DISTINCT provider, resource FROM series WHERE account_id = ?';

const samplesOfDaySql = `SELECT s.provider, COUNT(*) AS records, MAX(g.observation_id) AS observation
  FROM series s JOIN samples p ON p.series_id = s.id JOIN sample_groups g ON g.id = p.group_id
  WHERE s.account_id = ? AND s.resource = ? AND p.time >= ? AND p.time < ? GROUP BY s.provider`;

const summariesOfDaySql = `SELECT provider, COUNT(*) AS records, MAX(observation_id) AS observation FROM summaries
  WHERE account_id = ? AND resource = ? AND time >= ? AND time < ?
   AND (calendar_date = ? OR (calendar_date IS NULL AND time >= ? AND time < ?)) GROUP BY provider`;

/** Exported for the test that no query scans a full table. */
export const recordDaysSql = {
  samples: sampleDaysSql,
  summaries: summaryDaysSql,
  series: seriesSql,
  samplesOfDay: samplesOfDaySql,
  summariesOfDay: summariesOfDaySql,
} as const;

/** On which days records are stored. `account` is the internal number. */
@Injectable()
export class RecordDaysReader {
  constructor(private readonly reader: Reader) {}

  /** Every source and resource that ever had a sample. */
  sampledStreams(account: number): Promise<StreamName[]> {
    return this.reader.rows(seriesSql, [account]);
  }

  /** One resource at a time, so that no statement takes long. */
  async samples(account: number, resource: string, { from, to }: Days): Promise<RecordDay[]> {
    const end = startOfDate(to) + DAY_MS;
    const rows = await this.reader.rows<StreamName & { day: number; records: number; most: number }>(sampleDaysSql, [
      startOfDate(from),
      end,
      account,
      resource,
      end,
    ]);
    return rows.map(({ day, most, ...row }) => ({ ...row, date: dateOf(day), more: most >= COUNTED_A_DAY }));
  }

  async summaries(account: number, { from, to }: Days): Promise<RecordDay[]> {
    const rows = await this.reader.rows<StreamName & { calendar_date: string | null; day: number; records: number }>(
      summaryDaysSql,
      [account, ...summaryResources, startOfDate(from) - SUMMARY_SLACK_MS, startOfDate(to) + DAY_MS + SUMMARY_SLACK_MS],
    );
    return rows
      .map(({ calendar_date, day, ...row }) => ({ ...row, date: calendar_date ?? dateOf(day), more: false }))
      .filter(({ date }) => date >= from && date <= to);
  }
  /** By source; the newest observation that brought a record of the day. */
  async ofDay(account: number, resource: Resource, day: string): Promise<StoredOfDay[]> {
    const [start, end] = [startOfDate(day), startOfDate(day) + DAY_MS];
    const key = [account, resource.name];
    const isSummary = resource.family === 'summary';
    const near = [start - SUMMARY_SLACK_MS, end + SUMMARY_SLACK_MS];
    const rows = await this.reader.rows<{ provider: string; records: number; observation: number }>(
      isSummary ? summariesOfDaySql : samplesOfDaySql,
      isSummary ? [...key, ...near, day, start, end] : [...key, start, end],
    );
    return rows.map(({ provider, records, observation }) => ({
      provider,
      records,
      observedAt: observedAt(observation),
    }));
  }
}
