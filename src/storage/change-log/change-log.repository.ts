import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { shapeOf } from '../database/columns.js';
import { filledUp, placeholders, type SqlValue } from '../database/dialect.js';
import { lastNumber } from '../database/numbering.js';
import { Reader } from '../database/reader.js';
import { isUntold, serverHistory } from '../database/server-history.js';
import type { BulkShape, GivenQuery, Tx } from '../database/tx.js';
import {
  type ChangeEntity,
  type ChangeFeedEntity,
  PendingChangeEntity,
  ResourceChangeEntity,
} from './change.entity.js';
import type { Change } from './change.js';
import type { Position } from './cursor.js';

const columns = shapeOf(PendingChangeEntity)
  .columns.map(({ name }) => name)
  .join(', ');
const moved = (ids: string): string => `INSERT INTO changes (number, ${columns})
  SELECT CAST(? AS bigint) + ROW_NUMBER() OVER (ORDER BY id), ${columns} FROM pending_changes WHERE id IN (${ids})`;

/** Fields of a change without a number that determine its place and the resource it concerns. */
type PendingRow = Pick<PendingChangeEntity, 'id' | 'at' | 'kind' | 'account_id' | 'resource' | 'provider'>;
const oldest = 'SELECT id, at, kind, account_id, resource, provider FROM pending_changes ORDER BY id LIMIT ?';

const resources = shapeOf(ResourceChangeEntity);
const resourceShape: BulkShape = { ...resources, update: ['changed_at'] };

const resourcesQuery: GivenQuery = {
  columns: [{ name: 'place', type: 'int' }, ...resources.columns.slice(0, 3)],
  sql: `SELECT given.place, r.changed_at FROM given CROSS JOIN resource_changes r
    WHERE r.account_id = given.account_id AND r.resource = given.resource AND r.provider = given.provider`,
};

/** Number of changes that got a number, and the newest number. */
export interface Numbered {
  readonly count: number;
  readonly last: number;
  /** True if the server has another history than before, so that the feed restarted. */
  readonly hasDeparted: boolean;
}

export type SourceChange = Omit<ResourceChangeEntity, 'resource'>;
export type RecentChange = Pick<ChangeEntity, 'at' | 'kind' | 'subject' | 'resource' | 'start_time' | 'end_time'>;

interface FeedRow extends Pick<ChangeFeedEntity, 'last_number' | 'history'> {
  readonly present: string | null;
}

const read = `SELECT * FROM changes WHERE number > ? AND number <= ?`;

/** The tables of the log. */
@Injectable()
export class ChangeLogRepository {
  /** Expression for the history of the server. */
  private present = 'NULL';

  constructor(private readonly reader: Reader) {}

  /** Learns whether the server reveals its history. Call it before {@link begin}. */
  async learnHistory(): Promise<void> {
    if (this.reader.dialect === 'sqlite') return;
    try {
      await this.reader.catalog(`SELECT ${serverHistory} AS present`);
      this.present = serverHistory;
    } catch (error) {
      if (!isUntold(error)) throw error;
    }
  }

  /** True if the server has another history than the feed. */
  async hasDeparted(): Promise<boolean> {
    const sql = `SELECT history, ${this.present} AS present FROM change_feed WHERE id = 1`;
    const row = await this.reader.row<Pick<FeedRow, 'history' | 'present'>>(sql);
    return row !== null && row.present !== null && row.history !== row.present;
  }

  /**
   * Gives the database a feed unless it has one; a restored database has none. Without a row, numbering continues after
   * all numbers ever given, because each numbered change had an id before. Returns true if the server has another
   * history than before, so that the feed restarted.
   */
  async begin(tx: Tx, now: number): Promise<boolean> {
    const last = await lastNumber(tx, 'pending_changes', 'id');
    const sql = `INSERT INTO change_feed (id, feed, last_number, expired_number)
      VALUES (1, ?, ?, COALESCE((SELECT MIN(number) - 1 FROM changes), ?))
      ON CONFLICT (id) DO UPDATE SET feed = excluded.feed WHERE change_feed.feed = ''`;
    await tx.execute(sql, [newFeed(), last, last]);
    const feed = await this.locked(tx);
    return feed !== null && this.follow(tx, feed, now);
  }

