import { Injectable } from '@nestjs/common';
import { joinShownAccount } from '../../accounts/accounts/account-sql.js';
import { packed } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Resource } from '../catalogue/catalogue.js';
import { measureOf } from '../catalogue/units.js';
import { type SampleHour, SampleHours } from '../clock/sample-hours.reader.js';
import { inParts, type SeriesRange } from '../clock/series-ranges.js';
import { isCounted, numbersOf } from '../reads/counted-samples.reader.js';
import { notSentAgain, ofBothUsers } from '../reads/earlier-samples.reader.js';

/** Statistics of one number of a part. `min` and `max` are null for totals. */
export interface Numbers {
  readonly sum: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly first: number;
  readonly last: number;
}

/**
 * Why samples have no common number. units: no conversion between their units is known · kinds: they are different
 * things, measured at different places of the body or of different types.
 */
export const incomparables = ['units', 'kinds'] as const;
export type Incomparable = (typeof incomparables)[number];

export interface PartStatistics {
  readonly count: number;
  /** Times of the first and the last sample. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Null if they have none, or cannot be compared. */
  readonly unit: string | null;
  /**
   * Difference between samples that must not be taken together: their place of measurement or their type; '' for none.
   */
  readonly kind: string;
  /** Why the numbers are meaningless; null if they are not. */
  readonly incomparable: Incomparable | null;
  readonly value: Numbers;
  /** For the second number of a pair, the diastolic. */
  readonly second: Numbers | null;
  /** True if hours of thinned samples are part of it. */
  readonly thinned: boolean;
}

/** Statistics of a total of one part, and how long its intervals are. */
export interface TotalOfPart extends PartStatistics {
  /** True if all samples are from one observation with equal attributes, so of one device and one unit. */
  readonly isOneGroup: boolean;
  /** Of each sample, in milliseconds; null if they differ. */
  readonly duration: number | null;
  /** True if no intervals overlap, because all are instants, or equally long and on one grid. */
  readonly isApart: boolean;
}

/** A condition for samples `p` in the range `w`, whose columns are place, series, start, end. */
const inRange = 'p.series_id = w.column2 AND p.time >= w.column3 AND p.time < w.column4';
/** The same for those that count. */
export const countedInRange = (resource: Resource): string => `${inRange} AND ${isCounted(resource)}`;
const attributes = `(SELECT a.content FROM sample_groups g JOIN sample_attributes a ON a.id = g.attributes_id
  WHERE g.id = p.group_id)`;

/** `since`: the first observation of the present upstream user, if samples of a former one must not count twice. */
function conditionOf(resource: Resource, since: number | null): string {
  return [countedInRange(resource), ...(since === null ? [] : [notSentAgain(since)])].join(' AND ');
}

/** Groups by attributes, of which a series has few. */
function mixedSql(ranges: string, condition: string, numbers: ReturnType<typeof numbersOf>): string {
  const totals = numbers.map(
    ([of, end]) => `SUM(${of}) AS sum${end}, MIN(${of}) AS min${end}, MAX(${of}) AS max${end}`,
  );
  const at = (
    of: string,
    time: string,
  ): string => `(SELECT ${of} FROM samples p JOIN sample_groups g ON g.id = p.group_id
      WHERE p.series_id = t.series_id AND p.time = t.${time} AND g.attributes_id = t.attributes_id LIMIT 1)`;
  const ends = numbers.map(([of, end]) => `${at(of, 'first_at')} AS first${end}, ${at(of, 'last_at')} AS last${end}`);
  return `SELECT t.*, a.content, ${ends.join(', ')} FROM (
      SELECT w.column1 AS place, w.column2 AS series_id, g.attributes_id, COUNT(*) AS count, ${totals.join(', ')},
        MIN(p.time) AS first_at, MAX(p.time) AS last_at
      FROM (VALUES ${ranges}) AS w CROSS JOIN samples p JOIN sample_groups g ON g.id = p.group_id
      WHERE ${condition}
      GROUP BY w.column1, w.column2, g.attributes_id) AS t
    JOIN sample_attributes a ON a.id = t.attributes_id ORDER BY t.place, t.first_at`;
}

/** As it is read of samples, and as it is kept of thinned ones. */
type MixedRow = Omit<SampleHour, 'series_id' | 'time' | 'end_time' | 'observation_id' | 'sent_again_at'>;

type Row = { place: number; totals: string; first: string | null; last: string | null };
type End = readonly [time: number, attributes: string | null, value: number, second: number | null];

