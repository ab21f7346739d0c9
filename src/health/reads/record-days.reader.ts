import { Injectable } from '@nestjs/common';
import { DAY_MS, startOfDate } from '../../platform/platform/time.js';
import { filledUp, placeholders, typedRows } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import { catalogue, coveredResources, MAX_SPREAD_MS, type Resource, resourceByName } from '../catalogue/catalogue.js';
import { MAX_ATTRIBUTES_A_STATEMENT, MAX_COUNTED_A_DAY } from '../catalogue/tuning.js';
import { measureOf } from '../catalogue/units.js';
import type { DaySpan } from '../clock/day-spans.js';
import { offsetsOf } from '../clock/offsets.reader.js';
import type { SeriesSlot } from '../clock/person-clocks.service.js';
import { SampleHours } from '../clock/sample-hours.reader.js';
import { inParts, type SeriesRange } from '../clock/series-ranges.js';
import { hidden } from '../records/hidden-records.repository.js';
import { observedAt } from '../records/observation-ids.js';

import { isCounted } from './counted-samples.reader.js';
import { supersededIn } from './earlier-samples.reader.js';
import { noForecast, SUMMARY_SLACK_MS, timeOfUndated } from './records.reader.js';
import type { DayMeasure, RecordDay, StandingOfDay, StoredOfDay, StreamName } from './stored-day.js';

const summaryResources = catalogue.filter(({ family }) => family === 'summary').map(({ name }) => name);
/** Forecasts are not received. */
const received = noForecast('summaries');

const timeOfDay = timeOfUndated('summaries');

const inSlot = 'FROM samples p WHERE p.series_id = w.column2 AND p.time >= w.column3 AND p.time < w.column4';

/** Counts along the clustered key. The work is bounded by the number of series and days, not of samples. */
const sampleDaysSql = (slots: string): string => `SELECT w.column1 AS place,
    (SELECT COUNT(*) FROM (SELECT 1 ${inSlot} LIMIT ${MAX_COUNTED_A_DAY}) AS counted) AS records
  FROM (VALUES ${slots}) AS w`;

const samplesOfDaySql = (slots: string): string => `SELECT w.column1 AS place, (SELECT COUNT(*) ${inSlot}) AS records,
    (SELECT MAX(g.observation_id) FROM samples p JOIN sample_groups g ON g.id = p.group_id
      WHERE p.series_id = w.column2 AND p.time >= w.column3 AND p.time < w.column4) AS observation
  FROM (VALUES ${slots}) AS w`;

/** Number of samples, at most of the first ones, that do not count. */
const uncountedSql = (slots: string, resource: Resource): string => `SELECT w.column1 AS place,
    (SELECT COUNT(*) FROM (SELECT p.value, p.text_value ${inSlot} LIMIT ${MAX_COUNTED_A_DAY}) AS q
      WHERE NOT (${isCounted(resource, 'q')})) AS records
  FROM (VALUES ${slots}) AS w`;

/** The same of intervals that began before a slot and reach into it (statistics/day-totals.ts). */
const reachingSql = (slots: string): string => {
  const reaching = `FROM samples p JOIN sample_groups g ON g.id = p.group_id WHERE p.series_id = w.column2
    AND p.time >= w.column3 - ${MAX_SPREAD_MS} AND p.time < w.column3
    AND p.duration_ms <= ${MAX_SPREAD_MS} AND p.time + p.duration_ms > w.column3`;
  return `SELECT w.column1 AS place, (SELECT COUNT(*) ${reaching}) AS records,
    (SELECT MAX(g.observation_id) ${reaching}) AS observation FROM (VALUES ${slots}) AS w`;
};

/** The attributes among the first samples of a slot, as a JSON list of their numbers; null or empty without samples. */
const attributesSql = (slots: string, list: string): string => `SELECT w.column1 AS place,
    CAST((SELECT ${list}(DISTINCT g.attributes_id) FROM (SELECT p.group_id ${inSlot} LIMIT ${MAX_COUNTED_A_DAY}) AS q
      JOIN sample_groups g ON g.id = q.group_id) AS text) AS attributes
  FROM (VALUES ${slots}) AS w`;

