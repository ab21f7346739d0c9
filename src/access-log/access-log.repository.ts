import { Injectable } from '@nestjs/common';
import { accountIdOfExternalId, externalIdOf } from '../accounts/account-sql.js';
import { Conditions } from '../database/conditions.js';
import { Reader } from '../database/reader.js';
import type { BulkShape, Tx } from '../database/tx.js';
import { AppError } from '../platform/errors.js';
import type { AccessChainEntity, AccessEntryEntity } from './access-log.entity.js';
import { chained, type Entry } from './chain.js';

/** Conditions on entries; times in epoch milliseconds, `from` included and `to` not. */
export interface AccessFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** The customer's id of the account it is about. */
  readonly accountId?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** An entry with the customer's id of the account it is about; null once that account is gone. */
export type AccessRow = AccessEntryEntity & { readonly account_id: string | null };

const columns = [
  { name: 'seq', type: 'int' },
  { name: 'at', type: 'int' },
  { name: 'actor', type: 'text' },
  { name: 'role', type: 'text' },
  { name: 'action', type: 'text' },
  { name: 'account_ref', type: 'int' },
  { name: 'target', type: 'text' },
  { name: 'address', type: 'text' },
  { name: 'request_id', type: 'text' },
  { name: 'status', type: 'int' },
  { name: 'previous_hash', type: 'text' },
  { name: 'hash', type: 'text' },
] as const satisfies BulkShape['columns'];

const newEntries: BulkShape = { table: 'access_log', columns, conflict: ['seq'], update: [] };

const names = columns.map(({ name }) => name).join(', ');

/** The access log and the two ends of its chain. */
@Injectable()
export class AccessLogRepository {
  constructor(private readonly reader: Reader) {}

  /**
   * Adds entries at the end of the chain. Its row is written first, which keeps every other process waiting until this
   * transaction has ended: two could not go on from the same entry.
   */
  async append(tx: Tx, entries: readonly Entry[]): Promise<void> {
    const [end] = await tx.rows<Pick<AccessChainEntity, 'last_seq' | 'last_hash'>>(
      'UPDATE access_log_chain SET last_seq = last_seq + ? WHERE id = 1 RETURNING last_seq, last_hash',
      [entries.length],
    );
    if (!end) throw new AppError('storage_unavailable', 'The access log has lost its chain.');
    const placed = chained(entries, { ...end, last_seq: end.last_seq - entries.length });
    const values = placed.flatMap((entry) => columns.map(({ name }) => entry[name]));
    if ((await tx.bulk(newEntries, values)) !== placed.length) {
      throw new AppError('storage_unavailable', 'The end of the access log is taken.');
    }
    await tx.execute('UPDATE access_log_chain SET last_hash = ? WHERE id = 1', [placed.at(-1)?.hash ?? end.last_hash]);
  }

  /** Where the chain begins and ends; null only when somebody has removed that. */
  ends(): Promise<AccessChainEntity | null> {
    return this.reader.row('SELECT * FROM access_log_chain WHERE id = 1');
  }

  /** Newest first, those before `beforeSeq`. */
  page(filter: AccessFilter, beforeSeq: number | null, limit: number): Promise<AccessRow[]> {
    const conditions = new Conditions()
      .add('actor = ?', filter.actor)
      .add('action = ?', filter.action)
      .add(`account_ref = ${accountIdOfExternalId}`, filter.accountId)
      .add('at >= ?', filter.from)
      .add('at < ?', filter.to)
      .add('seq < ?', beforeSeq ?? undefined);
    return this.reader.rows(
      `SELECT ${names}, ${externalIdOf('access_log.account_ref')} AS account_id
       FROM access_log ${conditions.where} ORDER BY seq DESC LIMIT ?`,
      [...conditions.values, limit],
    );
  }

  /** In the order of the chain, those after `afterSeq` up to `untilSeq`. */
  slice(afterSeq: number, untilSeq: number, limit: number): Promise<AccessEntryEntity[]> {
    const sql = `SELECT ${names} FROM access_log WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`;
    return this.reader.rows(sql, [afterSeq, untilSeq, limit]);
  }

  /** Numbers of the first and the last entry there is, whatever the chain says. */
  async range(): Promise<{ oldest: number | null; newest: number | null }> {
    const sql = 'SELECT (SELECT MIN(seq) FROM access_log) AS oldest, (SELECT MAX(seq) FROM access_log) AS newest';
    return (await this.reader.row(sql)) ?? { oldest: null, newest: null };
  }

  /** When the oldest entry that is kept was written; null while there is none. */
  async oldestAt(): Promise<number | null> {
    const sql = 'SELECT at FROM access_log WHERE seq = (SELECT first_seq FROM access_log_chain WHERE id = 1)';
    return (await this.reader.row<{ at: number }>(sql))?.at ?? null;
  }

  /**
   * Removes up to `limit` entries from the front, as far as all are from before `before`; answers the number of the
   * last one, null when there was none to remove. The anchor moves past them first, else the database would refuse.
   */
  async removeOldest(tx: Tx, before: number, limit: number): Promise<number | null> {
    const [ends] = await tx.rows<{ first_seq: number }>(
      'UPDATE access_log_chain SET first_seq = first_seq WHERE id = 1 RETURNING first_seq',
    );
    const rows = await tx.rows<Pick<AccessEntryEntity, 'seq' | 'at' | 'hash'>>(
      'SELECT seq, at, hash FROM access_log WHERE seq >= ? ORDER BY seq LIMIT ?',
      [ends?.first_seq ?? 0, limit],
    );
    const kept = rows.findIndex(({ at }) => at >= before);
    const last = (kept < 0 ? rows : rows.slice(0, kept)).at(-1);
    if (!last) return null;
    await tx.execute('UPDATE access_log_chain SET first_seq = ?, anchor_hash = ? WHERE id = 1', [
      last.seq + 1,
      last.hash,
    ]);
    await tx.execute('DELETE FROM access_log WHERE seq <= ?', [last.seq]);
    return last.seq;
  }
}
