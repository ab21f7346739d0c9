import { Injectable } from '@nestjs/common';
import { mapInTurns } from '../../platform/platform/event-loop.js';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import type { TimeRange } from '../../platform/platform/time.js';
import { filledUp, placeholders, typedRows } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import { catalogue, hasNoWindow, isWhole, type Resource } from '../catalogue/catalogue.js';
import type { RankedSource } from '../priorities/source-priorities.service.js';
import type { ProviderDeliveryEntity } from '../records/record.entity.js';
import type { RecordsFilter } from './records.reader.js';
import {
  type RecordRead,
  type SampleRow,
  type SeriesRow,
  type SummaryRow,
  sampleFields,
  summaryFields,
  summaryFilter,
  toSampleRead,
  toSummaryRead,
} from './records.reader.js';

/**
 * `after` is the position of the last record of the previous page: day, provider, source type and id. If one record
 * represents a day, only the day is used, because a better source may have sent that day since.
 */
export interface LatestQuery extends RecordsFilter {
  readonly after: readonly string[] | null;
  readonly limit: number;
}

/** The newest record of a resource from one source. */
export interface NewestRecord {
  readonly resource: string;
  readonly provider: string;
  readonly time: number;
}

/** A stream, with the names of table columns. */
export interface StreamOfAccount {
  readonly account_id: number;
  readonly provider: string;
  readonly resource: string;
}

/** Latest times that do not count as future, for instants and for local days and times. Epoch milliseconds. */
export interface LatestTimes {
  readonly instant: number;
  readonly local: number;
}

const wholeResources = new Set(catalogue.filter(isWhole).map(({ name }) => name));
const STREAMS_A_STATEMENT = 1_000;
/** Index of the stream, account, provider, resource, latest time. */
const wantedTypes = ['bigint', 'bigint', 'text', 'text', 'bigint'];

const newestSample = `SELECT MAX((SELECT p.time + COALESCE(p.duration_ms, 0) FROM samples p WHERE p.series_id = s.id
    AND p.time <= wanted.column5 ORDER BY p.time DESC LIMIT 1))
  FROM series s WHERE s.account_id = wanted.column2 AND s.provider = wanted.column3 AND s.resource = wanted.column4`;

const newestSummary = `SELECT COALESCE(s.end_time, s.time) FROM summaries s
  WHERE s.account_id = wanted.column2 AND s.provider = wanted.column3 AND s.resource = wanted.column4
   AND s.time <= wanted.column5 ORDER BY s.time DESC LIMIT 1`;

/** Ignores future times, so that a device with a wrong clock hides no other; local times may be ahead of UTC. */
const newestTime = `(SELECT MAX(p.time) FROM samples p
  WHERE p.series_id = s.id AND p.time <= CASE s.floating_time WHEN 1 THEN CAST(? AS bigint) ELSE ? END)`;

const newestOfSeries = `SELECT s.id, s.resource, ${newestTime} AS time FROM series s WHERE s.account_id = ? ORDER BY s.id`;

const samplesAt = (places: string): string => `SELECT s.resource, ${sampleFields}, o.kind, o.ref, o.page
  FROM (SELECT DISTINCT * FROM (VALUES ${places}) AS given) AS wanted CROSS JOIN samples p JOIN series s ON s.id = p.series_id
  JOIN sample_groups g ON g.id = p.group_id JOIN sample_attributes a ON a.id = g.attributes_id
  JOIN observations o ON o.id = g.observation_id
  WHERE p.series_id = wanted.column1 AND p.time = wanted.column2 AND p.sibling = 0 ORDER BY s.id`;

const newestSummaries = (names: string): string => `SELECT s.resource, ${summaryFields}
  FROM (VALUES ${names}) AS wanted CROSS JOIN summaries s JOIN observations o ON o.id = s.observation_id
  WHERE s.account_id = ? AND s.resource = wanted.column1 AND s.time = (SELECT MAX(u.time) FROM summaries u
    WHERE u.account_id = ? AND u.resource = wanted.column1 AND u.time <= ?)
  ORDER BY s.version DESC, s.observation_id DESC, s.summary_id DESC`;

type OfDay = Resource['ofDay'];

/** The columns that sort records of days. Their values are the first, or all, of `LatestQuery.after`. */
function placeFields(ofDay: OfDay): readonly string[] {
  return ofDay === 'all' ? ['calendar_date', 'provider', 'source_type', 'summary_id'] : ['calendar_date'];
}

/** SQL for the rank of a row's source: 0 for the first of `sources` (best first), lower for each of the others. */
function placeOfSource(sources: readonly RankedSource[], alias: string): string {
  if (sources.length < 2) return '0';
  const places = sources.map((_, place) => `WHEN ${alias}.provider = ? AND ${alias}.source_type = ? THEN ${-place}`);
  return `CASE ${places.join(' ')} ELSE ${-sources.length} END`;
}

