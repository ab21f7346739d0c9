import { Injectable } from '@nestjs/common';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { DAY_MS, HOUR_MS, type TimeRange } from '../../platform/platform/time.js';
import { zoneClock } from '../../platform/platform/zone-clock.js';
import type { Dialect } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Queryable } from '../../storage/database/tx.js';
import { catalogue } from '../catalogue/catalogue.js';
import { aheadOf } from '../catalogue/records.js';
import type { ClockSeries, SeenOffset } from './person-clock.js';
import { SampleHours } from './sample-hours.reader.js';
import { inParts, type SeriesRange } from './series-ranges.js';

/** Intervals at which offsets are read; where two in a row differ, every sample between them is read. */
const steps = { resource: 6 * HOUR_MS, account: DAY_MS } as const;

/** Start of the step that contains a time. Handles times before 1970, whose remainder is negative. */
export const stepOf = (time: string, step: number): string => `${time} - (${time} % ${step} + ${step}) % ${step}`;
const firstFrom = (series: string, from: string): string =>
  `(SELECT MIN(p.time) FROM samples p WHERE p.series_id = ${series} AND p.time >= ${from} AND p.time < ?)`;

/**
 * The first sample in each step of each series, and the last sample of each series, with their attributes. Costs one
 * seek per step with samples. Excludes series with floating time, which have no true offset.
 */
const offsetsSql = (ofSeries: string, step: number): string => `WITH RECURSIVE hop (series_id, time) AS (
    SELECT s.id, ${firstFrom('s.id', '?')} FROM series s WHERE ${ofSeries} AND s.floating_time = 0
    UNION ALL
    SELECT h.series_id, ${firstFrom('h.series_id', `${stepOf('h.time', step)} + ${step}`)}
    FROM hop h WHERE h.time IS NOT NULL
  ), seen (series_id, time) AS (
    SELECT series_id, time FROM hop
    UNION SELECT s.id, (SELECT MAX(p.time) FROM samples p WHERE p.series_id = s.id AND p.time >= ? AND p.time < ?)
    FROM series s WHERE ${ofSeries} AND s.floating_time = 0
  )
  SELECT h.series_id, h.time, (SELECT a.content FROM samples p JOIN sample_groups g ON g.id = p.group_id
      JOIN sample_attributes a ON a.id = g.attributes_id
      WHERE p.series_id = h.series_id AND p.time = h.time ORDER BY p.sibling LIMIT 1) AS attributes
  FROM seen h WHERE h.time IS NOT NULL ORDER BY h.series_id, h.time`;

/** Exported for the test that no query scans a full table. */
export const offsetsOf = {
  resource: offsetsSql('s.account_id = ? AND s.resource = ?', steps.resource),
  account: offsetsSql('s.account_id = ?', steps.account),
} as const;

/** In each range, the samples whose attributes differ from those of the previous sample, and the times of both. */
const changesSql = (ranges: string): string => `SELECT q.place, q.time, a.content, q.time_before FROM (
    SELECT w.column1 AS place, p.time, g.attributes_id,
      LAG(g.attributes_id) OVER (PARTITION BY w.column1 ORDER BY p.time, p.sibling) AS before,
      LAG(p.time) OVER (PARTITION BY w.column1 ORDER BY p.time, p.sibling) AS time_before
    FROM (VALUES ${ranges}) AS w CROSS JOIN samples p JOIN sample_groups g ON g.id = p.group_id
    WHERE p.series_id = w.column2 AND p.time >= w.column3 AND p.time < w.column4) AS q
  JOIN sample_attributes a ON a.id = q.attributes_id
  WHERE q.before IS NULL OR q.before <> q.attributes_id ORDER BY q.place, q.time`;

/** Summaries that may say how far the local time of their person was ahead. */
const placed = catalogue
  .filter(({ family, hasDay, dateOnly }) => family === 'summary' && (hasDay || dateOnly))
  .map(({ name }) => `'${name}'`)
  .join(', ');
