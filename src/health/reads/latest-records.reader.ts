import { Injectable } from '@nestjs/common';
import { mapInTurns } from '../../platform/platform/event-loop.js';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { dateAfter, startOfDate, type TimeRange } from '../../platform/platform/time.js';
import { filledUp, placeholders, typedRows } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import { catalogue, hasNoWindow, isWhole, type Resource } from '../catalogue/catalogue.js';
import type { RankedSource } from '../priorities/priority-rule.js';
import type { ProviderDeliveryEntity } from '../records/record.entity.js';
import {
  type SampleRow,
  type SeriesRow,
  type SummaryRow,
  sampleFields,
  summaryFields,
  summaryFilter,
  toSampleRead,
  toSummaryRead,
} from './records.reader.js';
import { type DayCandidate, shownOfDay, sleepOf } from './records-of-day.js';
import type { StandingOfDay } from './stored-day.js';
import type { NewestRecord, RecordRead, RecordsFilter } from './stored-record.js';

/**
 * `after` is the position of the last record of the previous page: day, provider, source type and id; only the day if
 * one record represents a day, because a better source may have sent that day since.
 */
export interface LatestQuery extends RecordsFilter {
  readonly after: readonly string[] | null;
  readonly limit: number;
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

/** Size of a read, before it is decided which record stands for a day. */
const CANDIDATES_A_READ = 4;

/** True for a summary that is a forecast; without spaces, as it is stored. */
const isForecast = `raw LIKE '%"is_predicted":true%'`;
const forecastNames = catalogue.filter(({ hasForecasts }) => hasForecasts).map(({ name }) => `'${name}'`);
/** SQL condition: the summary of alias is no forecast. */
export const noForecast = (alias: string): string =>
  `(${alias}.resource NOT IN (${forecastNames.join(', ')}) OR NOT ${alias}.${isForecast})`;

/** Candidates per read where every day is wanted. */
const CANDIDATES_OF_DAYS = 500;

interface CandidateRow {
  readonly id: string;
  readonly date: string;
  readonly time: number;
  readonly end_time: number | null;
  readonly provider: string;
  readonly source_type: string;
  readonly version: number;
  readonly observation: number;
  readonly kind: string | null;
}

/** The records of one date, and the ids of those that are shown for it. */
interface JudgedDay {
  readonly own: readonly CandidateRow[];
  readonly shown: ReadonlySet<string>;
}

const newestSample = `SELECT MAX((SELECT p.time + COALESCE(p.duration_ms, 0) FROM samples p WHERE p.series_id = s.id
    AND p.time <= wanted.column5 ORDER BY p.time DESC LIMIT 1))
  FROM series s WHERE s.account_id = wanted.column2 AND s.provider = wanted.column3 AND s.resource = wanted.column4`;

const newestSummary = `SELECT COALESCE(s.end_time, s.time) FROM summaries s
  WHERE s.account_id = wanted.column2 AND s.provider = wanted.column3 AND s.resource = wanted.column4
   AND s.time <= wanted.column5 AND ${noForecast('s')} ORDER BY s.time DESC LIMIT 1`;

/** Ignores future times, so that a device with a wrong clock hides no other; local times may be ahead of UTC. */
const newestTime = `(SELECT MAX(p.time) FROM samples p
  WHERE p.series_id = s.id AND p.time <= CASE s.floating_time WHEN 1 THEN CAST(? AS bigint) ELSE ? END)`;

const newestOfSeries = `SELECT s.id, s.resource, s.floating_time, ${newestTime} AS time FROM series s WHERE s.account_id = ? ORDER BY s.id`;

const samplesAt = (places: string): string => `SELECT s.resource, ${sampleFields}, o.kind, o.ref, o.page
  FROM (SELECT DISTINCT * FROM (VALUES ${places}) AS given) AS wanted CROSS JOIN samples p JOIN series s ON s.id = p.series_id
  JOIN sample_groups g ON g.id = p.group_id JOIN sample_attributes a ON a.id = g.attributes_id
  JOIN observations o ON o.id = g.observation_id
  WHERE p.series_id = wanted.column1 AND p.time = wanted.column2 AND p.sibling = 0 ORDER BY s.id`;

const newestSummaries = (names: string): string => `SELECT s.resource, ${summaryFields}
  FROM (VALUES ${names}) AS wanted CROSS JOIN summaries s JOIN observations o ON o.id = s.observation_id
  WHERE s.account_id = ? AND s.resource = wanted.column1 AND s.time = (SELECT u.time FROM summaries u
    WHERE u.account_id = ? AND u.resource = wanted.column1 AND u.time <= ? AND ${noForecast('u')}
    ORDER BY u.time DESC LIMIT 1) AND ${noForecast('s')}
  ORDER BY s.version DESC, s.observation_id DESC, s.summary_id DESC`;

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
   * The summaries that represent each calendar day (records-of-day.ts), at most `limit`, sorted by day, provider,
   * source type and id. Never adds up values across sources. Applies filters before it chooses. Excludes objects
   * without a day. `sources`: the sources of the records to choose from, best first.
   */
  async ofDays(query: LatestQuery, sources: readonly RankedSource[]): Promise<RecordRead[]> {
    const { after, limit } = query;
    const isAfter = (row: CandidateRow): boolean => {
      if (after === null) return true;
      const place = [row.date, row.provider, row.source_type, row.id].slice(0, after.length);
      const different = place.findIndex((part, index) => part !== after[index]);
      return different >= 0 && (place[different] as string) > (after[different] ?? '');
    };
    const chosen: CandidateRow[] = [];
    for await (const { own, shown } of this.judgedDays(query, sources, CANDIDATES_A_READ * limit)) {
      chosen.push(
        ...own
          .filter(({ id }) => shown.has(id))
          .sort(byPlace)
          .filter(isAfter),
      );
      if (chosen.length >= limit) break;
    }
    return this.summaries(query, chosen.slice(0, limit));
  }

