import { Injectable } from '@nestjs/common';
import { externalIdOf } from '../../accounts/accounts/account-sql.js';
import { everyResource } from '../../http/server/route-facts.js';
import { AppError } from '../../platform/platform/errors.js';
import { shapeOf, valuesOf } from '../../storage/database/columns.js';
import { alongIndex, type NumberOrder, newestBefore } from '../../storage/database/conditions.js';
import { filledUp, placeholders, type SqlInput } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import { saveRows } from '../../storage/database/rows.js';
import type { Tx } from '../../storage/database/tx.js';
import { AccessEntryEntity, AccessWriterEntity, PendingEntryEntity } from './access-log.entity.js';
import {
  type ChainEnds,
  type ChainedEntry,
  chained,
  type Entry,
  examined,
  type Head,
  isChain,
  isLoss,
  noHash,
  type PendingEntry,
  type Removed,
  restartEntry,
} from './chain.js';

/** Filters on entries; times in epoch milliseconds, starts inclusive and ends exclusive. */
export interface AccessFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** `accounts.id`. */
  readonly account_ref?: number | undefined;
  /** Matches reads of this resource, and of all resources together. */
  readonly resource?: string | undefined;
  /** Matches reads with a window that overlaps this one. */
  readonly window_start?: number | undefined;
  readonly window_end?: number | undefined;
  readonly start?: number | undefined;
  readonly end?: number | undefined;
}

/** An entry with the customer's id of the account it is about; null once that account is erased. */
export type AccessRow = ChainedEntry & { readonly account_id: string | null };

interface End extends Head {
  /** True if the row of ends was lost and has just been made again. */
  readonly isAnew: boolean;
}

export interface Chained {
  /** Number of entries that waited. */
  readonly count: number;
  /** Number in the chain of the first entry that records a change or a loss of waiting ones; null if there is none. */
  readonly lostAt: number | null;
}

const newEntries = { ...shapeOf(AccessEntryEntity), update: [] };

const names = newEntries.columns.map(({ name }) => name).join(', ');

const shown = `SELECT ${names}, ${externalIdOf('access_log.account_ref')} AS account_id`;

/**
 * Entries that match a filter, up to a limit. Reads of a resource and of all resources are read each from its end of
 * their index, because no index has both in the order of entries. Entries about one account are fewer.
 */
function listing(filter: AccessFilter, order: NumberOrder, limit: number): { sql: string; values: SqlInput[] } {
  const { account_ref, resource, actor, action, window_start, window_end, start, end } = filter;
  const isOfResource = resource !== undefined && account_ref === undefined;
  const resources = isOfResource ? [...new Set([resource, everyResource])] : [undefined];
  const parts = resources.map((one) => {
    const isTimed = start !== undefined || end !== undefined;
    const { conditions, orderBy } = alongIndex(order, { account_ref, resource: one, actor, action }, isTimed);
    conditions
      .add(`COALESCE(resource, '') IN (?, ?)`, isOfResource ? undefined : resource, everyResource)
      .add('resource IS NOT NULL AND (window_end IS NULL OR window_end > ?)', window_start)
      .add('resource IS NOT NULL AND (window_start IS NULL OR window_start < ?)', window_end)
      .add('at >= ?', start)
      .add('at < ?', end);
    const { where, values } = conditions;
    const sql = `SELECT * FROM (SELECT ${names} FROM access_log ${where} ORDER BY ${orderBy} LIMIT ?) entries`;
    return { sql, values: [...values, limit] };
  });
  return {
    sql: `${shown} FROM (${parts.map(({ sql }) => sql).join(' UNION ALL ')}) access_log
      ORDER BY seq ${order.order} LIMIT ?`,
    values: [...parts.flatMap(({ values }) => values), limit],
  };
}

const pendingEntries = { ...shapeOf<Omit<PendingEntry, 'id'>>(PendingEntryEntity), update: [] };
const takeOldest = `DELETE FROM access_log_pending
  WHERE id IN (SELECT id FROM access_log_pending ORDER BY id LIMIT ?) RETURNING *`;
const writers = shapeOf(AccessWriterEntity);

/** SQL condition on writers; takes a time twice. */
const unused = 'at < ? AND NOT EXISTS (SELECT 1 FROM access_log_pending WHERE at < ?)';

/** An entry that was not stored because its number was taken. */
function numberTaken(): AppError {
  return new AppError('storage_unavailable', 'Another entry was written to the access log at the same time.');
}

function chainMissing(): AppError {
  return new AppError('storage_unavailable', 'The chain of the access log is missing.');
}

