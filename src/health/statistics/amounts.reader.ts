import { Injectable } from '@nestjs/common';
import { filledUp, packed, typedRows } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Resource } from '../catalogue/catalogue.js';
import { traitsOf } from '../catalogue/records.js';
import { MAX_GROUPS_A_STATEMENT } from '../catalogue/tuning.js';
import { inParts, type SeriesRange } from '../clock/series-ranges.js';
import { countedInRange } from './statistics.reader.js';

/** A stored sample of a total; epoch milliseconds. */
export interface StoredAmount {
  readonly time: number;
  /** 0 for an instant. */
  readonly duration: number;
  readonly value: number;
  readonly details: AmountDetails;
}

export interface AmountDetails {
  readonly unit: string | null;
  /** The device, and the app that wrote it; '' if unknown. */
  readonly device: string;
  /** See `traitsOf`. */
  readonly traits: string;
  /** `delivery_mode` of a dose; '' if unknown. */
  readonly delivery: string;
  /** True if it came from a former upstream user of the account. */
  readonly isEarlier: boolean;
}

const unknown: AmountDetails = { unit: null, device: '', traits: '', delivery: '', isEarlier: false };

/** Samples of a total, one in each place of the columns, because a year may have half a million. */
export interface AmountColumns {
  readonly start: number;
  /** After `start`. */
  readonly times: readonly number[];
  readonly values: readonly number[];
  /** Of each sample, or one that all have. */
  readonly durations: readonly number[];
  readonly details: readonly AmountDetails[];
}

/** The samples of columns, by time. */
export function amountsOf({ start, times, values, durations, details }: AmountColumns): StoredAmount[] {
  const at = <T>(column: readonly T[], index: number): T | undefined => column[column.length === 1 ? 0 : index];
  return times
    .map((time, index) => ({
      time: start + time,
      duration: Math.max(0, at(durations, index) ?? 0),
      value: values[index] ?? 0,
      details: at(details, index) ?? unknown,
    }))
    .sort((a, b) => a.time - b.time);
}

type Column = readonly number[] | null;
type Packed = readonly [times: Column, values: Column, durations: Column, groups: Column];

/** Reads the amounts of ranges. */
@Injectable()
export class AmountsReader {
  constructor(private readonly reader: Reader) {}

  /**
   * For each of `ranges`, its amounts. `earlierUntil`: first observation of the present upstream user. Durations and
   * details are read of each sample only where they differ.
   */
  async amounts(
    resource: Resource,
    ranges: readonly SeriesRange[],
    earlierUntil: number | null,
  ): Promise<AmountColumns[]> {
    const distinct = (await this.columns(resource, ranges, 'DISTINCT ', earlierUntil ?? 0)).map((found) => {
      return { ...found, details: [...new Set(found.details)] };
    });
    const isMixed = ({ durations, details }: AmountColumns): boolean => durations.length > 1 || details.length > 1;
    const mixed = ranges.filter((_, place) => isMixed(distinct[place] as AmountColumns));
    const each = await this.columns(resource, mixed, '', earlierUntil ?? 0);
    return distinct.map((found) => (isMixed(found) ? (each.shift() ?? found) : found));
  }

  /** `which`: the durations and details to read, those of each sample or the different ones. */
  private async columns(
    resource: Resource,
    ranges: readonly SeriesRange[],
    which: '' | 'DISTINCT ',
    earlierUntil: number,
  ): Promise<AmountColumns[]> {
    const { dialect } = this.reader;
    const list = dialect === 'sqlite' ? 'json_group_array' : 'json_agg';
    const wanted = ['p.time - w.column3', 'p.value', `${which}COALESCE(p.duration_ms, 0)`, `${which}p.group_id`];
    const lists = wanted.map((column) => `${list}(${column})`);
    const columns = packed(dialect, lists, `FROM samples p WHERE ${countedInRange(resource)}`);
    const rows = await inParts(ranges, async (places, values) => {
      const sql = `SELECT w.column1 AS place, ${columns} AS columns FROM (VALUES ${places}) AS w`;
      const part = await this.reader.rows<{ place: number; columns: string }>(sql, values);
      return part.map((row) => ({ place: row.place, packed: JSON.parse(row.columns) as Packed }));
    });
    const found = new Map(rows.map((row) => [row.place, row.packed]));
    const details = await this.details(new Set(rows.flatMap((row) => row.packed[3] ?? [])), earlierUntil);
    return ranges.map(({ start }, place) => {
      const [times, values, durations, groups] = (found.get(place) ?? []).map((column) => column ?? []);
      const ofGroups = (groups ?? []).map((group) => details.get(group) ?? unknown);
      return { start, times: times ?? [], values: values ?? [], durations: durations ?? [], details: ofGroups };
    });
  }

  /** Equal details are the same object. */
  private async details(groups: ReadonlySet<number>, earlierUntil: number): Promise<Map<number, AmountDetails>> {
    const ids = [...groups];
    const details = new Map<number, AmountDetails>();
    const known = new Map<string, AmountDetails>();
    for (let from = 0; from < ids.length; from += MAX_GROUPS_A_STATEMENT) {
      const part = filledUp(ids.slice(from, from + MAX_GROUPS_A_STATEMENT));
      const rows = await this.reader.rows<{ id: number; observation: number; content: string; device: string }>(
        `SELECT DISTINCT g.id, g.observation_id AS observation, a.content, a.device_id AS device
         FROM (VALUES ${typedRows(['bigint'], part.length)}) AS w
         JOIN sample_groups g ON g.id = w.column1 JOIN sample_attributes a ON a.id = g.attributes_id`,
        part,
      );
      for (const { id, observation, content, device } of rows) {
        const { unit, app_id: app, delivery_mode: delivery } = JSON.parse(content) as Record<string, unknown>;
        const own: AmountDetails = {
          unit: typeof unit === 'string' ? unit : null,
          device: typeof app === 'string' ? `${device} ${app}` : device,
          traits: traitsOf(content),
          delivery: typeof delivery === 'string' ? delivery : '',
          isEarlier: observation < earlierUntil,
        };
        const key = JSON.stringify(own);
        known.set(key, known.get(key) ?? own);
        details.set(id, known.get(key) ?? own);
      }
    }
    return details;
  }
}