  private async locked(tx: Tx): Promise<FeedRow | null> {
    const sql = `SELECT last_number, history, ${this.present} AS present FROM change_feed WHERE id = 1 ${tx.skipLocked}`;
    return (await tx.rows<FeedRow>(sql))[0] ?? null;
  }

  /**
   * Notes the history of the server. If it is another one, the feed restarts, so that no number is given twice in one
   * feed; returns true then.
   */
  private async follow(tx: Tx, { history, present }: FeedRow, now: number): Promise<boolean> {
    if (present === null || history === present) return false;
    await tx.execute('UPDATE change_feed SET history = ? WHERE id = 1', [present]);
    if (history === null) return false;
    await tx.execute('UPDATE change_feed SET feed = ?, departed_at = ? WHERE id = 1', [newFeed(), now]);
    return true;
  }

  async anyPending(): Promise<boolean> {
    return (await this.reader.few('SELECT 1 AS pending FROM pending_changes LIMIT 1')).length > 0;
  }

  /**
   * Numbers committed changes, oldest first. Returns null while another process does it: the feed's row stays locked
   * until the transaction ends, so there is one sequence, and the work of a killed process is rolled back.
   */
  async number(tx: Tx, limit: number, now: number): Promise<Numbered | null> {
    const feed = await this.locked(tx);
    if (!feed) return null;
    const hasDeparted = await this.follow(tx, feed, now);
    // Locked rows are being erased.
    const rows = await tx.rows<PendingRow>(`${oldest} ${tx.skipLocked}`, [limit]);
    if (rows.length === 0) return { count: 0, last: feed.last_number, hasDeparted };
    // Selected by id, because a transaction that began earlier may commit between the statements.
    const ids = filledUp(rows.map(({ id }) => id));
    const written = await tx.execute(moved(placeholders(ids.length)), [feed.last_number, ...ids]);
    if (written !== rows.length) throw new TypeError('a number of the change feed was given twice');
    await this.moveResources(tx, rows);
    await tx.execute(`DELETE FROM pending_changes WHERE id IN (${placeholders(ids.length)})`, ids);
    const last = feed.last_number + rows.length;
    await tx.execute('UPDATE change_feed SET last_number = ? WHERE id = 1', [last]);
    return { count: rows.length, last, hasDeparted };
  }

  /** Updates the time of the last change of each resource; it always increases, even if the clock does not. */
  private async moveResources(tx: Tx, rows: readonly PendingRow[]): Promise<void> {
    const latest = new Map<string, { key: SqlValue[]; at: number }>();
    for (const { kind, account_id, resource, provider, at } of rows) {
      if ((kind !== 'samples' && kind !== 'summary') || account_id === null || !resource) continue;
      const key = [account_id, resource, provider ?? ''];
      const known = latest.get(key.join(' '))?.at ?? at;
      latest.set(key.join(' '), { key, at: Math.max(at, known) });
    }
    const all = [...latest.values()];
    const given = all.flatMap(({ key }, place) => [place, ...key]);
    for (const [place, last] of await tx.given<[number, number]>(resourcesQuery, given)) {
      const one = all[place];
      if (one) one.at = Math.max(one.at, last + 1);
    }
    await tx.bulk(
      resourceShape,
      all.flatMap(({ key, at }) => [...key, at]),
    );
  }

  /** Deletes changes up to a number and returns how many. Cursors to them expire. */
  async expire(tx: Tx, upTo: number): Promise<number> {
    await tx.execute('UPDATE change_feed SET expired_number = ? WHERE id = 1 AND expired_number < ?', [upTo, upTo]);
    return tx.execute('DELETE FROM changes WHERE number <= ?', [upTo]);
  }