/** The tables of the access log. */
@Injectable()
export class AccessLogRepository {
  constructor(private readonly reader: Reader) {}

  /** Stores entries that wait for the chain, with one statement that locks no row. */
  async insert(tx: Tx, entries: readonly Omit<PendingEntry, 'id'>[]): Promise<void> {
    if ((await tx.bulk(pendingEntries, valuesOf(pendingEntries, entries))) !== entries.length) throw numberTaken();
  }

  /**
   * Chains up to `limit` waiting entries, those of each writer in their order, and returns their number. Another
   * process that does so waits until this transaction ends, so that no two of them continue from the same entry.
   */
  async chain(tx: Tx, limit: number): Promise<Chained> {
    const end = await this.lockEnd(tx);
    const taken = await tx.rows<PendingEntry>(takeOldest, [limit]);
    const waiting = taken.sort((a, b) => a.id - b.id);
    if (waiting.length === 0) {
      // Without an entry that records the loss, nothing may replace the lost row.
      if (end.isAnew) throw chainMissing();
      return { count: 0, lostAt: null };
    }
    const last = new Map(waiting.map((entry) => [entry.writer, entry]));
    const names = filledUp([...last.keys()]);
    const known = await tx.rows<AccessWriterEntity>(
      `SELECT * FROM access_log_writers WHERE writer IN (${placeholders(names.length)})`,
      names,
    );
    const entries = examined(waiting, new Map(known.map(({ writer, mark }) => [writer, mark])));
    const placed = await this.place(tx, entries, end);
    await saveRows(tx, writers, [...last.values()]);
    return { count: waiting.length, lostAt: placed.find(isLoss)?.seq ?? null };
  }

  /** Number of entries that wait for the chain. */
  async waiting(): Promise<number> {
    const row = await this.reader.row<{ count: number }>('SELECT COUNT(*) AS count FROM access_log_pending');
    return row?.count ?? 0;
  }

  /** Ids of the first and the last waiting entry; null if there is none. */
  async pendingRange(): Promise<{ first: number; last: number } | null> {
    const sql = `SELECT (SELECT MIN(id) FROM access_log_pending) AS first,
      (SELECT MAX(id) FROM access_log_pending) AS last`;
    const row = await this.reader.row<{ first: number | null; last: number }>(sql);
    return row && row.first !== null ? { first: row.first, last: row.last } : null;
  }

  /** True if `forgetWriters` would find some. */
  async hasUnusedWriters(before: number): Promise<boolean> {
    return (
      (await this.reader.row(`SELECT 1 FROM access_log_writers WHERE ${unused} LIMIT 1`, [before, before])) !== null
    );
  }

  /** Forgets writers whose last entry is older than this, unless older entries than that still wait. */
  forgetWriters(tx: Tx, before: number): Promise<number> {
    return tx.execute(`DELETE FROM access_log_writers WHERE ${unused}`, [before, before]);
  }

  /** Appends entries directly to the chain. */
  async append(tx: Tx, entries: readonly Entry[]): Promise<void> {
    await this.place(tx, entries, await this.lockEnd(tx));
  }

  /** When the last entry of this actor was made; null if there is none. */
  async lastOf(actor: string): Promise<number | null> {
    const sql = 'SELECT at FROM access_log WHERE actor = ? ORDER BY seq DESC LIMIT 1';
    return (await this.reader.row<{ at: number }>(sql, [actor]))?.at ?? null;
  }

  /**
   * Locks the end of the chain until the transaction ends. If the row of ends was deleted, the chain continues after
   * the last entry found.
   */
  private async lockEnd(tx: Tx): Promise<End> {
    const lock = 'UPDATE access_log_chain SET last_seq = last_seq WHERE id = 1 RETURNING last_seq, last_hash';
    const [end] = await tx.rows<Head>(lock);
    if (end) return { ...end, isAnew: false };
    const made = await tx.execute(
      `INSERT INTO access_log_chain (id, first_seq, anchor_hash, last_seq, last_hash)
       SELECT 1, COALESCE((SELECT MIN(seq) FROM access_log), 1),
         COALESCE((SELECT previous_hash FROM access_log ORDER BY seq LIMIT 1), ?),
         COALESCE((SELECT MAX(seq) FROM access_log), 0),
         COALESCE((SELECT hash FROM access_log ORDER BY seq DESC LIMIT 1), ?)
       WHERE TRUE ON CONFLICT (id) DO NOTHING`,
      [noHash, noHash],
    );
    const [again] = await tx.rows<Head>(lock);
    if (!again) throw chainMissing();
    return { ...again, isAnew: made > 0 };
  }