/**
 * The record with the highest rank represents its day: the one from the best source; within a source, the one that
 * upstream changed last; among equals, the one seen last. For sleep, naps rank below all other sleep, and the longest
 * sleep of the best source is the main one.
 */
function rankOf(ofDay: OfDay, alias: string, place: string): string {
  const changed = ['version', 'observation_id', 'summary_id'].map((column) => `${alias}.${column}`).join(', ');
  if (ofDay !== 'main_sleep') return `(${place}, ${changed})`;
  // The stored text is JSON without spaces, and no other field of a sleep has this value.
  const isNoNap = `CASE WHEN ${alias}.raw LIKE '%"type":"acknowledged_nap"%' THEN 0 ELSE 1 END`;
  return `(${isNoNap}, ${place}, COALESCE(${alias}.end_time, ${alias}.time) - ${alias}.time, ${changed})`;
}

/**
 * SQL condition: record `n` is shown for the day instead of `s`. If a day may have several records, only overlapping
 * ones of a better source replace them. Meals have no duration, so records at the same instant overlap too.
 */
function isBetter(ofDay: OfDay, sources: readonly RankedSource[]): string {
  const [own, other] = [placeOfSource(sources, 's'), placeOfSource(sources, 'n')];
  if (ofDay !== 'all') return `${rankOf(ofDay, 'n', other)} > ${rankOf(ofDay, 's', own)}`;
  const overlaps =
    '(n.time = s.time OR (n.time < COALESCE(s.end_time, s.time) AND COALESCE(n.end_time, n.time) > s.time))';
  return `${other} > ${own} AND ${overlaps}`;
}

/** Excludes the profile: its time is that of its last change and shows no activity of a device. */
const measured = (resource: Resource): boolean => isWhole(resource) && !hasNoWindow(resource);
const summaryNames = catalogue.filter(measured).map(({ name }) => `('${name}')`);

/** Exported for the test of its query plan. */
export const newestOfSource = `SELECT MAX(found.time) AS time FROM (
    SELECT (SELECT MAX(p.time) FROM samples p WHERE p.series_id = s.id AND p.time >= ? AND p.time < ?) AS time
    FROM series s WHERE s.account_id = ? AND s.provider = ?
    UNION ALL
    SELECT (SELECT MAX(u.time) FROM summaries u WHERE u.account_id = ? AND u.resource = wanted.column1
      AND u.provider = ? AND u.time >= ? AND u.time < ?) AS time
    FROM (VALUES ${summaryNames.join(', ')}) AS wanted
  ) AS found`;

/** Reads the records that represent calendar days, and the newest records. */
@Injectable()
export class LatestRecordsReader {
  constructor(private readonly reader: Reader) {}

  /** When a message last delivered data of each provider. */
  deliveries(): Promise<ProviderDeliveryEntity[]> {
    return this.reader.rows('SELECT provider, last_at FROM provider_deliveries');
  }

  /**
   * The summaries that represent each calendar day: the one from the best source or, if a day may have several, all
   * that no overlapping one from a better source replaces. Returns at most `limit`, sorted by day, provider, source
   * type and id. Never adds up values across sources. Applies filters before it chooses the record of a day. Excludes
   * objects without a day. `sources`: the sources of the records to choose from, best first.
   */
  async ofDays(query: LatestQuery, sources: readonly RankedSource[]): Promise<RecordRead[]> {
    const { ofDay } = query.resource;
    const place = placeFields(ofDay).map((field) => `s.${field}`);
    const after = place.map((_, index) => query.after?.[index] ?? '');
    const chosen = summaryFilter(query, 's');
    const better = summaryFilter(query, 'n');
    const ranked = sources.length < 2 ? [] : sources.flatMap(({ provider, sourceType }) => [provider, sourceType]);
    const rows = await this.reader.rows<SummaryRow>(
      `SELECT ${summaryFields} FROM summaries s JOIN observations o ON o.id = s.observation_id
       WHERE s.account_id = ? AND s.resource = ? AND s.calendar_date >= ?
        AND (${place.join(', ')}) > (${placeholders(place.length)}) ${chosen.and}
        AND NOT EXISTS (
          SELECT 1 FROM summaries n
          WHERE n.account_id = s.account_id AND n.resource = s.resource AND n.calendar_date = s.calendar_date
            AND ${isBetter(ofDay, sources)} ${better.and})
       ORDER BY ${place.join(', ')} LIMIT ?`,
      [
        ...[query.account, query.resource.name, after[0] ?? '', ...after],
        ...[...chosen.values, ...ranked, ...ranked, ...better.values, query.limit],
      ],
    );
    return mapInTurns(rows, toSummaryRead);
  }

  /** The sources of the records to choose from. */
  sourcesOf(query: LatestQuery): Promise<RankedSource[]> {
    const chosen = summaryFilter(query, 's');
    return this.reader.rows(
      `SELECT DISTINCT s.provider AS provider, s.source_type AS "sourceType" FROM summaries s
       WHERE s.account_id = ? AND s.resource = ? AND s.calendar_date >= ? ${chosen.and}`,
      [query.account, query.resource.name, query.after?.[0] ?? '', ...chosen.values],
    );
  }

