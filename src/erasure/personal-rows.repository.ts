import { Injectable } from '@nestjs/common';
import { placeholders } from '../database/dialect.js';
import { Reader } from '../database/reader.js';
import type { Queryable, Tx } from '../database/tx.js';
import type { LookupPath, PersonalTable } from '../declarations/personal-data.js';
import { accountsTable, PersonalDataMap } from '../personal-data/personal-data-map.reader.js';

/** A finished message that nobody was found to own. */
export interface OwnerlessMessage {
  readonly seq: number;
  readonly body: Buffer;
}

/** Deletes the rows of an account (`accounts.id`) from whichever table holds personal data. */
@Injectable()
export class PersonalRowsRepository {
  constructor(
    private readonly reader: Reader,
    private readonly map: PersonalDataMap,
  ) {}

  /** Up to `limit` rows; answers how many there were, 0 when none is left. */
  async deleteSome(tx: Tx, personal: PersonalTable, account: number, limit: number): Promise<number> {
    for (const path of personal.paths) {
      const deleted = await tx.execute(this.deletion(personal, path), [account, limit]);
      if (deleted > 0) return deleted;
    }
    return 0;
  }

  /** How many rows are left, by table; tables without any are left out. */
  async remaining(account: number): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { table, paths } of this.map.tables) {
      for (const path of paths) {
        const sql = `SELECT COUNT(*) AS count FROM ${table} WHERE ${this.map.conditionOf(path)}`;
        const row = await this.reader.row<{ count: number }>(sql, [account]);
        if (row && row.count > 0) counts[table] = (counts[table] ?? 0) + row.count;
      }
    }
    return counts;
  }

  /** The two ids of the account; null once it is gone. */
  async ids(queryable: Queryable, account: number): Promise<{ accountId: string; userId: string | null } | null> {
    const [row] = await queryable.rows<{ account_id: string; upstream_user_id: string | null }>(
      `SELECT account_id, upstream_user_id FROM ${accountsTable} WHERE id = ?`,
      [account],
    );
    return row ? { accountId: row.account_id, userId: row.upstream_user_id } : null;
  }

  /** Leaves nothing of the account but its ids. */
  async anonymize(tx: Tx, account: number, now: number): Promise<void> {
    await tx.execute(
      `UPDATE accounts SET fallback_time_zone = NULL, fallback_birth_date = NULL, ingestion_start = NULL,
         ingestion_end = NULL, linked_at = NULL, created_at = ?, updated_at = ? WHERE id = ?`,
      [now, now, account],
    );
  }

  async nameUser(tx: Tx, account: number, userId: string): Promise<void> {
    await tx.execute('UPDATE accounts SET upstream_user_id = ? WHERE id = ? AND upstream_user_id IS NULL', [
      userId,
      account,
    ]);
  }

  /** Finished messages after `afterSeq` that nobody was found to own and whose bodies are still there. */
  ownerless(afterSeq: number, limit: number): Promise<OwnerlessMessage[]> {
    return this.reader.rows(
      `SELECT m.seq AS seq, b.body AS body FROM messages m JOIN message_bodies b ON b.seq = m.seq
       WHERE m.account_id IS NULL AND m.next_attempt_at IS NULL AND m.seq > ? ORDER BY m.seq LIMIT ?`,
      [afterSeq, limit],
    );
  }

  async deleteMessages(tx: Tx, seqs: readonly number[]): Promise<number> {
    await tx.execute(`DELETE FROM message_bodies WHERE seq IN (${placeholders(seqs.length)})`, seqs);
    return tx.execute(`DELETE FROM messages WHERE seq IN (${placeholders(seqs.length)})`, seqs);
  }

  private deletion({ table, key }: PersonalTable, path: LookupPath): string {
    const columns = key.join(', ');
    const target = key.length === 1 ? columns : `(${columns})`;
    const found = `SELECT ${columns} FROM ${table} WHERE ${this.map.conditionOf(path)} LIMIT ?`;
    return `DELETE FROM ${table} WHERE ${target} IN (${found})`;
  }
}
