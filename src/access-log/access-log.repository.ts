import { Injectable } from '@nestjs/common';
import { accountIdOfExternalId, externalIdOf } from '../accounts/account-sql.js';
import { Conditions } from '../database/conditions.js';
import { Reader } from '../database/reader.js';
import type { BulkShape, Tx } from '../database/tx.js';
import { AppError } from '../platform/errors.js';
import {
  type ChainEnds,
  type ChainedEntry,
  chained,
  type Entry,
  type Head,
  isChain,
  noHash,
  type Removed,
  restartEntry,
} from './chain.js';

/** Conditions on entries; times in epoch milliseconds, `from` included and `to` not. */
export interface AccessFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** The customer's id of the account it is about. */
  readonly accountId?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** How often the entry `seq` was repeated, and when last. */
export interface Repeats {
  readonly seq: number;
  readonly times: number;
  readonly last_at: number;
}

/** An entry with the customer's id of the account it is about; null once that account is gone. */
export type AccessRow = ChainedEntry & { readonly account_id: string | null };

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
  { name: 'reason', type: 'text' },
  { name: 'repeats', type: 'int' },
  { name: 'previous_hash', type: 'text' },
  { name: 'hash', type: 'text' },
] as const satisfies BulkShape['columns'];

const newEntries: BulkShape = { table: 'access_log', columns, conflict: ['seq'], update: [] };

const names = columns.map(({ name }) => name).join(', ');

const shownFrom = `SELECT ${names}, ${externalIdOf('access_log.account_ref')} AS account_id FROM access_log`;

function conditionsOf({ actor, action, accountId, from, to }: AccessFilter): Conditions {
  return new Conditions()
    .add('actor = ?', actor)
    .add('action = ?', action)
    .add(`account_ref = ${accountIdOfExternalId}`, accountId)
    .add('at >= ?', from)
    .add('at < ?', to);
}

const repeatedBefore = 'SELECT r.seq FROM access_log_repeats r JOIN access_log g ON g.seq = r.seq WHERE g.at <= ?';

function unplaced({ seq: _1, previous_hash: _2, hash: _3, ...entry }: ChainedEntry): Entry {
  return entry;
}

/** The access log and the two ends of its chain. */
@Injectable()
export class AccessLogRepository {
  constructor(private readonly reader: Reader) {}

  /**
   * Adds entries at the end of the chain. Its row is written first, which keeps every other process waiting until this
   * transaction has ended: two could not go on from the same entry. Where somebody has removed that row, the chain goes
   * on after the last entry there is, with one that says so. Answers the number of the last of them.
   */
  async append(tx: Tx, entries: readonly Entry[]): Promise<number> {
    const moved = await this.moveEnd(tx, entries.length);
    if (moved) return this.place(tx, entries, moved);
    const lastSeq = await this.restart(tx);
    const all = lastSeq === null ? entries : [restartEntry(lastSeq, entries[0]?.at ?? 0), ...entries];
    const head = await this.moveEnd(tx, all.length);
    if (!head) throw new AppError('storage_unavailable', 'The access log has lost its chain.');
    return this.place(tx, all, head);
  }

  /** Makes room for so many; answers the end before. */
  private async moveEnd(tx: Tx, count: number): Promise<Head | null> {
    const [end] = await tx.rows<Head>(
      'UPDATE access_log_chain SET last_seq = last_seq + ? WHERE id = 1 RETURNING last_seq, last_hash',
      [count],
    );
    return end ? { ...end, last_seq: end.last_seq - count } : null;
  }

  private async place(tx: Tx, entries: readonly Entry[], head: Head): Promise<number> {
    const placed = chained(entries, head);
    const values = placed.flatMap((entry) => columns.map(({ name }) => entry[name]));
    if ((await tx.bulk(newEntries, values)) !== placed.length) {
      throw new AppError('storage_unavailable', 'The end of the access log is taken.');
    }
    await tx.execute('UPDATE access_log_chain SET last_hash = ? WHERE id = 1', [placed.at(-1)?.hash ?? head.last_hash]);
    return head.last_seq + placed.length;
  }