  /** The time of the newest record of each resource and source, up to `atMost`. */
  async newest(account: number, atMost: LatestTimes): Promise<NewestRecord[]> {
    const [samples, summaries] = await Promise.all([
      this.reader.rows<NewestRecord>(
        `SELECT s.resource AS resource, s.provider AS provider, MAX(${newestTime}) AS time
         FROM series s WHERE s.account_id = ? GROUP BY s.resource, s.provider`,
        [atMost.local, atMost.instant, account],
      ),
      this.reader.rows<NewestRecord>(
        `SELECT resource, provider, MAX(time) AS time FROM summaries WHERE account_id = ? AND time <= ?
         GROUP BY resource, provider`,
        [account, atMost.local],
      ),
    ]);
    return [...samples, ...summaries].filter((row) => row.time !== null);
  }

  /** The newest records of each of these resources, up to `atMost`, by resource; all of a resource share a time. */
  async newestRecords(
    account: number,
    resources: readonly Resource[],
    atMost: LatestTimes,
  ): Promise<Map<string, RecordRead[]>> {
    const names = new Set(resources.map(({ name }) => name));
    const newest = new Map<string, (readonly [series: number, time: number])[]>();
    const series = await this.reader.rows<{ id: number; resource: string; time: number | null }>(newestOfSeries, [
      atMost.local,
      atMost.instant,
      account,
    ]);
    for (const { id, resource, time } of series) {
      if (time === null || !names.has(resource)) continue;
      const best = newest.get(resource)?.[0]?.[1] ?? Number.NEGATIVE_INFINITY;
      if (time > best) newest.set(resource, [[id, time]]);
      else if (time === best) newest.get(resource)?.push([id, time]);
    }
    const places = filledUp([...newest.values()].flat());
    const samples =
      newest.size === 0
        ? []
        : await this.reader.rows<SampleRow & SeriesRow & { resource: string }>(
            samplesAt(typedRows(['bigint', 'bigint'], places.length)),
            places.flat(),
          );
    const whole = resources.filter(isWhole).map(({ name }) => name);
    const summaries =
      whole.length === 0
        ? []
        : await this.reader.rows<SummaryRow & { resource: string }>(
            newestSummaries(typedRows(['text'], whole.length)),
            [...whole, account, account, atMost.local],
          );
    const reads = [
      ...samples.map((row) => [row.resource, toSampleRead(row, row)] as const),
      ...summaries.map((row) => [row.resource, toSummaryRead(row)] as const),
    ];
    return new Map(
      [...groupedBy(reads, ([resource]) => resource)].map(([name, own]) => [name, own.map(([, it]) => it)]),
    );
  }

  /** The time of the newest record of a source within a range; one seek per series and per summary resource. */
  async newestIn(tx: Tx, account: number, provider: string, { start, end }: TimeRange): Promise<number | null> {
    const [row] = await tx.rows<{ time: number | null }>(newestOfSource, [
      ...[start, end, account, provider],
      ...[account, provider, start, end],
    ]);
    return row?.time ?? null;
  }

  /** The end of the newest record of each stream, up to `atMost`; streams without records are omitted. */
  async newestEnds<S extends StreamOfAccount>(streams: readonly S[], atMost: number): Promise<Map<S, number>> {
    const samples = streams.filter(({ resource }) => !wholeResources.has(resource));
    const summaries = streams.filter(({ resource }) => wholeResources.has(resource));
    return new Map([
      ...(await this.newestEndsBy(newestSample, samples, atMost)),
      ...(await this.newestEndsBy(newestSummary, summaries, atMost)),
    ]);
  }

  private async newestEndsBy<S extends StreamOfAccount>(
    newest: string,
    streams: readonly S[],
    atMost: number,
  ): Promise<[S, number][]> {
    if (streams.length === 0) return [];
    if (streams.length > STREAMS_A_STATEMENT) {
      const rest = await this.newestEndsBy(newest, streams.slice(STREAMS_A_STATEMENT), atMost);
      return [...(await this.newestEndsBy(newest, streams.slice(0, STREAMS_A_STATEMENT), atMost)), ...rest];
    }
    const list = typedRows(wantedTypes, streams.length);
    const rows = await this.reader.rows<{ place: number; time: number | null }>(
      `SELECT wanted.column1 AS place, (${newest}) AS time FROM (VALUES ${list}) AS wanted`,
      streams.flatMap(({ account_id, provider, resource }, index) => [index, account_id, provider, resource, atMost]),
    );
    return rows.flatMap(({ place, time }) => {
      const stream = streams[place];
      return stream && time !== null ? [[stream, Math.min(time, atMost)] as [S, number]] : [];
    });
  }
}
