import { Injectable } from '@nestjs/common';
import { mapInTurns } from '../../platform/platform/event-loop.js';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { dateAfter, startOfDate } from '../../platform/platform/time.js';
import { filledUp, placeholders } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import { CANDIDATES_A_READ, MAX_CANDIDATES_A_READ } from '../catalogue/tuning.js';
import type { RankedSource } from '../priorities/priority-rule.js';
import { noForecast, type SummaryRow, summaryFields, summaryFilter, toSummaryRead } from './records.reader.js';
import { type DayCandidate, shownOfDay, sleepOf } from './records-of-day.js';
import type { StandingOfDay } from './stored-day.js';
import type { RecordRead, RecordsFilter } from './stored-record.js';

/**
 * `after` is the position of the last record of the previous page: day, provider, source type and id; only the day if
 * one record represents a day, because a better source may have sent that day since.
 */
export interface RecordsOfDayQuery extends RecordsFilter {
  readonly after: readonly string[] | null;
  readonly limit: number;
}

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

/** Reads the records that represent calendar days. */
@Injectable()
export class RecordsOfDayReader {
  constructor(private readonly reader: Reader) {}

  /**
   * The summaries that represent each calendar day (records-of-day.ts), at most `limit`, sorted by day, provider,
   * source type and id. Never adds up values across sources. Applies filters before it chooses. Excludes objects
   * without a day. `sources`: the sources of the records to choose from, best first.
   */
  async ofDays(query: RecordsOfDayQuery, sources: readonly RankedSource[]): Promise<RecordRead[]> {
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
  async standingOf(query: RecordsOfDayQuery, sources: readonly RankedSource[]): Promise<StandingOfDay[]> {
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
    for await (const { own, shown } of this.judgedDays(query, sources, MAX_CANDIDATES_A_READ)) {
      for (const row of own.filter(({ id }) => !shown.has(id))) {
        add(row.date, row.provider, isEarlier(row, query) ? { superseded: 1 } : { hidden: 1 });
      }
    }
    for (const { date, provider, count } of await this.forecasts(query)) add(date, provider, { forecasts: count });
    return [...found.values()];
  }

  private forecasts({ account, resource, firstDay = null, lastDay = null }: RecordsOfDayQuery) {
    return this.reader.rows<{ date: string; provider: string; count: number }>(
      `SELECT calendar_date AS date, provider, COUNT(*) AS count FROM summaries s
       WHERE account_id = ? AND resource = ? AND calendar_date >= ? AND calendar_date <= ? AND NOT ${noForecast('s')}
       GROUP BY calendar_date, provider`,
      [account, resource.name, firstDay, lastDay],
    );
  }

  /** One day after the other, from that of `after` on; reads `size` rows at once. */
  private async *judgedDays(
    query: RecordsOfDayQuery,
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
  private async *candidatesByDay(query: RecordsOfDayQuery, from: string, size: number): AsyncGenerator<CandidateRow[]> {
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

  private candidates(query: RecordsOfDayQuery, from: string, limit: number): Promise<CandidateRow[]> {
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
  private async summaries(
    { account, resource }: RecordsOfDayQuery,
    rows: readonly CandidateRow[],
  ): Promise<RecordRead[]> {
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
  sourcesOf(of: RecordsOfDayQuery): Promise<RankedSource[]> {
    const query = withNeighbours(of);
    const chosen = summaryFilter(query, 's');
    return this.reader.rows(
      `SELECT DISTINCT s.provider AS provider, s.source_type AS "sourceType" FROM summaries s
       WHERE s.account_id = ? AND s.resource = ? AND s.calendar_date >= ? ${chosen.and}`,
      [query.account, query.resource.name, query.after?.[0] ?? '', ...chosen.values],
    );
  }
}

/** With the day before and the day after, where records of neighbouring days are compared. */
function withNeighbours(query: RecordsOfDayQuery): RecordsOfDayQuery {
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

function isEarlier({ observation }: CandidateRow, { earlierUntil }: RecordsOfDayQuery): boolean {
  return Boolean(earlierUntil) && observation < (earlierUntil ?? 0);
}

function candidateOf(row: CandidateRow, query: RecordsOfDayQuery, sources: readonly RankedSource[]): DayCandidate {
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