const fieldOf: Readonly<Record<Dialect, (name: string) => string>> = {
  sqlite: (name) => `json_extract(raw, '$.${name}')`,
  postgres: (name) => `CAST(raw AS json) ->> '${name}'`,
};

/** Exported for the test that no query scans a full table. */
export const summaryOffsetsSql = (dialect: Dialect): string => `SELECT provider, source_type, time, end_time,
    ${fieldOf[dialect]('timezone_offset')} AS seconds, ${fieldOf[dialect]('time_zone')} AS zone FROM summaries
  WHERE account_id = ? AND resource IN (${placed}) AND time >= ? AND time < ?
   AND (raw LIKE '%"timezone_offset":%' OR raw LIKE '%"time_zone":"%')`;

const seriesSql = `SELECT id, resource, provider, source_type, sub_series, floating_time, measure, is_mixed,
    thinned_until FROM series
  WHERE account_id = ? ORDER BY id`;

/** A series of samples of a resource. */
export interface ResourceSeries extends ClockSeries {
  readonly resource: string;
  readonly sub_series: string;
  /** Unit and place of measurement of its first samples, as JSON. */
  readonly measure: string | null;
  /** 1 if its samples have several units or places of measurement. */
  readonly is_mixed: number;
  /** End of its newest hour of thinned samples; null if it has none. */
  readonly thinned_until: number | null;
}

/** Reads the offsets from UTC that stored samples were sent with. `account` is `accounts.id`. */
@Injectable()
export class OffsetsReader {
  constructor(
    private readonly reader: Reader,
    private readonly hours: SampleHours,
  ) {}

  /** All series of an account. */
  series(account: number, source: Queryable = this.reader): Promise<ResourceSeries[]> {
    return source.rows(seriesSql, [account]);
  }

  /**
   * UTC offsets of the samples in a range, by series and time: several of each day, and the samples before and after
   * each change between them. Null `resource`: of all resources; `series` are all of these. A change that is reverted
   * within six hours goes unnoticed, and within a day in an account.
   */
  async offsets(
    { account, resource, series }: { account: number; resource: string | null; series: readonly ClockSeries[] },
    { start, end }: TimeRange,
    source: Queryable = this.reader,
  ): Promise<SeenOffset[]> {
    if (series.every(({ floating_time }) => floating_time !== 0)) return [];
    const byId = new Map(series.map((one) => [one.id, one]));
    const of = [account, ...(resource === null ? [] : [resource])];
    const rows = await source.rows<{ series_id: number; time: number; attributes: string | null }>(
      resource === null ? offsetsOf.account : offsetsOf.resource,
      [start, end, ...of, end, start, end, ...of],
    );
    const toSeen = (seriesId: number, time: number, ahead: number | null): SeenOffset => {
      const { provider = '', source_type: sourceType = '' } = byId.get(seriesId) ?? {};
      return { seriesId, provider, sourceType, time, ahead };
    };
    const hours = await this.thinned(series, { start, end }, source);
    const thinned = hours.map(({ seriesId, time, content }) => toSeen(seriesId, time, aheadOf(content)));
    const step = resource === null ? steps.account : steps.resource;
    const stored = rows.map(({ series_id, time, attributes }) => toSeen(series_id, time, aheadOf(attributes)));
    const seen = thinned.length === 0 ? stored : firstOfSteps([...stored, ...thinned].sort(inOrder), step);
    const changing = seen.flatMap((one, index): SeriesRange[] => {
      const next = seen[index + 1];
      const changes = next?.seriesId === one.seriesId && next.ahead !== one.ahead;
      return changes ? [{ seriesId: one.seriesId, start: one.time, end: next.time }] : [];
    });
    const changes = await this.changesIn(changing, source);
    const between = changing.flatMap((range) => {
      const own = [...changes, ...hours].filter(({ seriesId, time }) => {
        return seriesId === range.seriesId && time >= range.start && time < range.end;
      });
      return hours.length === 0 ? own : endsOfRuns(own.sort(inOrder));
    });
    const all = [...seen, ...between.map(({ seriesId, time, content }) => toSeen(seriesId, time, aheadOf(content)))];
    return all.sort(inOrder);
  }

