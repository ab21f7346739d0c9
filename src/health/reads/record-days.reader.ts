import { Injectable } from '@nestjs/common';
import { DAY_MS, HOUR_MS, startOfDate } from '../../platform/platform/time.js';
import { placeholders, preparedLength, typedRows } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import { catalogue, type Resource } from '../catalogue/catalogue.js';
import { aheadOf } from '../catalogue/records.js';
import { observedAt } from '../records/record.entity.js';
import { type DaySpan, OFFSET_REACH_MS } from './day-spans.js';

/** One source and resource; `resource` is a name from the catalogue. */
export interface StreamName {
  readonly provider: string;
  readonly resource: string;
}

/** Counts of records per source, resource and day; never their values. */
export interface RecordDay extends StreamName {
  /** `YYYY-MM-DD`: the day of the person, or the calendar date of a summary that has one. */
  readonly date: string;
  readonly records: number;
  /** True if counting stopped at the limit, so there may be more. */
  readonly more: boolean;
}

/** Days as `YYYY-MM-DD`, both inclusive. */
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

/** How far the local time of a stored sample was ahead of UTC, in milliseconds; null if it has no valid offset. */
export interface SeenOffset {
  readonly seriesId: number;
  readonly time: number;
  readonly ahead: number | null;
}

/** Maximum number of samples counted per series and day, so that counting a year of heart rate takes bounded time. */
export const COUNTED_A_DAY = 1_000;

/**
 * Maximum distance of a summary's time from its calendar date: a night begins the day before, and time zones differ.
 */
export const SUMMARY_SLACK_MS = 2 * DAY_MS;

const summaryResources = catalogue.filter(({ family }) => family === 'summary').map(({ name }) => name);
const forecast = catalogue
  .filter(({ hasForecasts }) => hasForecasts)
  .map(({ name }) => `'${name}'`)
  .join(', ');
/** Forecasts are not received. The stored text is JSON without spaces. */
const received = `(resource NOT IN (${forecast}) OR raw NOT LIKE '%"is_predicted":true%')`;

/** Interval at which offsets are read: short enough that the hour of a clock change is nearly always on its own day. */
const OFFSET_STEP_MS = 6 * HOUR_MS;

/** Start of the step that contains a time. Handles times before 1970, whose remainder is negative. */
const stepOf = (time: string): string =>
  `${time} - (${time} % ${OFFSET_STEP_MS} + ${OFFSET_STEP_MS}) % ${OFFSET_STEP_MS}`;
const firstFrom = (series: string, from: string): string =>
  `(SELECT MIN(p.time) FROM samples p WHERE p.series_id = ${series} AND p.time >= ${from} AND p.time < ?)`;

/**
 * The first sample in each step of each series, and the last sample of each series, with their attributes. Costs one
 * seek per step with samples. Excludes series with floating time, which have no true offset.
 */
const offsetsSql = (ofSeries: string): string => `WITH RECURSIVE hop (series_id, time) AS (
    SELECT s.id, ${firstFrom('s.id', '?')} FROM series s WHERE ${ofSeries} AND s.floating_time = 0
    UNION ALL
    SELECT h.series_id, ${firstFrom('h.series_id', `${stepOf('h.time')} + ${OFFSET_STEP_MS}`)}
    FROM hop h WHERE h.time IS NOT NULL
  ), seen (series_id, time) AS (
    SELECT series_id, time FROM hop
    UNION SELECT s.id, (SELECT MAX(p.time) FROM samples p WHERE p.series_id = s.id AND p.time >= ? AND p.time < ?)
    FROM series s WHERE ${ofSeries} AND s.floating_time = 0
  )
  SELECT h.series_id, h.time, (SELECT a.content FROM samples p JOIN sample_groups g ON g.id = p.group_id
      JOIN sample_attributes a ON a.id = g.attributes_id
      WHERE p.series_id = h.series_id AND p.time = h.time ORDER BY p.sibling LIMIT 1) AS attributes
  FROM seen h WHERE h.time IS NOT NULL`;

const offsetsOfResourceSql = offsetsSql('s.account_id = ? AND s.resource = ?');
const offsetsOfAccountSql = offsetsSql('s.account_id = ?');

/** Floating times are local, so they are compared with local midnight. */
const bound = (of: 'day_start' | 'day_end', floating: string): string =>
  `CASE s.floating_time WHEN 1 THEN ${floating} ELSE d.${of} END`;

/** Counts along the clustered key. The work is bounded by the number of series and days, not of samples. */
const sampleDaysSql = (days: number): string => `WITH days (midnight, day_start, day_end) AS
    (VALUES ${typedRows(['bigint', 'bigint', 'bigint'], days)})
  SELECT provider, resource, midnight, CAST(SUM(records) AS bigint) AS records, MAX(records) AS most FROM (
    SELECT s.provider, s.resource, d.midnight, (SELECT COUNT(*) FROM (
      SELECT 1 FROM samples p WHERE p.series_id = s.id AND p.time >= ${bound('day_start', 'd.midnight')}
        AND p.time < ${bound('day_end', `d.midnight + ${DAY_MS}`)}
      LIMIT ${COUNTED_A_DAY}) AS counted) AS records
    FROM series s CROSS JOIN days d WHERE s.account_id = ? AND s.resource = ?) AS found
  GROUP BY provider, resource, midnight HAVING SUM(records) > 0`;

