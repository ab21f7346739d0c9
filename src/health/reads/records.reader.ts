import { Injectable } from '@nestjs/common';
import { mapInTurns } from '../../platform/platform/event-loop.js';
import { DAY_MS } from '../../platform/platform/time.js';
import { Conditions } from '../../storage/database/conditions.js';
import { type SqlInput, typedRows } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import { catalogue, isWhole } from '../catalogue/catalogue.js';
import { MAX_SAMPLES_A_READ } from '../catalogue/tuning.js';
import { observedAt } from '../records/observation-ids.js';
import { fromTextValue } from '../records/record.entity.js';
import { withoutSuperseded } from './earlier-samples.reader.js';
import type {
  LastEndQuery,
  RecordOrder,
  RecordProvenance,
  RecordRead,
  RecordsFilter,
  RecordsQuery,
  SampleRead,
  SummaryRead,
} from './stored-record.js';

/** SQL operators and keywords of each order. */
const directions = {
  oldest: { from: '>=', beyond: '>', until: '<=', sorted: 'ASC', edge: 'MIN', begin: Number.MIN_SAFE_INTEGER },
  newest: { from: '<=', beyond: '<', until: '>=', sorted: 'DESC', edge: 'MAX', begin: Number.MAX_SAFE_INTEGER },
} as const;

const rangeTypes = ['bigint', 'bigint', 'bigint'];

export interface SeriesRow {
  id: number;
  provider: string;
  source_type: string;
  sub_series: string;
  floating_time: number;
}

interface ProvenanceRow {
  observation_id: number;
  kind: string;
  ref: number;
  page: number | null;
}

export interface SampleRow extends ProvenanceRow {
  time: number;
  sibling: number;
  value: number | null;
  text_value: string | null;
  duration_ms: number | null;
  content: string;
  device_id: string;
  workout_id: string;
  sport: string;
}

export interface SummaryRow extends ProvenanceRow {
  summary_id: string;
  time: number;
  end_time: number | null;
  calendar_date: string | null;
  provider: string;
  source_type: string;
  floating_time: number;
  version: number;
  raw: string;
}

/** True for a summary of these resources that is a forecast; without spaces, as it is stored. */
export const saysForecast = `raw LIKE '%"is_predicted":true%'`;
export const forecastNames = catalogue.filter(({ hasForecasts }) => hasForecasts).map(({ name }) => `'${name}'`);
/** SQL condition: the summary of alias is no forecast. Those of other resources are marked when they are stored. */
export const noForecast = (alias: string): string =>
  `(COALESCE(${alias}.kind, '') <> 'forecast'
    AND (${alias}.resource NOT IN (${forecastNames.join(', ')}) OR NOT ${alias}.${saysForecast}))`;

/**
 * Maximum distance of a summary's time from its calendar date: a night begins the day before, and time zones differ.
 */
export const SUMMARY_SLACK_MS = 2 * DAY_MS;
/** The summaries whose day, without a calendar date, is that of their end. */
const nights = catalogue.filter(({ ofNight }) => ofNight).map(({ name }) => `'${name}'`);
/** SQL: the time by which a summary without a calendar date belongs to a day. */
export const timeOfUndated = (alias: string): string =>
  `CASE WHEN ${alias}.resource IN (${nights.join(', ')}) THEN COALESCE(${alias}.end_time, ${alias}.time)
    ELSE ${alias}.time END`;

const endOf = (alias: string): string => `COALESCE(${alias}.end_time, ${alias}.time)`;
/**
 * A SELECT of the summaries of the same source that cover at least half of `s` and are of a later upstream user, whose
 * first observation is the number or expression `later`.
 */
export const supersedingSql = (
  later: string,
): string => `SELECT 1 FROM summaries n WHERE n.account_id = s.account_id AND n.resource = s.resource
   AND n.observation_id >= ${later} AND n.provider = s.provider AND n.source_type = s.source_type
   AND n.time >= s.time - ${2 * DAY_MS} AND n.time <= ${endOf('s')}
   AND 2 * (CASE WHEN ${endOf('n')} < ${endOf('s')} THEN ${endOf('n')} ELSE ${endOf('s')} END
    - CASE WHEN n.time > s.time THEN n.time ELSE s.time END) >= ${endOf('s')} - s.time`;

/** Reads records in pages that stay correct while rows are inserted. */
@Injectable()
export class RecordsReader {
  constructor(private readonly reader: Reader) {}

  /** At most `limit` records by time, then series and sibling or summary id, in either order. */
  list(query: RecordsQuery): Promise<RecordRead[]> {
    return isWhole(query.resource) ? this.summaries(query) : this.samples(query);
  }

  /** The time of a stored summary in epoch milliseconds; null if no summary has this id. */
  async timeOf(account: number, resource: string, summaryId: string): Promise<number | null> {
    const row = await this.reader.row<{ time: number }>(
      'SELECT time FROM summaries WHERE account_id = ? AND resource = ? AND summary_id = ?',
      [account, resource, summaryId],
    );
    return row?.time ?? null;
  }

