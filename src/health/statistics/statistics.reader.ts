import { Injectable } from '@nestjs/common';
import { joinShownAccount } from '../../accounts/accounts/account-sql.js';
import { packed } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Resource } from '../catalogue/catalogue.js';
import { measureOf } from '../catalogue/units.js';
import { inParts, type SeriesRange } from '../clock/series-ranges.js';
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
}

/** Statistics of a total of one part, and how far its intervals reach. */
export interface TotalOfPart extends PartStatistics {
  /** True if all samples are from one observation with equal attributes, so of one device and one unit. */
  readonly isOneGroup: boolean;
  /** Sum of the durations. */
  readonly ms: number;
  /** End of the last interval, epoch milliseconds. */
  readonly end: number;
  /** True if no intervals overlap, because all are instants, or equally long and on one grid. */
  readonly isApart: boolean;
}

/** Excludes larger numbers: they are no measurements, and their sum could overflow. */
export const isMeasured = (number: string): string =>
  `${number} BETWEEN CAST(-1e100 AS double precision) AND CAST(1e100 AS double precision)`;
/** A condition for samples `p` with a number in the range `w`, whose columns are place, series, start, end. */
export const inRange = `p.series_id = w.column2 AND p.time >= w.column3 AND p.time < w.column4
  AND ${isMeasured('p.value')}`;
const second = 'CAST(p.text_value AS double precision)';
const attributes = `(SELECT a.content FROM sample_groups g JOIN sample_attributes a ON a.id = g.attributes_id
  WHERE g.id = p.group_id)`;

/** `since`: the first observation of the present upstream user, if samples of a former one must not count twice. */
function conditionOf({ family }: Resource, since: number | null): string {
  const ofPair = family === 'pair' ? [isMeasured(second)] : [];
  return [inRange, ...ofPair, ...(since === null ? [] : [notSentAgain(since)])].join(' AND ');
}

/** Groups by attributes, of which a series has few. */
function mixedSql(ranges: string, condition: string, isPair: boolean): string {
  const numbers = [['p.value', ''] as const, ...(isPair ? [[second, '_2'] as const] : [])];
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

interface MixedRow extends Numbers {
  readonly place: number;
  readonly count: number;
  readonly content: string;
  readonly first_at: number;
  readonly last_at: number;
  readonly sum_2: number;
  readonly min_2: number;
  readonly max_2: number;
  readonly first_2: number;
  readonly last_2: number;
}

type Row = { place: number; totals: string; first: string | null; last: string | null };
type End = readonly [time: number, attributes: string | null, value: number, second: number | null];

/** Computes statistics of samples in the database. */
@Injectable()
export class StatisticsReader {
  constructor(private readonly reader: Reader) {}

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

  /** Time of the first sample of an account at or after a time; null if it has none. */
  async firstFrom(account: number, time: number): Promise<number | null> {
    const [row] = await this.reader.rows<{ at: number | null }>(
      `SELECT MIN((SELECT MIN(p.time) FROM samples p WHERE p.series_id = s.id AND p.time >= ?)) AS at
       FROM series s WHERE s.account_id = ?`,
      [time, account],
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
    const found: PartStatistics[][] = ranges.map(() => []);
    const rows = await inParts(ranges, (list, values) =>
      this.reader.rows<MixedRow>(mixedSql(list, condition, isPair), values),
    );
    for (const row of rows) {
      const { unit, place } = measureOf(row.content);
      const { sum, min, max, first, last, count } = row;
      found[row.place]?.push({
        ...{ count, firstAt: row.first_at, lastAt: row.last_at, unit, kind: place ?? '', incomparable: null },
        value: { sum, min, max, first, last },
        second: isPair
          ? { sum: row.sum_2, min: row.min_2, max: row.max_2, first: row.first_2, last: row.last_2 }
          : null,
      });
    }
    return found;
  }

  /** Statistics of each of `ranges`; null for a range without a number. */
  statistics(
    resource: Resource,
    ranges: readonly SeriesRange[],
    since: number | null = null,
  ): Promise<(PartStatistics | null)[]> {
    return this.each(resource, ranges, { more: [], since }, (part) => part);
  }

  /** The same for totals. */
  totals(resource: Resource, ranges: readonly SeriesRange[]): Promise<(TotalOfPart | null)[]> {
    const duration = 'COALESCE(p.duration_ms, 0)';
    const phase = `p.time % NULLIF(${duration}, 0)`;
    const more = [
      ...['MIN(p.group_id)', 'MAX(p.group_id)', `SUM(${duration})`, `MAX(p.time + ${duration})`],
      ...[`MIN(${duration})`, `MAX(${duration})`, `MIN(${phase})`, `MAX(${phase})`],
    ];
    return this.each(
      resource,
      ranges,
      { more, since: null },
      (part, [first, last, ms = 0, end = 0, least, most, one, other]) => {
        const isApart = most === 0 || (least === most && one === other);
        return { ...part, isOneGroup: first === last, ms, end, isApart };
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
    const numbers = ['p.value', ...(isPair ? [second] : [])];
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
  };
}