/** Computes statistics of samples in the database. */
@Injectable()
export class StatisticsReader {
  constructor(
    private readonly reader: Reader,
    private readonly hours: SampleHours,
  ) {}

  /** People with samples who are shown to analysts; `accounts.id`. */
  async people(): Promise<number[]> {
    const sql = `SELECT DISTINCT s.account_id AS id FROM series s ${joinShownAccount('s.account_id')} ORDER BY id`;
    return (await this.reader.rows<{ id: number }>(sql)).map(({ id }) => id);
  }

  /** Names of the resources of which an account has samples. */
  async resourcesOf(account: number): Promise<string[]> {
    const sql = 'SELECT DISTINCT resource AS name FROM series WHERE account_id = ? ORDER BY name';
    return (await this.reader.rows<{ name: string }>(sql, [account])).map(({ name }) => name);
  }

  /** Time of the first sample, or hour of thinned ones, of an account at or after a time; null if it has none. */
  async firstFrom(account: number, time: number): Promise<number | null> {
    const [row] = await this.reader.rows<{ at: number | null }>(
      `SELECT MIN(f.at) AS at FROM (
         SELECT (SELECT MIN(p.time) FROM samples p WHERE p.series_id = s.id AND p.time >= ?) AS at
         FROM series s WHERE s.account_id = ?
         UNION ALL SELECT (SELECT MIN(h.time) FROM sample_hours h WHERE h.series_id = s.id AND h.time >= ?) AS at
         FROM series s WHERE s.account_id = ? AND s.thinned_until IS NOT NULL) AS f`,
      [time, account, time, account],
    );
    return row?.at ?? null;
  }

  /** For each of `ranges`, true if it contains a number. */
  async present(resource: Resource, ranges: readonly SeriesRange[]): Promise<boolean[]> {
    const found = ranges.map(() => false);
    const rows = await inParts(ranges, (list, values) =>
      this.reader.rows<{ place: number; present: number | null }>(
        `SELECT w.column1 AS place, (SELECT 1 FROM samples p WHERE ${conditionOf(resource, null)} LIMIT 1) AS present FROM (VALUES ${list}) AS w`,
        values,
      ),
    );
    for (const { place, present } of rows) found[place] = present !== null;
    for (const { place } of await this.hours.in(ranges)) found[place] = true;
    return found;
  }

  /** For each of `ranges`, true if samples of the present upstream user may replace others in it. */
  ofBothUsers(ranges: readonly SeriesRange[], since: number | null): Promise<boolean[]> | boolean[] {
    return since === null ? ranges.map(() => false) : ofBothUsers(this.reader, ranges, since);
  }

  /** For each of `ranges`, statistics of the samples of each unit and place of measurement in it. */
  async mixed(
    resource: Resource,
    ranges: readonly SeriesRange[],
    since: number | null = null,
  ): Promise<PartStatistics[][]> {
    const isPair = resource.family === 'pair';
    const condition = conditionOf(resource, since);
    const rows = await inParts(ranges, (list, values) =>
      this.reader.rows<MixedRow>(mixedSql(list, condition, numbersOf(resource)), values),
    );
    const stored = rows.map((row) => [row, partOf(row, isPair)] as const);
    const thinned = (await this.hours.in(ranges)).map((hour) => [hour, thinnedPart(hour)] as const);
    const found: Map<string, PartStatistics>[] = ranges.map(() => new Map<string, PartStatistics>());
    for (const [{ place, content }, part] of [...stored, ...thinned]) {
      const before = found[place]?.get(content);
      found[place]?.set(content, before ? together(before, part) : part);
    }
    return found.map((parts) => [...parts.values()].sort((a, b) => a.firstAt - b.firstAt));
  }

  /** Statistics of each of `ranges`; null for a range without a number. */
  async statistics(
    resource: Resource,
    ranges: readonly SeriesRange[],
    since: number | null = null,
  ): Promise<(PartStatistics | null)[]> {
    const found = await this.each(resource, ranges, { more: [], since }, (part) => part);
    for (const hour of await this.hours.in(ranges)) {
      const before = found[hour.place];
      found[hour.place] = before ? together(before, thinnedPart(hour)) : thinnedPart(hour);
    }
    return found;
  }

  /** The same for totals. */
  totals(resource: Resource, ranges: readonly SeriesRange[]): Promise<(TotalOfPart | null)[]> {
    const duration = 'COALESCE(p.duration_ms, 0)';
    const phase = `p.time % NULLIF(${duration}, 0)`;
    const more = ['p.group_id', duration, phase].flatMap((of) => [`MIN(${of})`, `MAX(${of})`]);
    return this.each(
      resource,
      ranges,
      { more, since: null },
      (part, [first, last, least = 0, most = 0, one, other]) => {
        const isApart = most === 0 || (least === most && one === other);
        return { ...part, isOneGroup: first === last, duration: least === most ? most : null, isApart };
      },
    );
  }

