import { Injectable } from '@nestjs/common';
import { isWhole, type Resource } from '../catalogue/catalogue.js';
import { Conditions } from '../database/conditions.js';
import { Reader } from '../database/reader.js';
import { observedAt } from './record.entity.js';

/** What to read; times in epoch milliseconds, start included, end excluded; days both included. */
export interface RecordsFilter {
  readonly account: number;
  readonly resource: Resource;
  readonly start: number | null;
  readonly end: number | null;
  /** Calendar days as `YYYY-MM-DD`, for summaries that name theirs. */
  readonly firstDay?: string | null;
  readonly lastDay?: string | null;
  readonly provider: string | null;
  readonly sourceType: string | null;
}

type SampleAfter = readonly [time: number, seriesId: number, sibling: number];
type SummaryAfter = readonly [time: number, summaryId: string];

/** `after` is the last record of the page before. */
export interface RecordsQuery extends RecordsFilter {
  readonly after: SampleAfter | SummaryAfter | null;
  readonly limit: number;
}

/** Where a record came from and when that was seen; epoch milliseconds. */
export interface RecordProvenance {
  readonly kind: string;
  /** `messages.seq` or the id of the pull task. */
  readonly ref: number;
  readonly page: number | null;
  readonly observedAt: number;
}

interface RecordBase {
  readonly time: number;
  readonly endTime: number | null;
  readonly provider: string;
  readonly sourceType: string;
  readonly floatingTime: boolean;
  readonly provenance: RecordProvenance;
}

export interface SampleRead extends RecordBase {
  readonly kind: 'sample';
  readonly seriesId: number;
  /** Number among the samples of this series and time. */
  readonly sibling: number;
  readonly deviceId: string;
  readonly workoutId: string;
  readonly sport: string;
  readonly subSeries: string;
  readonly value: number | null;
  readonly value2: number | null;
  readonly text: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface SummaryRead extends RecordBase {
  readonly kind: 'summary';
  readonly summaryId: string;
  readonly calendarDate: string | null;
  /** Upstream's `updated_at`, epoch milliseconds. */
  readonly updatedAt: number | null;
  readonly raw: Readonly<Record<string, unknown>>;
}

export type RecordRead = SampleRead | SummaryRead;

/** The newest record of a resource from one source. */
export interface NewestRecord {
  readonly resource: string;
  readonly provider: string;
  readonly time: number;
}

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
  value2: number | null;
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

/** The read side of records: oldest first, in pages that stay correct while rows are inserted. */
@Injectable()
export class RecordsReader {
  constructor(private readonly reader: Reader) {}

  /** At most `limit` records by time, then series and sibling or summary id. */
  list(query: RecordsQuery): Promise<RecordRead[]> {
    return isWhole(query.resource) ? this.summaries(query) : this.samples(query);
  }

  /** The time of a stored summary in epoch milliseconds; null where there is none with this id. */
  async timeOf(account: number, resource: string, summaryId: string): Promise<number | null> {
    const row = await this.reader.row<{ time: number }>(
      'SELECT time FROM summaries WHERE account_id = ? AND resource = ? AND summary_id = ?',
      [account, resource, summaryId],
    );
    return row?.time ?? null;
  }

  /** For each resource and source the time of its newest record. */
  async newest(account: number): Promise<NewestRecord[]> {
    const samples = await this.reader.rows<NewestRecord>(
      `SELECT s.resource AS resource, s.provider AS provider,
        MAX((SELECT MAX(p.time) FROM samples p WHERE p.series_id = s.id)) AS time
       FROM series s WHERE s.account_id = ? GROUP BY s.resource, s.provider`,
      [account],
    );
    const summaries = await this.reader.rows<NewestRecord>(
      `SELECT resource, provider, MAX(time) AS time FROM summaries WHERE account_id = ? GROUP BY resource, provider`,
      [account],
    );
    return [...samples, ...summaries].filter((row) => row.time !== null);
  }