  /** The last end of the records; null if none has an end. */
  async lastEnd(tx: Tx, { account, resource, provider, start, end, until }: LastEndQuery): Promise<number | null> {
    const sql = isWhole(resource)
      ? `SELECT MAX(end_time) AS at FROM summaries WHERE account_id = ? AND resource = ? AND provider = ?
         AND time >= ? AND time < ? AND end_time <= ?`
      : `SELECT MAX(p.time + p.duration_ms) AS at FROM series s JOIN samples p ON p.series_id = s.id
         WHERE s.account_id = ? AND s.resource = ? AND s.provider = ?
         AND p.time >= ? AND p.time < ? AND p.time + p.duration_ms <= ?`;
    const [row] = await tx.rows<{ at: number | null }>(sql, [account, resource.name, provider, start, end, until]);
    return row?.at ?? null;
  }

  /** Uses one statement for any number of series, see {@link samplesPage}. */
  private async samples(query: RecordsQuery): Promise<RecordRead[]> {
    const { earlierUntil, limit, resource } = query;
    const kept: (SampleRow & SeriesRow)[] = [];
    for (let { after } = query, size = limit; kept.length < limit; size = Math.max(limit, MAX_SAMPLES_A_READ)) {
      const { sql, values } = samplesPage({ ...query, after, limit: size });
      const rows = await this.reader.rows<SampleRow & SeriesRow>(sql, values);
      kept.push(...(earlierUntil ? await withoutSuperseded(this.reader, resource, rows, earlierUntil) : rows));
      const last = rows.at(-1);
      if (!last || rows.length < size) break;
      after = [last.time, last.id, last.sibling];
    }
    return mapInTurns(kept.slice(0, limit), (row) => toSampleRead(row, row));
  }

  private async summaries(query: RecordsQuery): Promise<RecordRead[]> {
    const filter = summaryFilter(query, 's');
    const { earlierUntil } = query;
    const present = earlierUntil ? `AND (s.observation_id >= ? OR NOT EXISTS (${supersedingSql('?')}))` : '';
    const { from, beyond: past, sorted, begin } = directions[query.order ?? 'oldest'];
    const [afterTime, afterKey] = query.after?.length === 2 ? query.after : [begin, ''];
    const rows = await this.reader.rows<SummaryRow>(
      `SELECT ${summaryFields} FROM summaries s JOIN observations o ON o.id = s.observation_id
       WHERE s.account_id = ? AND s.resource = ? AND s.time ${from} ? AND (s.time ${past} ? OR s.summary_id ${past} ?)
        ${filter.and} ${present} ORDER BY s.time ${sorted}, s.summary_id ${sorted} LIMIT ?`,
      [
        ...[query.account, query.resource.name, afterTime, afterTime, afterKey, ...filter.values],
        ...[...(earlierUntil ? [earlierUntil, earlierUntil] : []), query.limit],
      ],
    );
    return mapInTurns(rows, toSummaryRead);
  }
}

/** Condition for rows after a position in the order of time, series and sibling. */
function afterPlace(alias: string, { from, beyond }: (typeof directions)[RecordOrder]): string {
  return `${alias}.time ${from} ? AND (${alias}.time ${beyond} ? OR ${alias}.series_id ${beyond} ?
  OR (${alias}.series_id = ? AND ${alias}.sibling ${beyond} ?))`;
}

/**
 * A page of the samples of all series of a resource, by time, series and sibling. Each series is clustered by time: a
 * page-sized run of its rows ends at some time, and the page cannot extend past the earliest of these ends. The
 * series are read up to that time and sorted together, so at most one page of each is read.
 */