  private async each<T>(
    resource: Resource,
    ranges: readonly SeriesRange[],
    { more, since }: { readonly more: readonly string[]; readonly since: number | null },
    toPart: (part: PartStatistics, more: number[]) => T,
  ): Promise<(T | null)[]> {
    const isPair = resource.family === 'pair';
    const ofRange = `FROM samples p WHERE ${conditionOf(resource, since)}`;
    const numbers = numbersOf(resource).map(([number]) => number);
    const wanted = resource.statistics === 'total' ? ['SUM'] : ['SUM', 'MIN', 'MAX'];
    const totals = ['COUNT(*)', ...numbers.flatMap((number) => wanted.map((name) => `${name}(${number})`)), ...more];
    const end = (order: string): string => {
      const query = `${ofRange} ORDER BY p.time ${order}, p.sibling ${order} LIMIT 1`;
      return packed(this.reader.dialect, ['p.time', attributes, ...numbers], query);
    };
    const found: (T | null)[] = ranges.map(() => null);
    const rows = await inParts(ranges, (list, values) =>
      this.reader.rows<Row>(
        `SELECT w.column1 AS place, ${packed(this.reader.dialect, totals, ofRange)} AS totals,
          ${end('ASC')} AS first, ${end('DESC')} AS last
         FROM (VALUES ${list}) AS w`,
        values,
      ),
    );
    for (const row of rows) {
      if (row.first === null) continue;
      const others = more.length === 0 ? [] : (JSON.parse(row.totals) as number[]).slice(-more.length);
      found[row.place] = toPart(statisticsOf(row, wanted.length, isPair), others);
    }
    return found;
  }
}

function statisticsOf(row: Row, width: number, isPair: boolean): PartStatistics {
  const [count = 0, ...totals] = JSON.parse(row.totals) as number[];
  const [firstAt, firstAttributes, ...first] = JSON.parse(row.first ?? '[]') as unknown as End;
  const [lastAt, lastAttributes, ...last] = JSON.parse(row.last ?? '[]') as unknown as End;
  const numbersAt = (index: 0 | 1): Numbers => {
    const [sum = 0, min = null, max = null] = totals.slice(index * width, (index + 1) * width);
    return { sum, min, max, first: first[index] ?? 0, last: last[index] ?? 0 };
  };
  const { unit, place } = measureOf(lastAttributes ?? firstAttributes ?? '{}');
  return {
    ...{ count, firstAt, lastAt, unit, kind: place ?? '', incomparable: null },
    value: numbersAt(0),
    second: isPair ? numbersAt(1) : null,
    thinned: false,
  };
}

function partOf(row: MixedRow, isPair: boolean): PartStatistics {
  const { unit, place } = measureOf(row.content);
  const { count, sum, min, max, first, last } = row;
  const second = {
    sum: row.sum_2 ?? 0,
    min: row.min_2,
    max: row.max_2,
    first: row.first_2 ?? 0,
    last: row.last_2 ?? 0,
  };
  return {
    ...{ count, firstAt: row.first_at, lastAt: row.last_at, unit, kind: place ?? '', incomparable: null },
    value: { sum, min, max, first, last },
    second: isPair ? second : null,
    thinned: false,
  };
}

function thinnedPart(hour: SampleHour): PartStatistics {
  return { ...partOf(hour, hour.sum_2 !== null), thinned: true };
}

/** Statistics of both parts; unit and kind are those of the one that ends later. */
function together(one: PartStatistics, other: PartStatistics): PartStatistics {
  const [early, late] = one.firstAt <= other.firstAt ? [one, other] : [other, one];
  const end = one.lastAt > other.lastAt ? one : other;
  const numbers = (a: Numbers, b: Numbers, last: Numbers): Numbers => ({
    sum: a.sum + b.sum,
    min: Math.min(a.min ?? Infinity, b.min ?? Infinity),
    max: Math.max(a.max ?? -Infinity, b.max ?? -Infinity),
    first: a.first,
    last: last.last,
  });
  return {
    ...end,
    count: one.count + other.count,
    firstAt: early.firstAt,
    lastAt: end.lastAt,
    value: numbers(early.value, late.value, end.value),
    second: early.second && late.second && numbers(early.second, late.second, end.second ?? late.second),
    thinned: one.thinned || other.thinned,
  };
}