/** Groups summaries with a calendar date by date, others by time. */
const summaryDaysSql = `SELECT provider, resource, calendar_date, MIN(${timeOfDay}) AS time, COUNT(*) AS records
  FROM summaries WHERE account_id = ? AND resource IN (${placeholders(summaryResources.length)})
   AND time >= ? AND time < ? AND ${received}
  GROUP BY provider, resource, calendar_date, CASE WHEN calendar_date IS NULL THEN ${timeOfDay} END`;

const seriesSql = 'SELECT DISTINCT provider, resource FROM series WHERE account_id = ?';

const summariesOfDaySql = `SELECT provider, COUNT(*) AS records, MAX(observation_id) AS observation FROM summaries
  WHERE account_id = ? AND resource = ? AND time >= ? AND time < ?
   AND (calendar_date = ? OR (calendar_date IS NULL AND ${timeOfDay} >= ? AND ${timeOfDay} < ?)) AND ${received}
  GROUP BY provider`;

/** The resources with a summary or a hidden record near a day, whatever its hours are. */
const resourcesOfDaySql = `SELECT w.column1 AS resource FROM (VALUES ${typedRows(['text'], coveredResources.length)}) AS w
  WHERE EXISTS (SELECT 1 FROM summaries s WHERE s.account_id = ? AND s.resource = w.column1 AND s.time >= ? AND s.time < ?)
   OR EXISTS (SELECT 1 FROM summaries s WHERE s.account_id = ? AND s.resource = w.column1 AND s.calendar_date = ?)
   OR EXISTS (SELECT 1 FROM missing_records m WHERE m.account_id = ? AND m.resource = w.column1 AND m.time >= ?
    AND m.time < ? AND ${hidden})`;

/** Exported for the test that no query scans a full table. */
export const recordDaysSql = {
  offsets: offsetsOf.resource,
  samples: sampleDaysSql(typedRows(['bigint', 'bigint', 'bigint', 'bigint'], 1)),
  summaries: summaryDaysSql,
  series: seriesSql,
  samplesOfDay: samplesOfDaySql(typedRows(['bigint', 'bigint', 'bigint', 'bigint'], 1)),
  reaching: reachingSql(typedRows(['bigint', 'bigint', 'bigint', 'bigint'], 1)),
  summariesOfDay: summariesOfDaySql,
  resourcesOfDay: resourcesOfDaySql,
} as const;

/** Finds the days on which records are stored. `account` is `accounts.id`. */
@Injectable()
export class RecordDaysReader {
  constructor(
    private readonly reader: Reader,
    private readonly hours: SampleHours,
  ) {}

  /** Every combination of source and resource that ever had a sample. */
  sampledStreams(account: number): Promise<StreamName[]> {
    return this.reader.rows(seriesSql, [account]);
  }

  /**
   * Number of samples per source and day, with those that were thinned. Takes one resource at a time, so that no
   * statement takes long.
   */
  async samples(resource: string, slots: readonly SeriesSlot[]): Promise<RecordDay[]> {
    const ranges = slots.map(rangeOf);
    const rows = await inParts(ranges, (list, values) =>
      this.reader.rows<{ place: number; records: number }>(sampleDaysSql(list), values),
    );
    const reaching = await this.reaching(slots, placesOf(rows));
    const thinned = (await this.hours.in(ranges)).map(({ place, count: records }) => ({ place, records }));
    const counts = new Map<string, RecordDay>();
    for (const { place, records } of [...rows, ...reaching, ...thinned]) {
      if (records === 0) continue;
      const { date, series } = slots[place] as SeriesSlot;
      const { provider } = series;
      const key = `${date} ${provider}`;
      const before = counts.get(key);
      const more = (before?.more ?? false) || records >= MAX_COUNTED_A_DAY;
      counts.set(key, { provider, resource, date, records: (before?.records ?? 0) + records, more });
    }
    return [...counts.values()];
  }

