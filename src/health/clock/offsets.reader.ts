import { Injectable } from '@nestjs/common';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { DAY_MS, HOUR_MS, type TimeRange } from '../../platform/platform/time.js';
import { Reader } from '../../storage/database/reader.js';
import type { Queryable } from '../../storage/database/tx.js';
import { aheadOf } from '../catalogue/records.js';
import type { ClockSeries, SeenOffset } from './person-clock.js';
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

const seriesSql = `SELECT id, resource, provider, source_type, sub_series, floating_time, measure, is_mixed FROM series
  WHERE account_id = ? ORDER BY id`;

/** A series of samples of a resource. */
export interface ResourceSeries extends ClockSeries {
  readonly resource: string;
  readonly sub_series: string;
  /** Unit and place of measurement of its first samples, as JSON. */
  readonly measure: string | null;
  /** 1 if its samples have several units or places of measurement. */
  readonly is_mixed: number;
}

/** Reads the offsets from UTC that stored samples were sent with. `account` is `accounts.id`. */
@Injectable()
export class OffsetsReader {
  constructor(private readonly reader: Reader) {}

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
    const seen = rows.map(({ series_id, time, attributes }) => toSeen(series_id, time, aheadOf(attributes)));
    const changing = seen.flatMap((one, index): SeriesRange[] => {
      const next = seen[index + 1];
      const changes = next?.seriesId === one.seriesId && next.ahead !== one.ahead;
      return changes ? [{ seriesId: one.seriesId, start: one.time, end: next.time }] : [];
    });
    const between = await this.changesIn(changing, source);
    const all = [...seen, ...between.map(({ seriesId, time, ahead }) => toSeen(seriesId, time, ahead))];
    return all.sort((a, b) => a.seriesId - b.seriesId || a.time - b.time);
  }

  private async changesIn(ranges: readonly SeriesRange[], source: Queryable) {
    const rows = await inParts(ranges, (list, values) =>
      source.rows<{ place: number; time: number; content: string; time_before: number | null }>(
        changesSql(list),
        values,
      ),
    );
    const found: { seriesId: number; time: number; ahead: number | null }[] = [];
    const byPlace = groupedBy(rows, ({ place }) => place);
    for (const [place, own] of byPlace) {
      const { seriesId } = ranges[place] as SeriesRange;
      for (const [index, { time, content, time_before: before }] of own.entries()) {
        const earlier = own[index - 1];
        if (before !== null && earlier) found.push({ seriesId, time: before, ahead: aheadOf(earlier.content) });
        found.push({ seriesId, time, ahead: aheadOf(content) });
      }
    }
    return found;
  }
}