  /** Stores entries after the end of the chain; after one that was lost, with an entry that records it. */
  private async place(tx: Tx, entries: readonly Entry[], end: End): Promise<ChainedEntry[]> {
    const all = end.isAnew ? [restartEntry(end.last_seq, entries[0]?.at ?? 0), ...entries] : entries;
    const placed = chained(all, end);
    if ((await saveRows(tx, newEntries, placed)) !== placed.length) throw numberTaken();
    const { seq, hash } = placed.at(-1) ?? { seq: end.last_seq, hash: end.last_hash };
    await tx.execute('UPDATE access_log_chain SET last_seq = ?, last_hash = ? WHERE id = 1', [seq, hash]);
    return placed;
  }

  /** The two ends of the chain; null only if their row was deleted. */
  ends(): Promise<ChainEnds | null> {
    return this.reader.row('SELECT * FROM access_log_chain WHERE id = 1');
  }

  /** True if any entry matches. */
  async has(filter: AccessFilter): Promise<boolean> {
    const { sql, values } = listing(filter, newestBefore('seq', null), 1);
    return (await this.reader.row(sql, values)) !== null;
  }

  /** Newest first, before `beforeSeq`. */
  page(filter: AccessFilter, beforeSeq: number | null, limit: number): Promise<AccessRow[]> {
    const { sql, values } = listing(filter, newestBefore('seq', beforeSeq), limit);
    return this.reader.rows(sql, values);
  }

  /** Oldest first, after `afterSeq` up to `untilSeq`. */
  ascending(filter: AccessFilter, afterSeq: number, untilSeq: number, limit: number): Promise<AccessRow[]> {
    const { sql, values } = listing(filter, { number: 'seq', order: 'ASC', from: afterSeq, to: untilSeq }, limit);
    return this.reader.rows(sql, values);
  }

  /** In the order of the chain, after `afterSeq` up to `untilSeq`. */
  slice(afterSeq: number, untilSeq: number, limit: number): Promise<ChainedEntry[]> {
    const sql = `SELECT ${names} FROM access_log WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`;
    return this.reader.rows(sql, [afterSeq, untilSeq, limit]);
  }

  /** Numbers of the first and the last stored entry, independent of the row of ends. */
  async range(): Promise<{ oldest: number | null; newest: number | null }> {
    const sql = 'SELECT (SELECT MIN(seq) FROM access_log) AS oldest, (SELECT MAX(seq) FROM access_log) AS newest';
    return (await this.reader.row(sql)) ?? { oldest: null, newest: null };
  }

  /** When the oldest entry was written; null if there is none. */
  async oldestAt(): Promise<number | null> {
    const sql = 'SELECT at FROM access_log WHERE seq = (SELECT first_seq FROM access_log_chain WHERE id = 1)';
    return (await this.reader.row<{ at: number }>(sql))?.at ?? null;
  }

  /**
   * Removes up to `limit` entries older than `before` from the front; null if there are none. `altered`: these entries
   * or the one after them were changed, so they stay; otherwise, changing the time of an entry would delete it together
   * with the evidence. Moves the anchor first, because triggers refuse to delete entries after it.
   */
  async removeOldest(tx: Tx, before: number, limit: number): Promise<Removed | 'altered' | null> {
    const [ends] = await tx.rows<ChainEnds>(
      `UPDATE access_log_chain SET first_seq = first_seq WHERE id = 1
       RETURNING id, first_seq, anchor_hash, last_seq, last_hash`,
    );
    if (!ends) return null;
    const rows = await tx.rows<ChainedEntry>(`SELECT ${names} FROM access_log WHERE seq >= ? ORDER BY seq LIMIT ?`, [
      ends.first_seq,
      limit + 1,
    ]);
    const old = rows.findIndex(({ at }) => at >= before);
    const removable = (old < 0 ? rows : rows.slice(0, old)).slice(0, limit);
    const last = removable.at(-1);
    if (!last) return null;
    const isWhole = isChain(rows.slice(0, removable.length + 1), ends.anchor_hash);
    const isEnd = last.seq < ends.last_seq || last.hash === ends.last_hash;
    if (!isWhole || !isEnd) return 'altered';
    await tx.execute('UPDATE access_log_chain SET first_seq = ?, anchor_hash = ? WHERE id = 1', [
      last.seq + 1,
      last.hash,
    ]);
    await tx.execute('DELETE FROM access_log WHERE seq <= ?', [last.seq]);
    return { from: ends.first_seq, to: last.seq, hash: last.hash };
  }
}