  /**
   * The ways in which the samples of each day were measured. Reads at most the first samples of each series and day.
   */
  async measures(slots: readonly SeriesSlot[]): Promise<DayMeasure[]> {
    const list = this.reader.dialect === 'sqlite' ? 'json_group_array' : 'json_agg';
    const rows = await inParts(slots.map(rangeOf), (places, values) =>
      this.reader.rows<{ place: number; attributes: string | null }>(attributesSql(places, list), values),
    );
    const found = rows.map(({ place, attributes }) => ({ place, ids: JSON.parse(attributes ?? '[]') as number[] }));
    const contents = await this.contents([...new Set(found.flatMap(({ ids }) => ids))]);
    const stored = found.flatMap(({ place, ids }) => ids.map((id) => ({ place, content: contents.get(id) ?? '{}' })));
    const measures = [...stored, ...(await this.hours.in(slots.map(rangeOf)))].map(({ place, content }): DayMeasure => {
      const { date, series } = slots[place] as SeriesSlot;
      const { provider, source_type: sourceType, sub_series: subSeries } = series;
      return { date, provider, sourceType, subSeries, ...measureOf(content) };
    });
    return [...new Map(measures.map((one) => [JSON.stringify(one), one])).values()];
  }

  private async contents(ids: readonly number[]): Promise<Map<number, string>> {
    const found = new Map<number, string>();
    for (let from = 0; from < ids.length; from += MAX_ATTRIBUTES_A_STATEMENT) {
      const part = filledUp(ids.slice(from, from + MAX_ATTRIBUTES_A_STATEMENT));
      const sql = `SELECT id, content FROM sample_attributes WHERE id IN (${placeholders(part.length)})`;
      for (const { id, content } of await this.reader.rows<{ id: number; content: string }>(sql, part))
        found.set(id, content);
    }
    return found;
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

  /** Number and newest observation of the summaries of a day, by source. */
  async summariesOf(account: number, resource: Resource, { date, start, end }: DaySpan): Promise<StoredOfDay[]> {
    const midnight = startOfDate(date);
    const near = [midnight - SUMMARY_SLACK_MS, midnight + DAY_MS + SUMMARY_SLACK_MS];
    const values = [account, resource.name, ...near, date, start, end];
    const rows = await this.reader.rows<{ provider: string; records: number; observation: number }>(
      summariesOfDaySql,
      values,
    );
    return rows.map(({ observation, ...row }) => ({ ...row, observedAt: observedAt(observation) }));
  }

  /** The resources of which anything but samples may be of a day (`YYYY-MM-DD`). */
  async resourcesOf(account: number, date: string): Promise<string[]> {
    const midnight = startOfDate(date);
    const near = [midnight - SUMMARY_SLACK_MS, midnight + DAY_MS + SUMMARY_SLACK_MS];
    const values = [...coveredResources, account, ...near, account, date, account, ...near];
    return (await this.reader.rows<{ resource: string }>(resourcesOfDaySql, values)).map(({ resource }) => resource);
  }

  /** By date and source, the samples of a former upstream user that those of the present one replace. */
  async superseded(resource: Resource, slots: readonly SeriesSlot[], since: number): Promise<StandingOfDay[]> {
    const found = await supersededIn(this.reader, resource, slots, since);
    return found.map((own) => ({ ...own, hidden: 0, forecasts: 0 }));
  }

  /** By date and source, the samples with values that nobody can have. */
  async uncounted(resource: Resource, slots: readonly SeriesSlot[]): Promise<StandingOfDay[]> {
    if (Object.keys(resource.possible).length === 0) return [];
    const rows = await inParts(slots.map(rangeOf), (list, values) =>
      this.reader.rows<{ place: number; records: number }>(uncountedSql(list, resource), values),
    );
    return rows.flatMap(({ place, records: noReadings }) => {
      const { date, series } = slots[place] as SeriesSlot;
      const none = { hidden: 0, superseded: 0, forecasts: 0 };
      return noReadings === 0 ? [] : [{ provider: series.provider, date, ...none, noReadings }];
    });
  }

  /** By date and source, the samples that were thinned. */
  async thinned(slots: readonly SeriesSlot[]): Promise<StandingOfDay[]> {
    const found = new Map<string, StandingOfDay>();
    for (const { place, count, sent_again_at } of await this.hours.in(slots.map(rangeOf))) {
      const { date, series } = slots[place] as SeriesSlot;
      const { provider } = series;
      const { thinned = 0, sentAgain = false } = found.get(`${date} ${provider}`) ?? {};
      found.set(`${date} ${provider}`, {
        ...{ provider, date, hidden: 0, superseded: 0, forecasts: 0 },
        thinned: thinned + count,
        sentAgain: sentAgain || sent_again_at !== null,
      });
    }
    return [...found.values()];
  }

  /**
   * Number and newest observation of the intervals of totals that reach into days on which nothing of their source
   * begins: `daily` has a part of them. `begun`: places of the slots in which something begins.
   */
  private async reaching(slots: readonly SeriesSlot[], begun: ReadonlySet<number>): Promise<CountedPlace[]> {
    const nameOf = ({ date, series: { provider } }: SeriesSlot): string => `${date} ${provider}`;
    const withOwn = new Set([...begun].map((place) => nameOf(slots[place] as SeriesSlot)));
    const firsts = new Map<string, number>();
    for (const [place, slot] of slots.entries()) {
      const key = `${slot.date} ${slot.series.id}`;
      const isTotal = resourceByName(slot.series.resource)?.statistics === 'total';
      if (isTotal && !withOwn.has(nameOf(slot)) && !firsts.has(key)) firsts.set(key, place);
    }
    const places = [...firsts.values()];
    const ranges = places.map((place) => rangeOf(slots[place] as SeriesSlot));
    const rows = await inParts(ranges, (list, values) => this.reader.rows<CountedPlace>(reachingSql(list), values));
    return rows.map((row) => ({ ...row, place: places[row.place] as number }));
  }

  /** Number and newest observation of the samples of a day, by source. */
  async samplesOf(slots: readonly SeriesSlot[]): Promise<StoredOfDay[]> {
    const ranges = slots.map(rangeOf);
    const rows = await inParts(ranges, (list, values) => this.reader.rows<CountedPlace>(samplesOfDaySql(list), values));
    const reaching = await this.reaching(slots, placesOf(rows));
    const thinned = (await this.hours.in(ranges)).map(({ place, count: records, observation_id: observation }) => {
      return { place, records, observation };
    });
    const found = new Map<string, StoredOfDay>();
    for (const { place, records, observation } of [...rows, ...reaching, ...thinned]) {
      if (records === 0) continue;
      const { provider } = (slots[place] as SeriesSlot).series;
      const before = found.get(provider);
      found.set(provider, {
        provider,
        records: (before?.records ?? 0) + records,
        observedAt: Math.max(before?.observedAt ?? 0, observedAt(observation ?? 0)),
      });
    }
    return [...found.values()].sort((a, b) => (a.provider < b.provider ? -1 : 1));
  }
}

/** Samples at a place in a list of slots. */
interface CountedPlace {
  readonly place: number;
  readonly records: number;
  readonly observation: number | null;
}

function placesOf(rows: readonly Pick<CountedPlace, 'place' | 'records'>[]): Set<number> {
  return new Set(rows.flatMap(({ place, records }) => (records > 0 ? [place] : [])));
}

function rangeOf({ series, start, end }: SeriesSlot): SeriesRange {
  return { seriesId: series.id, start, end, thinnedUntil: series.thinned_until };
}
