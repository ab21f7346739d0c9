import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { hasFloatingTime } from '../catalogue/catalogue.js';
import { type Sample, type SeriesKey, type SourceDetails, sameDetails } from '../catalogue/records.js';
import { Reader } from '../database/reader.js';
import type { Tx } from '../database/tx.js';

export interface SeriesRef {
  readonly id: number;
  /** The series did not exist before. */
  readonly created: boolean;
}

/** A forgotten id is read again. By size and not by `max`, which would take the memory of all places at the start. */
const remembered = { maxSize: 100_000, sizeCalculation: () => 1 };

/**
 * Turns series keys and attribute texts into their numbers. Rows are never changed and committed ids never given out
 * again, so ids are remembered (of attributes the common ones), but only those the reader sees: one that this or a
 * neighbouring job has inserted may still be rolled back, and its number used for something else. A remembered series
 * whose account was erased fails on the foreign key: `forget` and try again.
 */
@Injectable()
export class SeriesIndex {
  private readonly series = new LRUCache<string, number>(remembered);
  private readonly attributes = new LRUCache<string, number>(remembered);

  constructor(private readonly reader: Reader) {}

  async seriesId(tx: Tx, account: number, resource: string, key: SeriesKey, now: number): Promise<SeriesRef> {
    const natural = [account, resource, key.provider, key.sourceType, key.subSeries];
    const name = JSON.stringify(natural);
    const known = this.series.get(name);
    if (known !== undefined) return { id: known, created: false };
    const committed = await this.reader.row<{ id: number }>(findSeries, natural);
    if (committed) return { id: remember(this.series, name, committed.id), created: false };
    const [made] = await tx.rows<{ id: number }>(insertSeries, [
      ...natural,
      hasFloatingTime(key.provider) ? 1 : 0,
      now,
    ]);
    if (made) return { id: made.id, created: true };
    const [other] = await tx.rows<{ id: number }>(findSeries, natural);
    return { id: (other as { id: number }).id, created: false };
  }

  /** The number of each sample's attributes, in the order of the samples; neighbours nearly always share theirs. */
  async attributesIds(tx: Tx, account: number, samples: readonly Sample[]): Promise<number[]> {
    const ids: number[] = [];
    let last: Sample | null = null;
    let id = 0;
    for (const sample of samples) {
      if (sample.attributes !== last?.attributes || !sameDetails(sample.details, last.details)) {
        last = sample;
        id = await this.attributesId(tx, account, sample);
      }
      ids.push(id);
    }
    return ids;
  }

  forget(): void {
    this.series.clear();
    this.attributes.clear();
  }

  private async attributesId(tx: Tx, account: number, { attributes, details }: Sample): Promise<number> {
    const common = isCommon(attributes);
    const owner = common && namesNothing(details) ? 0 : account;
    const natural = [attributes, owner, details.deviceId, details.workoutId, details.sport];
    const name = JSON.stringify(natural);
    const known = this.attributes.get(name);
    if (known !== undefined) return known;
    const committed = await this.reader.row<{ id: number }>(findAttributes, natural);
    if (committed) return common ? remember(this.attributes, name, committed.id) : committed.id;
    const [made] = await tx.rows<{ id: number }>(insertAttributes, natural);
    if (made) return made.id;
    const [other] = await tx.rows<{ id: number }>(findAttributes, natural);
    return (other as { id: number }).id;
  }
}

const seriesKey = 'account_id, resource, provider, source_type, sub_series';
const findSeries = `SELECT id FROM series WHERE account_id = ? AND resource = ? AND provider = ? AND source_type = ?
  AND sub_series = ?`;
const insertSeries = `INSERT INTO series (${seriesKey}, floating_time, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (${seriesKey}) DO NOTHING RETURNING id`;
const attributesKey = 'content, account_id, device_id, workout_id, sport';
const findAttributes = `SELECT id FROM sample_attributes WHERE content = ? AND account_id = ? AND device_id = ?
  AND workout_id = ? AND sport = ?`;
const insertAttributes = `INSERT INTO sample_attributes (${attributesKey}) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (${attributesKey}) DO NOTHING RETURNING id`;

function remember(ids: LRUCache<string, number>, name: string, id: number): number {
  ids.set(name, id);
  return id;
}

const unitsAndOffsets = /^\{("timezone_offset":-?\d{1,6})?,?("unit":"[A-Za-z0-9%\u00b0\u00b5/*^._ -]{0,24}")?\}$/;

/**
 * Whether attributes are a unit and an offset and nothing else: few, short, and they say nothing of anybody. Whatever
 * else a sample carries may be free text, and belongs to its person, as a device or a workout does.
 */
function isCommon(content: string): boolean {
  return unitsAndOffsets.test(content);
}

function namesNothing({ deviceId, workoutId, sport }: SourceDetails): boolean {
  return deviceId === '' && workoutId === '' && sport === '';
}