  /** Each series is clustered by time, so a page is the merge of the first rows of each. */
  private async samples(query: RecordsQuery): Promise<RecordRead[]> {
    const source = new Conditions()
      .add('provider = ?', query.provider ?? undefined)
      .add('source_type = ?', query.sourceType ?? undefined);
    const series = await this.reader.rows<SeriesRow>(
      `SELECT id, provider, source_type, sub_series, floating_time
       FROM series WHERE account_id = ? AND resource = ? ${source.and}`,
      [query.account, query.resource.name, ...source.values],
    );
    const pages = await Promise.all(series.map((row) => this.ofSeries(row, query)));
    return pages
      .flat()
      .sort((a, b) => a.time - b.time || a.seriesId - b.seriesId || a.sibling - b.sibling)
      .slice(0, query.limit);
  }

  private async ofSeries(series: SeriesRow, query: RecordsQuery): Promise<SampleRead[]> {
    const [afterTime, afterSeries, afterSibling] =
      query.after?.length === 3 ? query.after : [Number.MIN_SAFE_INTEGER, 0, 0];
    const from = series.id < afterSeries ? afterTime + 1 : afterTime;
    const sibling = series.id === afterSeries ? afterSibling : -1;
    const rows = await this.reader.rows<SampleRow>(
      `SELECT ${sampleFields}, o.kind, o.ref, o.page
       FROM samples p JOIN sample_attributes a ON a.id = p.attributes_id JOIN observations o ON o.id = p.observation_id
       WHERE p.series_id = ? AND p.time >= ? AND (p.time > ? OR p.sibling > ?) AND p.time < ?
       ORDER BY p.time, p.sibling LIMIT ?`,
      [
        ...[series.id, Math.max(from, query.start ?? from), from, sibling],
        ...[query.end ?? Number.MAX_SAFE_INTEGER, query.limit],
      ],
    );
    return rows.map((row) => toSampleRead(series, row));
  }

  private async summaries(query: RecordsQuery): Promise<RecordRead[]> {
    const filter = summaryFilter(query, 's');
    const [afterTime, afterKey] = query.after?.length === 2 ? query.after : [Number.MIN_SAFE_INTEGER, ''];
    const rows = await this.reader.rows<SummaryRow>(
      `SELECT ${summaryFields} FROM summaries s JOIN observations o ON o.id = s.observation_id
       WHERE s.account_id = ? AND s.resource = ? AND s.time >= ? AND (s.time > ? OR s.summary_id > ?) ${filter.and}
       ORDER BY s.time, s.summary_id LIMIT ?`,
      [query.account, query.resource.name, afterTime, afterTime, afterKey, ...filter.values, query.limit],
    );
    return rows.map(toSummaryRead);
  }
}

/** What a query wants of the summaries that it names `alias`. */
export function summaryFilter(query: RecordsFilter, alias: string): Conditions {
  return new Conditions()
    .add(`${alias}.time >= ?`, query.start ?? undefined)
    .add(`${alias}.time < ?`, query.end ?? undefined)
    .add(`${alias}.calendar_date >= ?`, query.firstDay ?? undefined)
    .add(`${alias}.calendar_date <= ?`, query.lastDay ?? undefined)
    .add(`${alias}.provider = ?`, query.provider ?? undefined)
    .add(`${alias}.source_type = ?`, query.sourceType ?? undefined);
}

/** Of summaries `s` and their observations `o`. */
export const summaryFields = `s.summary_id, s.time, s.end_time, s.calendar_date, s.provider, s.source_type,
  s.floating_time, s.version, s.raw, s.observation_id, o.kind, o.ref, o.page`;

/** Of samples `p` and their attributes `a`. */
export const sampleFields = `p.time, p.sibling, p.value, p.value2, p.text_value, p.duration_ms, p.observation_id, a.content,
  a.device_id, a.workout_id, a.sport`;

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
    value2: row.value2,
    text: row.text_value,
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
    provenance: provenanceOf(row),
  };
}