/** Groups summaries with a calendar date by date, others by time. */
const summaryDaysSql = `SELECT provider, resource, calendar_date, MIN(time) AS time, COUNT(*) AS records
  FROM summaries WHERE account_id = ? AND resource IN (${placeholders(summaryResources.length)})
   AND time >= ? AND time < ? AND ${received}
  GROUP BY provider, resource, calendar_date, CASE WHEN calendar_date IS NULL THEN time END`;

const seriesSql = 'SELECT DISTINCT provider, resource FROM series WHERE account_id = ?';

const samplesOfDaySql = `SELECT s.provider, COUNT(*) AS records, MAX(g.observation_id) AS observation
  FROM series s JOIN samples p ON p.series_id = s.id JOIN sample_groups g ON g.id = p.group_id
  WHERE s.account_id = ? AND s.resource = ? AND p.time >= CASE s.floating_time WHEN 1 THEN CAST(? AS bigint) ELSE ? END
   AND p.time < CASE s.floating_time WHEN 1 THEN CAST(? AS bigint) ELSE ? END GROUP BY s.provider`;

const summariesOfDaySql = `SELECT provider, COUNT(*) AS records, MAX(observation_id) AS observation FROM summaries
  WHERE account_id = ? AND resource = ? AND time >= ? AND time < ?
   AND (calendar_date = ? OR (calendar_date IS NULL AND time >= ? AND time < ?)) AND ${received} GROUP BY provider`;

/** Exported for the test that no query scans a full table. */
export const recordDaysSql = {
  samples: sampleDaysSql(1),
  offsets: offsetsOfResourceSql,
  offsetsOfAccount: offsetsOfAccountSql,
  summaries: summaryDaysSql,
  series: seriesSql,
  samplesOfDay: samplesOfDaySql,
  summariesOfDay: summariesOfDaySql,
} as const;

/** Finds the days on which records are stored. `account` is `accounts.id`. */
@Injectable()
export class RecordDaysReader {
  constructor(private readonly reader: Reader) {}

  /** Every combination of source and resource that ever had a sample. */
  sampledStreams(account: number): Promise<StreamName[]> {
    return this.reader.rows(seriesSql, [account]);
  }

  /** UTC offsets of samples near these days, one per series and six hours. Null `resource`: of all resources. */
  async offsets(account: number, resource: string | null, { from, to }: Days): Promise<SeenOffset[]> {
    const start = startOfDate(from) - OFFSET_REACH_MS - DAY_MS;
    const end = startOfDate(to) + OFFSET_REACH_MS + 2 * DAY_MS;
    const of = [account, ...(resource === null ? [] : [resource])];
    const rows = await this.reader.rows<{ series_id: number; time: number; attributes: string | null }>(
      resource === null ? offsetsOfAccountSql : offsetsOfResourceSql,
      [start, end, ...of, end, start, end, ...of],
    );
    return rows.map(({ series_id: seriesId, time, attributes }) => ({ seriesId, time, ahead: aheadOf(attributes) }));
  }

  /** Number of samples per source and day. Takes one resource at a time, so that no statement takes long. */
  async samples(account: number, resource: string, days: readonly DaySpan[]): Promise<RecordDay[]> {
    const dates = new Map(days.map(({ date }) => [startOfDate(date), date]));
    const length = preparedLength(days.length);
    const nowhere = Array.from({ length: length - days.length }, () => [0, 0, 0]);
    const rows = await this.reader.rows<StreamName & { midnight: number; records: number; most: number }>(
      sampleDaysSql(length),
      [...days.map(({ date, start, end }) => [startOfDate(date), start, end]), ...nowhere, account, resource].flat(),
    );
    return rows.flatMap(({ midnight, most, ...row }) => {
      const date = dates.get(midnight);
      return date === undefined ? [] : [{ ...row, date, more: most >= COUNTED_A_DAY }];
    });
  }

  /** Number of summaries per source, resource and day. A summary without a date belongs to the day span of its time. */
  async summaries(account: number, days: readonly DaySpan[]): Promise<RecordDay[]> {
    const [from, to] = [days[0]?.date ?? '', days.at(-1)?.date ?? ''];
    const rows = await this.reader.rows<StreamName & { calendar_date: string | null; time: number; records: number }>(
      summaryDaysSql,
      [account, ...summaryResources, startOfDate(from) - SUMMARY_SLACK_MS, startOfDate(to) + DAY_MS + SUMMARY_SLACK_MS],
    );
    const counts = new Map<string, RecordDay>();
    for (const { provider, resource, calendar_date, time, records } of rows) {
      const date = calendar_date ?? days.find(({ start, end }) => time >= start && time < end)?.date;
      if (date === undefined || date < from || date > to) continue;
      const key = [date, resource, provider].join(' ');
      const before = counts.get(key)?.records ?? 0;
      counts.set(key, { provider, resource, date, records: before + records, more: false });
    }
    return [...counts.values()];
  }

  /** Number and newest observation of the records of a day, by source. */
  async ofDay(account: number, resource: Resource, { date, start, end }: DaySpan): Promise<StoredOfDay[]> {
    const midnight = startOfDate(date);
    const key = [account, resource.name];
    const near = [midnight - SUMMARY_SLACK_MS, midnight + DAY_MS + SUMMARY_SLACK_MS];
    const isSummary = resource.family === 'summary';
    const rows = await this.reader.rows<{ provider: string; records: number; observation: number }>(
      isSummary ? summariesOfDaySql : samplesOfDaySql,
      isSummary ? [...key, ...near, date, start, end] : [...key, midnight, start, midnight + DAY_MS, end],
    );
    return rows.map(({ provider, records, observation }) => ({
      provider,
      records,
      observedAt: observedAt(observation),
    }));
  }
}