function samplesPage(query: RecordsQuery): { sql: string; values: SqlInput[] } {
  const { account, resource, provider, sourceType, start, end, limit, order = 'oldest' } = query;
  const direction = directions[order];
  const { until, sorted, edge, begin } = direction;
  const [time, series, sibling] = query.after?.length === 3 ? query.after : [begin, 0, -1];
  const [first, last] = [start ?? Number.MIN_SAFE_INTEGER, (end ?? Number.MAX_SAFE_INTEGER) - 1];
  const place = [order === 'oldest' ? Math.max(time, first) : Math.min(time, last), time, series, series, sibling];
  const stop = order === 'oldest' ? last : first;
  const chosen = new Conditions()
    .add('s.account_id = ?', account)
    .add('s.resource = ?', resource.name)
    .add('s.provider = ?', provider ?? undefined)
    .add('s.source_type = ?', sourceType ?? undefined);
  const { ranges } = query;
  const within = (alias: string): string =>
    ranges
      ? `AND EXISTS (SELECT 1 FROM (VALUES ${typedRows(rangeTypes, ranges.length)}) AS wanted
         WHERE wanted.column1 = ${alias}.series_id AND ${alias}.time >= wanted.column2 AND ${alias}.time < wanted.column3)`
      : '';
  const parts = (ranges ?? []).flatMap(({ seriesId, start: from, end: to }) => [seriesId, from, to]);
  const pageOfEach = `SELECT (SELECT q.time FROM samples q WHERE q.series_id = s.id AND ${afterPlace('q', direction)}
      AND q.time ${until} ? ${within('q')} ORDER BY q.time ${sorted}, q.sibling ${sorted} LIMIT 1 OFFSET ?) AS time FROM series s ${chosen.where}`;
  const sql = `SELECT page.*, g.observation_id, a.content, a.device_id, a.workout_id, a.sport, o.kind, o.ref, o.page
    FROM (
      SELECT s.id, s.provider, s.source_type, s.sub_series, s.floating_time, p.time, p.sibling, p.value,
        p.text_value, p.duration_ms, p.group_id
      FROM series s JOIN samples p ON p.series_id = s.id
      ${chosen.where} AND ${afterPlace('p', direction)} ${within('p')}
       AND p.time ${until} COALESCE((SELECT ${edge}(each.time) FROM (${pageOfEach}) AS each), ?)
      ORDER BY p.time ${sorted}, s.id ${sorted}, p.sibling ${sorted} LIMIT ?) AS page
    JOIN sample_groups g ON g.id = page.group_id
    JOIN sample_attributes a ON a.id = g.attributes_id JOIN observations o ON o.id = g.observation_id
    ORDER BY page.time ${sorted}, page.id ${sorted}, page.sibling ${sorted}`;
  const bounds = [...place, stop, ...parts, Math.max(0, limit - 1), ...chosen.values];
  return { sql, values: [...chosen.values, ...place, ...parts, ...bounds, stop, limit] };
}

/** Conditions of a query on the summaries table with alias `alias`. */
export function summaryFilter(query: RecordsFilter, alias: string): Conditions {
  const { firstDay, lastDay, undated } = query;
  const ofDays = new Conditions();
  if (undated) {
    const own = timeOfUndated(alias);
    ofDays
      .add(`${alias}.time >= ?`, undated.start - SUMMARY_SLACK_MS)
      .add(`${alias}.time < ?`, undated.end + SUMMARY_SLACK_MS)
      .add(
        `(${alias}.calendar_date BETWEEN ? AND ? OR (${alias}.calendar_date IS NULL AND ${own} >= ? AND ${own} < ?))`,
        ...[firstDay ?? undefined, lastDay ?? undefined, undated.start, undated.end],
      );
  } else {
    ofDays
      .add(`${alias}.calendar_date >= ?`, firstDay ?? undefined)
      .add(`${alias}.calendar_date <= ?`, lastDay ?? undefined);
  }
  return ofDays
    .add(`${alias}.time >= ?`, query.start ?? undefined)
    .add(`${alias}.time < ?`, query.end ?? undefined)
    .add(`${alias}.provider = ?`, query.provider ?? undefined)
    .add(`${alias}.source_type = ?`, query.sourceType ?? undefined);
}

/** Columns of series `s`, samples `p`, their groups `g` and attributes `a`. */
export const sampleFields = `s.id, s.provider, s.source_type, s.sub_series, s.floating_time, p.time, p.sibling, p.value,
  p.text_value, p.duration_ms, g.observation_id, a.content, a.device_id, a.workout_id, a.sport`;

/** Columns of summaries `s` and their observations `o`. */
export const summaryFields = `s.summary_id, s.time, s.end_time, s.calendar_date, s.provider, s.source_type,
  s.floating_time, s.version, s.raw, s.observation_id, o.kind, o.ref, o.page`;

function provenanceOf(row: ProvenanceRow): RecordProvenance {
  return { kind: row.kind, ref: row.ref, page: row.page, observedAt: observedAt(row.observation_id) };
}

export function toSampleRead(series: SeriesRow, row: SampleRow): SampleRead {
  return {
    kind: 'sample',
    seriesId: series.id,
    sibling: row.sibling,
    time: row.time,
    endTime: row.duration_ms === null ? null : row.time + row.duration_ms,
    provider: series.provider,
    sourceType: series.source_type,
    deviceId: row.device_id,
    workoutId: row.workout_id,
    sport: row.sport,
    subSeries: series.sub_series,
    floatingTime: series.floating_time === 1,
    value: row.value,
    ...fromTextValue(row.value, row.text_value),
    attributes: JSON.parse(row.content) as Record<string, unknown>,
    provenance: provenanceOf(row),
  };
}

export function toSummaryRead(row: SummaryRow): SummaryRead {
  return {
    kind: 'summary',
    summaryId: row.summary_id,
    time: row.time,
    endTime: row.end_time,
    calendarDate: row.calendar_date,
    updatedAt: row.version === 0 ? null : Math.floor(row.version / 1000),
    provider: row.provider,
    sourceType: row.source_type,
    floatingTime: row.floating_time === 1,
    raw: JSON.parse(row.raw) as Record<string, unknown>,
    size: row.raw.length,
    provenance: provenanceOf(row),
  };
}