  /** Counts repetitions of reads, by the number of the entry they repeat. */
  async countRepeats(tx: Tx, repeats: readonly Repeats[]): Promise<void> {
    for (const { seq, times, last_at } of repeats) {
      await tx.execute(
        `INSERT INTO access_log_repeats (seq, times, last_at) VALUES (?, ?, ?)
         ON CONFLICT (seq) DO UPDATE SET times = access_log_repeats.times + excluded.times, last_at =
           CASE WHEN access_log_repeats.last_at > excluded.last_at THEN access_log_repeats.last_at
           ELSE excluded.last_at END`,
        [seq, times, last_at],
      );
    }
  }

  /** Whether reads before this time were repeated, and no entry says so yet. */
  async hasRepeats(before: number): Promise<boolean> {
    return (await this.reader.row(`${repeatedBefore} LIMIT 1`, [before])) !== null;
  }

  /** Takes the counts of reads before this time away; answers the entries that say the same. */
  async takeRepeats(tx: Tx, before: number, limit: number): Promise<Entry[]> {
    const counts = await tx.rows<Repeats>(
      `DELETE FROM access_log_repeats WHERE seq IN (${repeatedBefore} ORDER BY r.seq LIMIT ?)
       RETURNING seq, times, last_at`,
      [before, limit],
    );
    const inOrder = counts.sort((a, b) => a.last_at - b.last_at);
    const closing: Entry[] = [];
    for (const { seq, times, last_at } of inOrder) {
      const [first] = await tx.rows<ChainedEntry>(`SELECT ${names} FROM access_log WHERE seq = ?`, [seq]);
      if (first) closing.push({ ...unplaced(first), at: last_at, repeats: times });
    }
    return closing;
  }

  /** The two ends as the entries say; answers the last number, null when another process was first. */
  private async restart(tx: Tx): Promise<number | null> {
    const made = await tx.execute(
      `INSERT INTO access_log_chain (id, first_seq, anchor_hash, last_seq, last_hash)
       SELECT 1, COALESCE((SELECT MIN(seq) FROM access_log), 1),
         COALESCE((SELECT previous_hash FROM access_log ORDER BY seq LIMIT 1), ?),
         COALESCE((SELECT MAX(seq) FROM access_log), 0),
         COALESCE((SELECT hash FROM access_log ORDER BY seq DESC LIMIT 1), ?)
       WHERE TRUE ON CONFLICT (id) DO NOTHING`,
      [noHash, noHash],
    );
    if (made === 0) return null;
    const [end] = await tx.rows<Head>('SELECT last_seq, last_hash FROM access_log_chain WHERE id = 1');
    return end?.last_seq ?? null;
  }

  /** Where the chain begins and ends; null only when somebody has removed that. */
  ends(): Promise<ChainEnds | null> {
    return this.reader.row('SELECT * FROM access_log_chain WHERE id = 1');
  }

  /** Newest first, those before `beforeSeq`. */
  page(filter: AccessFilter, beforeSeq: number | null, limit: number): Promise<AccessRow[]> {
    const conditions = conditionsOf(filter).add('seq < ?', beforeSeq ?? undefined);
    return this.reader.rows(`${shownFrom} ${conditions.where} ORDER BY seq DESC LIMIT ?`, [
      ...conditions.values,
      limit,
    ]);
  }

  /** Oldest first, those after `afterSeq` up to `untilSeq`. */
  ascending(filter: AccessFilter, afterSeq: number, untilSeq: number, limit: number): Promise<AccessRow[]> {
    const conditions = conditionsOf(filter).add('seq > ?', afterSeq).add('seq <= ?', untilSeq);
    return this.reader.rows(`${shownFrom} ${conditions.where} ORDER BY seq LIMIT ?`, [...conditions.values, limit]);
  }

  /** In the order of the chain, those after `afterSeq` up to `untilSeq`. */
  slice(afterSeq: number, untilSeq: number, limit: number): Promise<ChainedEntry[]> {
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
   * Removes up to `limit` entries from the front, as far as all are from before `before`; null when there was none to
   * remove. `altered`: they, or what follows, are not what was written, and stay: else whoever changes their times
   * would have them removed, and the change with them. The anchor moves past them first, else the database would
   * refuse.
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
