import { Injectable } from '@nestjs/common';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import type { TimeRange } from '../../platform/platform/time.js';
import { filledUp, typedRows } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import { catalogue, hasNoWindow, isWhole, type Resource } from '../catalogue/catalogue.js';
import { MAX_STREAMS_A_STATEMENT } from '../catalogue/tuning.js';
import type { ProviderDeliveryEntity } from '../records/record.entity.js';
import { isCountedOf } from './counted-samples.reader.js';
import {
  forecastNames,
  noForecast,
  type SampleRow,
  type SeriesRow,
  type SummaryRow,
  sampleFields,
  saysForecast,
  summaryFields,
  toSampleRead,
  toSummaryRead,
} from './records.reader.js';
import type { NewestRecord, RecordRead } from './stored-record.js';

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
/** Index of the stream, account, provider, resource, latest time. */
const wantedTypes = ['bigint', 'bigint', 'text', 'text', 'bigint'];

const newestSample = `SELECT MAX((SELECT p.time + COALESCE(p.duration_ms, 0) FROM samples p WHERE p.series_id = s.id
    AND p.time <= wanted.column5 ORDER BY p.time DESC LIMIT 1))
  FROM series s WHERE s.account_id = wanted.column2 AND s.provider = wanted.column3 AND s.resource = wanted.column4`;

const newestSummary = `SELECT COALESCE(s.end_time, s.time) FROM summaries s
  WHERE s.account_id = wanted.column2 AND s.provider = wanted.column3 AND s.resource = wanted.column4
   AND s.time <= wanted.column5 AND ${noForecast('s')} ORDER BY s.time DESC LIMIT 1`;

/** Ignores future times, so that a device with a wrong clock hides no other; local times may be ahead of UTC. */
const newestTime = (condition = ''): string => `(SELECT MAX(p.time) FROM samples p
  WHERE p.series_id = s.id AND p.time <= CASE s.floating_time WHEN 1 THEN CAST(? AS bigint) ELSE ? END ${condition})`;

const newestOfSeries = `SELECT s.id, s.resource, s.floating_time, ${newestTime(`AND ${isCountedOf('s.resource')}`)} AS time FROM series s WHERE s.account_id = ? ORDER BY s.id`;

const samplesAt = (places: string): string => `SELECT s.resource, ${sampleFields}, o.kind, o.ref, o.page
  FROM (SELECT DISTINCT * FROM (VALUES ${places}) AS given) AS wanted CROSS JOIN samples p JOIN series s ON s.id = p.series_id
  JOIN sample_groups g ON g.id = p.group_id JOIN sample_attributes a ON a.id = g.attributes_id
  JOIN observations o ON o.id = g.observation_id
  WHERE p.series_id = wanted.column1 AND p.time = wanted.column2 AND ${isCountedOf('s.resource')}
  ORDER BY s.id, p.sibling`;

const newestSummaries = (names: string): string => `SELECT s.resource, ${summaryFields}
  FROM (VALUES ${names}) AS wanted CROSS JOIN summaries s JOIN observations o ON o.id = s.observation_id
  WHERE s.account_id = ? AND s.resource = wanted.column1 AND s.time = (SELECT u.time FROM summaries u
    WHERE u.account_id = ? AND u.resource = wanted.column1 AND u.time <= ? AND ${noForecast('u')}
    ORDER BY u.time DESC LIMIT 1) AND ${noForecast('s')}
  ORDER BY s.version DESC, s.observation_id DESC, s.summary_id DESC`;

/** Excludes the profile: its time is that of its last change and shows no activity of a device. */
const measured = (resource: Resource): boolean => isWhole(resource) && !hasNoWindow(resource);
const summaryNames = catalogue.filter(measured).map(({ name }) => `('${name}')`);

const newestOfSource = `SELECT MAX(found.time) AS time FROM (
    SELECT (SELECT MAX(p.time) FROM samples p WHERE p.series_id = s.id AND p.time >= ? AND p.time < ?) AS time
    FROM series s WHERE s.account_id = ? AND s.provider = ?
    UNION ALL
    SELECT (SELECT MAX(u.time) FROM summaries u WHERE u.account_id = ? AND u.resource = wanted.column1
      AND u.provider = ? AND u.time >= ? AND u.time < ?) AS time
    FROM (VALUES ${summaryNames.join(', ')}) AS wanted
  ) AS found`;

/** Reads the newest records. */
@Injectable()
export class NewestRecordsReader {
  constructor(private readonly reader: Reader) {}

  /** When a message last delivered data of each provider. */
  deliveries(): Promise<ProviderDeliveryEntity[]> {
    return this.reader.rows('SELECT provider, last_at FROM provider_deliveries');
  }

  /** The time of the newest record of each resource and source, up to `atMost`; floating times as they are. */
  async newest(account: number, atMost: LatestTimes): Promise<(NewestRecord & { readonly floating?: number })[]> {
    const [samples, summaries] = await Promise.all([
      this.reader.rows<NewestRecord & { floating: number }>(
        `SELECT s.resource AS resource, s.provider AS provider, MAX(s.floating_time) AS floating,
          MAX(${newestTime()}) AS time
         FROM series s WHERE s.account_id = ? GROUP BY s.resource, s.provider`,
        [atMost.local, atMost.instant, account],
      ),
      this.reader.rows<NewestRecord>(
        `SELECT resource, provider, MAX(time) AS time FROM summaries WHERE account_id = ? AND time <= ?
          AND resource NOT IN (${forecastNames.join(', ')}) GROUP BY resource, provider
         UNION ALL
         SELECT resource, provider, MAX(time) AS time FROM summaries WHERE account_id = ? AND time <= ?
          AND resource IN (${forecastNames.join(', ')}) AND NOT ${saysForecast} GROUP BY resource, provider`,
        [account, atMost.local, account, atMost.local],
      ),
    ]);
    return [...samples, ...summaries].filter((row) => row.time !== null);
  }

  /**
   * The newest records of each of these resources, up to `atMost`, by resource. Those with true times share one time,
   * and so do those with floating time.
   */
  async newestRecords(
    account: number,
    resources: readonly Resource[],
    atMost: LatestTimes,
  ): Promise<Map<string, RecordRead[]>> {
    const names = new Set(resources.map(({ name }) => name));
    const newest = new Map<string, (readonly [series: number, time: number])[]>();
    const series = await this.reader.rows<{
      id: number;
      resource: string;
      floating_time: number;
      time: number | null;
    }>(newestOfSeries, [atMost.local, atMost.instant, account]);
    for (const { id, resource, floating_time, time } of series) {
      if (time === null || !names.has(resource)) continue;
      const kind = `${resource} ${floating_time}`;
      const best = newest.get(kind)?.[0]?.[1] ?? Number.NEGATIVE_INFINITY;
      if (time > best) newest.set(kind, [[id, time]]);
      else if (time === best) newest.get(kind)?.push([id, time]);
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
    if (streams.length > MAX_STREAMS_A_STATEMENT) {
      const rest = await this.newestEndsBy(newest, streams.slice(MAX_STREAMS_A_STATEMENT), atMost);
      return [...(await this.newestEndsBy(newest, streams.slice(0, MAX_STREAMS_A_STATEMENT), atMost)), ...rest];
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
