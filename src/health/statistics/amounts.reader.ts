import { Injectable } from '@nestjs/common';
import { filledUp, typedRows } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import { traitsOf } from '../catalogue/records.js';
import { inParts, type SeriesRange } from '../clock/series-ranges.js';
import { isMeasured } from './statistics.reader.js';

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
  /** True if it came from a former upstream user of the account. */
  readonly isEarlier: boolean;
}

const GROUPS_A_STATEMENT = 1_024;
const unknown: AmountDetails = { unit: null, device: '', traits: '', isEarlier: false };

type Packed = readonly [times: number[], durations: number[], values: number[], groups: number[]];

/** Samples of a total, one in each place of the columns, because a year may have half a million. */
export interface AmountColumns {
  readonly start: number;
  /** After `start`. */
  readonly times: readonly number[];
  readonly durations: readonly number[];
  readonly values: readonly number[];
  readonly groups: readonly number[];
  readonly detailsOfGroup: ReadonlyMap<number, AmountDetails>;
}

/** The samples of columns, by time. */
export function amountsOf({ start, times, durations, values, groups, detailsOfGroup }: AmountColumns): StoredAmount[] {
  return times
    .map((time, index) => ({
      time: start + time,
      duration: Math.max(0, durations[index] ?? 0),
      value: values[index] ?? 0,
      details: detailsOfGroup.get(groups[index] ?? 0) ?? unknown,
    }))
    .sort((a, b) => a.time - b.time);
}

/** Reads the amounts of ranges. */
@Injectable()
export class AmountsReader {
  constructor(private readonly reader: Reader) {}

  /** For each of `ranges`, its amounts. `earlierUntil`: first observation of the present upstream user. */
  async amounts(ranges: readonly SeriesRange[], earlierUntil: number | null): Promise<AmountColumns[]> {
    const isSqlite = this.reader.dialect === 'sqlite';
    const [list, pack] = isSqlite ? ['json_group_array', 'json_array'] : ['json_agg', 'json_build_array'];
    const columns = ['p.time - w.column3', 'COALESCE(p.duration_ms, 0)', 'p.value', 'p.group_id'];
    const rows = await inParts(ranges, (places, values) =>
      this.reader.rows<{ place: number; columns: string }>(
        `SELECT w.column1 AS place, CAST((SELECT ${pack}(${columns.map((column) => `${list}(${column})`).join(', ')})
           FROM samples p WHERE p.series_id = w.column2 AND p.time >= w.column3 AND p.time < w.column4
            AND ${isMeasured('p.value')}) AS text) AS columns
         FROM (VALUES ${places}) AS w`,
        values,
      ),
    );
    const found = new Map(rows.map(({ place, columns: text }) => [place, JSON.parse(text) as Packed]));
    const used = new Set<number>();
    for (const [, , , groups] of found.values()) for (const group of groups ?? []) used.add(group);
    const detailsOfGroup = await this.details(used, earlierUntil ?? 0);
    return ranges.map(({ start }, place) => {
      const [times, durations, values, groups] = (found.get(place) ?? []).map((column) => column ?? []);
      return {
        start,
        times: times ?? [],
        durations: durations ?? [],
        values: values ?? [],
        groups: groups ?? [],
        detailsOfGroup,
      };
    });
  }

  private async details(groups: ReadonlySet<number>, earlierUntil: number): Promise<Map<number, AmountDetails>> {
    const ids = [...groups];
    const details = new Map<number, AmountDetails>();
    for (let from = 0; from < ids.length; from += GROUPS_A_STATEMENT) {
      const part = filledUp(ids.slice(from, from + GROUPS_A_STATEMENT));
      const rows = await this.reader.rows<{ id: number; observation: number; content: string; device: string }>(
        `SELECT DISTINCT g.id, g.observation_id AS observation, a.content, a.device_id AS device
         FROM (VALUES ${typedRows(['bigint'], part.length)}) AS w
         JOIN sample_groups g ON g.id = w.column1 JOIN sample_attributes a ON a.id = g.attributes_id`,
        part,
      );
      for (const { id, observation, content, device } of rows) {
        const { unit, app_id: app } = JSON.parse(content) as { unit?: unknown; app_id?: unknown };
        details.set(id, {
          unit: typeof unit === 'string' ? unit : null,
          device: typeof app === 'string' ? `${device} ${app}` : device,
          traits: traitsOf(content),
          isEarlier: observation < earlierUntil,
        });
      }
    }
    return details;
  }
}
