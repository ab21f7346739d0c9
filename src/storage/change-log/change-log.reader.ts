import { Injectable } from '@nestjs/common';
import { Reader } from '../database/reader.js';
import type { ChangeEntity, ChangeFeedEntity, ResourceChangeEntity } from './change.entity.js';
import type { Change } from './change.js';

export type RecentChange = Pick<ChangeEntity, 'at' | 'kind' | 'subject' | 'resource' | 'start_time' | 'end_time'>;

const read = `SELECT * FROM changes WHERE number > ? AND number <= ?`;

/** The read side of the log. */
@Injectable()
export class ChangeLogReader {
  constructor(private readonly reader: Reader) {}

  feed(): Promise<ChangeFeedEntity | null> {
    return this.reader.row<ChangeFeedEntity>('SELECT * FROM change_feed WHERE id = 1');
  }

  /** When the change with a number was noted; null if it is not stored. */
  async at(number: number): Promise<number | null> {
    const row = await this.reader.row<{ at: number }>('SELECT at FROM changes WHERE number = ?', [number]);
    return row?.at ?? null;
  }

  /** When the records of an account last changed, by resource and source. */
  changedAt(account: number): Promise<ResourceChangeEntity[]> {
    return this.reader.rows('SELECT * FROM resource_changes WHERE account_id = ?', [account]);
  }

  /** The newest changes of an account, with or without a number; at most `limit` of each, none missing between. */
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

  /** Changes after `after` up to `last`, in their order; with `account`, its own alone. */
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
   * The last of the oldest `limit` changes up to which all were noted before an instant or have a number up to `most`;
   * null if there is none.
   */
  async lastExpired(before: number, most: number, limit: number): Promise<number | null> {
    const rows = await this.reader.rows<{ number: number; at: number }>(
      'SELECT number, at FROM changes ORDER BY number LIMIT ?',
      [limit],
    );
    const end = rows.findIndex(({ number, at }) => at >= before && number > most);
    return rows[(end < 0 ? rows.length : end) - 1]?.number ?? null;
  }

  /** When the first change after a number was noted; null if there is none. */
  async nextAt(number: number): Promise<number | null> {
    const sql = 'SELECT at FROM changes WHERE number > ? ORDER BY number LIMIT 1';
    return (await this.reader.row<{ at: number }>(sql, [number]))?.at ?? null;
  }
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