  /** By date and source, the summaries from `firstDay` to `lastDay` of the query that are not shown; without zeros. */
  async standingOf(query: LatestQuery, sources: readonly RankedSource[]): Promise<StandingOfDay[]> {
    const { resource } = query;
    const found = new Map<string, StandingOfDay>();
    const add = (date: string, provider: string, more: Partial<StandingOfDay>): void => {
      const { hidden = 0, superseded = 0, forecasts = 0 } = found.get(`${date} ${provider}`) ?? {};
      found.set(`${date} ${provider}`, {
        ...{ provider, date },
        hidden: hidden + (more.hidden ?? 0),
        superseded: superseded + (more.superseded ?? 0),
        forecasts: forecasts + (more.forecasts ?? 0),
      });
    };
    for await (const { own, shown } of this.judgedDays(query, sources, CANDIDATES_OF_DAYS)) {
      for (const row of own.filter(({ id }) => !shown.has(id))) {
        add(row.date, row.provider, isEarlier(row, query) ? { superseded: 1 } : { hidden: 1 });
      }
    }
    for (const { date, provider, count } of resource.hasForecasts ? await this.forecasts(query) : [])
      add(date, provider, { forecasts: count });
    return [...found.values()];
  }

  private forecasts({ account, resource, firstDay = null, lastDay = null }: LatestQuery) {
    return this.reader.rows<{ date: string; provider: string; count: number }>(
      `SELECT calendar_date AS date, provider, COUNT(*) AS count FROM summaries
       WHERE account_id = ? AND resource = ? AND calendar_date >= ? AND calendar_date <= ? AND ${isForecast}
       GROUP BY calendar_date, provider`,
      [account, resource.name, firstDay, lastDay],
    );
  }

  /** One day after the other, from that of `after` on; reads `size` rows at once. */
  private async *judgedDays(
    query: LatestQuery,
    sources: readonly RankedSource[],
    size: number,
  ): AsyncGenerator<JudgedDay> {
    const { resource, firstDay, lastDay } = query;
    const from = query.after?.[0] ?? '';
    const isWanted = ([first]: readonly CandidateRow[]): boolean => {
      const date = first?.date;
      return date !== undefined && date >= from && date >= (firstDay ?? date) && date <= (lastDay ?? date);
    };
    const judged = (own: readonly CandidateRow[], around: readonly CandidateRow[]): JudgedDay => {
      const all = around.map((row) => candidateOf(row, query, sources));
      return { own, shown: new Set(shownOfDay(resource.ofDay, all).map(({ id }) => id)) };
    };
    const wide = withNeighbours(query);
    let [before, own] = [[] as CandidateRow[], [] as CandidateRow[]];
    for await (const next of this.candidatesByDay(wide, wide.after?.[0] ?? '', size)) {
      if (resource.ofDay === 'latest') yield judged(next, next);
      else if (isWanted(own)) yield judged(own, [...before, ...own, ...next].filter(isNear(own)));
      [before, own] = [own, next];
    }
    if (resource.ofDay !== 'latest' && isWanted(own)) yield judged(own, [...before, ...own].filter(isNear(own)));
  }

  /** The candidates of one day after the other, from a date on; reads `size` rows at once. */
  private async *candidatesByDay(query: LatestQuery, from: string, size: number): AsyncGenerator<CandidateRow[]> {
    for (;;) {
      const rows = await this.candidates(query, from, size);
      const isAll = rows.length < size;
      const last = rows.at(-1)?.date ?? '';
      const days = groupedBy(isAll ? rows : rows.filter(({ date }) => date !== last), ({ date }) => date);
      yield* days.values();
      if (isAll) return;
      // A day may have more records than were read.
      if (days.size === 0) size *= CANDIDATES_A_READ;
      from = last;
    }
  }