  /** The offsets that summaries of a range say, at their start and their end. */
  async told(account: number, { start, end }: TimeRange, source: Queryable = this.reader): Promise<SeenOffset[]> {
    const rows = await source.rows<{
      provider: string;
      source_type: string;
      time: number;
      end_time: number | null;
      seconds: unknown;
      zone: unknown;
    }>(summaryOffsetsSql(this.reader.dialect), [account, start, end]);
    return rows.flatMap(({ provider, source_type: sourceType, time, end_time, seconds, zone }) => {
      const clock = typeof zone === 'string' ? zoneClock(zone) : null;
      const said = seconds === null ? null : aheadOf(JSON.stringify({ timezone_offset: Number(seconds) }));
      return [...new Set([time, end_time ?? time])].map((at): SeenOffset => {
        return { seriesId: NO_SERIES, provider, sourceType, time: at, ahead: said ?? clock?.(at) ?? null };
      });
    });
  }

  /** The first and the last sample of each thinned hour, in order. */
  private async thinned(series: readonly ClockSeries[], { start, end }: TimeRange, source: Queryable) {
    const ranges = series.flatMap(({ id: seriesId, floating_time, thinned_until: thinnedUntil = null }) =>
      floating_time === 0 && thinnedUntil !== null ? [{ seriesId, start: start - HOUR_MS, end, thinnedUntil }] : [],
    );
    const hours = ranges.length === 0 ? [] : await this.hours.in(ranges, source);
    return hours
      .flatMap(({ series_id: seriesId, content, first_at, last_at }) => {
        const times = first_at === last_at ? [first_at] : [first_at, last_at];
        return times.map((time): Told => ({ seriesId, time, content }));
      })
      .filter(({ time }) => time >= start && time < end)
      .sort(inOrder);
  }

  private async changesIn(ranges: readonly SeriesRange[], source: Queryable) {
    const rows = await inParts(ranges, (list, values) =>
      source.rows<{ place: number; time: number; content: string; time_before: number | null }>(
        changesSql(list),
        values,
      ),
    );
    const found: Told[] = [];
    const byPlace = groupedBy(rows, ({ place }) => place);
    for (const [place, own] of byPlace) {
      const { seriesId } = ranges[place] as SeriesRange;
      for (const [index, { time, content, time_before: before }] of own.entries()) {
        const earlier = own[index - 1];
        if (before !== null && earlier) found.push({ seriesId, time: before, content: earlier.content });
        found.push({ seriesId, time, content });
      }
    }
    return found;
  }
}

/** A summary is of no series. */
const NO_SERIES = 0;

type Placed = Pick<SeenOffset, 'seriesId' | 'time'>;

/** The attributes of a sample, as JSON. */
interface Told extends Placed {
  readonly content: string;
}

/**
 * The first of all, and of each change of attributes the samples before and after it, as they are read where stored.
 */
function endsOfRuns(all: readonly Told[]): Told[] {
  return all.filter(({ content }, index) => {
    const [before, next] = [all[index - 1], all[index + 1]];
    return before?.content !== content || (next !== undefined && next.content !== content);
  });
}

function inOrder(a: Placed, b: Placed): number {
  return a.seriesId - b.seriesId || a.time - b.time;
}

/** Of each series, the first sample in each step and the last one, as they are read of samples that are stored. */
function firstOfSteps<T extends Placed>(all: readonly T[], step: number): T[] {
  return all.filter((one, index) => {
    const [before, next] = [all[index - 1], all[index + 1]];
    const isFirst = before?.seriesId !== one.seriesId || Math.floor(before.time / step) < Math.floor(one.time / step);
    return isFirst || next?.seriesId !== one.seriesId;
  });
}