  feed(): Promise<ChangeFeedEntity | null> {
    return this.reader.row<ChangeFeedEntity>('SELECT * FROM change_feed WHERE id = 1');
  }

  /** When the change with a number was noted; null if it is not stored. */
  async at(number: number): Promise<number | null> {
    const row = await this.reader.row<{ at: number }>('SELECT at FROM changes WHERE number = ?', [number]);
    return row?.at ?? null;
  }

  /** The position after the newest change. */
  async newest({ feed, last_number: number }: ChangeFeedEntity): Promise<Position> {
    return { feed, number, at: (await this.at(number)) ?? 0 };
  }

  /** When the records of an account last changed, by resource and source. */
  changedAt(account: number): Promise<ResourceChangeEntity[]> {
    return this.reader.rows('SELECT * FROM resource_changes WHERE account_id = ?', [account]);
  }

  /** When the records of each source of these accounts last changed. */
  lastOfSources(accounts: readonly number[]): Promise<SourceChange[]> {
    const ids = filledUp(accounts);
    return this.reader.rows(
      `SELECT account_id, provider, MAX(changed_at) AS changed_at FROM resource_changes
       WHERE account_id IN (${placeholders(ids.length)}) GROUP BY account_id, provider`,
      ids,
    );
  }

  /** The newest changes of an account, numbered or not, newest first, without gaps; at most `limit` of each. */
  async recent(account: number, limit: number): Promise<RecentChange[]> {
    const read = (table: string, key: string): Promise<RecentChange[]> =>
      this.reader.rows(
        `SELECT at, kind, subject, resource, start_time, end_time FROM ${table} WHERE account_id = ?
         ORDER BY ${key} DESC LIMIT ?`,
        [account, limit],
      );
    const pending = await read('pending_changes', 'id');
    return [...pending, ...(await read('changes', 'number'))];
  }

  /** Changes after `after` up to `last`, in order; with `account`, only those of this account. */
  async page(after: number, last: number, limit: number, account?: number): Promise<Change[]> {
    const own = account === undefined ? '' : ' AND account_id = ?';
    const sql = `${read}${own} ORDER BY number LIMIT ?`;
    const values = account === undefined ? [after, last] : [after, last, account];
    return (await this.reader.rows<ChangeEntity>(sql, [...values, limit])).map(changeOf);
  }

  /** The change with a number; null if it is not stored. */
  async find(number: number): Promise<Change | null> {
    const row = await this.reader.row<ChangeEntity>('SELECT * FROM changes WHERE number = ?', [number]);
    return row && changeOf(row);
  }

  /**
   * Number of the last of the oldest `limit` changes such that all up to it were noted before `before`; null if there
   * is none.
   */
  async lastExpired(before: number, limit: number): Promise<number | null> {
    const rows = await this.reader.rows<{ number: number; at: number }>(
      'SELECT number, at FROM changes ORDER BY number LIMIT ?',
      [limit],
    );
    const end = rows.findIndex(({ at }) => at >= before);
    return rows[(end < 0 ? rows.length : end) - 1]?.number ?? null;
  }

  /** When the first change after a number was noted; null if there is none. */
  async nextAt(number: number): Promise<number | null> {
    const sql = 'SELECT at FROM changes WHERE number > ? ORDER BY number LIMIT 1';
    return (await this.reader.row<{ at: number }>(sql, [number]))?.at ?? null;
  }
}

function newFeed(): string {
  return randomBytes(6).toString('hex');
}

function changeOf(row: ChangeEntity): Change {
  const { number, at, kind, action, origin, account_id: account, subject, resource, provider } = row;
  const { start_time: start, end_time: end, count, first_day: firstDay, last_day: lastDay } = row;
  const samples =
    start === null || end === null
      ? null
      : { start, end, count: count ?? 0, firstDay: firstDay ?? 0, lastDay: lastDay ?? 0 };
  return { number, at, kind, action, origin, account, subject, resource, provider, samples };
}
