import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { hasFloatingTime } from '../catalogue/catalogue.js';
import { type Sample, type SeriesKey, seriesName } from '../catalogue/records.js';
import { Reader } from '../database/reader.js';
import type { Tx } from '../database/tx.js';

export interface SeriesRef {
  readonly id: number;
  /** The series did not exist before. */
  readonly created: boolean;
}

/** A forgotten id is read again. */
const MAX_REMEMBERED = 100_000;

/**
 * Turns series keys and attribute texts into their numbers. Rows are never changed and committed ids never given out
 * again, so ids are remembered (of attributes those that all share), but only those the reader sees: one that this or a
 * neighbouring job has inserted may still be rolled back, and its number used for something else. A remembered series
 * whose account was erased fails on the foreign key: `forget` and try again.
 */
@Injectable()
export class SeriesIndex {
  private readonly series = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  private readonly attributes = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  constructor(private readonly reader: Reader) {}

  async seriesId(tx: Tx, account: number, resource: string, key: SeriesKey, now: number): Promise<SeriesRef> {
    const name = `${account}\n${resource}\n${seriesName(key)}`;
    const known = this.series.get(name);
    if (known !== undefined) return { id: known, created: false };
    const natural = [account, resource, key.provider, key.sourceType, key.deviceId, key.workoutId, key.sport];
    natural.push(key.subSeries);
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
    let content: string | null = null;
    let id = 0;
    for (const { attributes } of samples) {
      if (attributes !== content) {
        content = attributes;
        id = await this.attributesId(tx, account, content);
      }
      ids.push(id);
    }
    return ids;
  }

  forget(): void {
    this.series.clear();
    this.attributes.clear();
  }

  private async attributesId(tx: Tx, account: number, content: string): Promise<number> {
    const known = this.attributes.get(content);
    if (known !== undefined) return known;
    const owner = mayBeShared(content) ? 0 : account;
    const committed = await this.reader.row<{ id: number }>(findAttributes, [content, owner]);
    if (committed) return owner === 0 ? remember(this.attributes, content, committed.id) : committed.id;
    const [made] = await tx.rows<{ id: number }>(insertAttributes, [content, owner]);
    if (made) return made.id;
    const [other] = await tx.rows<{ id: number }>(findAttributes, [content, owner]);
    return (other as { id: number }).id;
  }
}

const naturalKey = 'account_id, resource, provider, source_type, device_id, workout_id, sport, sub_series';
const findSeries = `SELECT id FROM series WHERE account_id = ? AND resource = ? AND provider = ? AND source_type = ?
  AND device_id = ? AND workout_id = ? AND sport = ? AND sub_series = ?`;
const insertSeries = `INSERT INTO series (${naturalKey}, floating_time, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (${naturalKey}) DO NOTHING RETURNING id`;
const findAttributes = 'SELECT id FROM sample_attributes WHERE content = ? AND account_id = ?';
const insertAttributes =
  'INSERT INTO sample_attributes (content, account_id) VALUES (?, ?) ON CONFLICT (content, account_id) DO NOTHING RETURNING id';

function remember(ids: LRUCache<string, number>, name: string, id: number): number {
  ids.set(name, id);
  return id;
}

const unitsAndOffsets = /^\{("timezone_offset":-?\d{1,6})?,?("unit":"[A-Za-z0-9%\u00b0\u00b5/*^._ -]{0,24}")?\}$/;

/**
 * Whether attributes are a unit and an offset and nothing else. Such are the same for everybody and say nothing of
 * anybody; whatever else a sample carries may be free text, and belongs to its person.
 */
function mayBeShared(content: string): boolean {
  return unitsAndOffsets.test(content);
}