  private candidates(query: LatestQuery, from: string, limit: number): Promise<CandidateRow[]> {
    const chosen = summaryFilter(query, 's');
    return this.reader.rows(
      `SELECT s.summary_id AS id, s.calendar_date AS date, s.time, s.end_time, s.provider, s.source_type, s.version,
        s.observation_id AS observation, s.kind
       FROM summaries s WHERE s.account_id = ? AND s.resource = ? AND s.calendar_date >= ? ${chosen.and}
        AND ${noForecast('s')}
       ORDER BY s.calendar_date, s.summary_id LIMIT ?`,
      [query.account, query.resource.name, from, ...chosen.values, limit],
    );
  }

  /** The full rows, in the given order. */
  private async summaries({ account, resource }: LatestQuery, rows: readonly CandidateRow[]): Promise<RecordRead[]> {
    if (rows.length === 0) return [];
    const ids = filledUp(rows.map(({ id }) => id));
    const found = await this.reader.rows<SummaryRow>(
      `SELECT ${summaryFields} FROM summaries s JOIN observations o ON o.id = s.observation_id
       WHERE s.account_id = ? AND s.resource = ? AND s.summary_id IN (${placeholders(ids.length)})`,
      [account, resource.name, ...ids],
    );
    const byId = new Map(found.map((row) => [row.summary_id, row]));
    return mapInTurns(
      rows.flatMap(({ id }) => byId.get(id) ?? []),
      toSummaryRead,
    );
  }

  /** The sources of the records to choose from. */
  sourcesOf(of: LatestQuery): Promise<RankedSource[]> {
    const query = withNeighbours(of);
    const chosen = summaryFilter(query, 's');
    return this.reader.rows(
      `SELECT DISTINCT s.provider AS provider, s.source_type AS "sourceType" FROM summaries s
       WHERE s.account_id = ? AND s.resource = ? AND s.calendar_date >= ? ${chosen.and}`,
      [query.account, query.resource.name, query.after?.[0] ?? '', ...chosen.values],
    );
  }

  /** The time of the newest record of each resource and source, up to `atMost`; floating times as they are. */
  async newest(account: number, atMost: LatestTimes): Promise<(NewestRecord & { readonly floating?: number })[]> {
    const [samples, summaries] = await Promise.all([
      this.reader.rows<NewestRecord & { floating: number }>(
        `SELECT s.resource AS resource, s.provider AS provider, MAX(s.floating_time) AS floating,
          MAX(${newestTime}) AS time
         FROM series s WHERE s.account_id = ? GROUP BY s.resource, s.provider`,
        [atMost.local, atMost.instant, account],
      ),
      this.reader.rows<NewestRecord>(
        `SELECT resource, provider, MAX(time) AS time FROM summaries s WHERE account_id = ? AND time <= ?
          AND resource NOT IN (${forecastNames.join(', ')}) GROUP BY resource, provider
         UNION ALL
         SELECT resource, provider, MAX(time) AS time FROM summaries WHERE account_id = ? AND time <= ?
          AND resource IN (${forecastNames.join(', ')}) AND NOT ${isForecast} GROUP BY resource, provider`,
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

/** With the day before and the day after, where records of neighbouring days are compared. */
function withNeighbours(query: LatestQuery): LatestQuery {
  if (query.resource.ofDay === 'latest') return query;
  const { firstDay, lastDay, after } = query;
  const next = (date: string, days: number): string => (Number.isNaN(startOfDate(date)) ? date : dateAfter(date, days));
  return {
    ...query,
    firstDay: firstDay ? next(firstDay, -1) : null,
    lastDay: lastDay ? next(lastDay, 1) : null,
    after: after && [next(after[0] ?? '', -1)],
  };
}

/** True for a record that can overlap one of these, which are of one date. */
function isNear([first]: readonly CandidateRow[]): (row: CandidateRow) => boolean {
  const date = first?.date ?? '';
  return (row) => row.date === date || row.date === dateAfter(date, -1) || row.date === dateAfter(date, 1);
}

function isEarlier({ observation }: CandidateRow, { earlierUntil }: LatestQuery): boolean {
  return Boolean(earlierUntil) && observation < (earlierUntil ?? 0);
}

function candidateOf(row: CandidateRow, query: LatestQuery, sources: readonly RankedSource[]): DayCandidate {
  const place = sources.findIndex((one) => one.provider === row.provider && one.sourceType === row.source_type);
  return {
    ...row,
    endTime: row.end_time,
    sleep: sleepOf(row.kind),
    source: place < 0 ? sources.length : place,
    earlier: isEarlier(row, query) ? 1 : 0,
  };
}

function byPlace(a: CandidateRow, b: CandidateRow): number {
  return compare(a.provider, b.provider) || compare(a.source_type, b.source_type) || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
