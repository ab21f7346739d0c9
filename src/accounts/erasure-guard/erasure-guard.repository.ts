import { Injectable } from '@nestjs/common';
import { filledUp, placeholders } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Queryable, Tx } from '../../storage/database/tx.js';
import type { ErasureTombstoneEntity } from './erasure-tombstone.entity.js';

/** The erasure_tombstones table, and the status of accounts. */
@Injectable()
export class ErasureGuardRepository {
  constructor(private readonly reader: Reader) {}

  async insert(tx: Tx, tombstone: Omit<ErasureTombstoneEntity, 'turned_away'>): Promise<void> {
    await tx.execute(
      `INSERT INTO erasure_tombstones (digest, erasure_id, account_ref, erased_at, turned_away) VALUES (?, ?, ?, ?, 0)
       ON CONFLICT (digest) DO NOTHING`,
      [tombstone.digest, tombstone.erasure_id, tombstone.account_ref, tombstone.erased_at],
    );
  }

  isErased(digest: string): Promise<boolean> {
    return hasTombstone(this.reader, digest);
  }

  /** The digests among these that have a tombstone. */
  async among(digests: readonly string[]): Promise<string[]> {
    const rows = await this.reader.few<{ digest: string }>(
      `SELECT digest FROM erasure_tombstones WHERE digest IN (${placeholders(digests.length)})`,
      digests,
    );
    return rows.map(({ digest }) => digest);
  }

  /** Returns the digests of erased users and counts a refusal for each. */
  async countUsers(tx: Tx, digests: readonly string[]): Promise<string[]> {
    if (digests.length === 0) return [];
    const rows = await tx.rows<{ digest: string }>(
      `UPDATE erasure_tombstones SET turned_away = turned_away + 1 WHERE digest IN (${placeholders(digests.length)})
       RETURNING digest`,
      digests,
    );
    return rows.map(({ digest }) => digest);
  }

  async countAccount(tx: Tx, accountId: number): Promise<void> {
    const one = 'SELECT MIN(digest) FROM erasure_tombstones WHERE account_ref = ?';
    const sql = `UPDATE erasure_tombstones SET turned_away = turned_away + 1 WHERE digest = (${one})`;
    await tx.execute(sql, [accountId]);
  }

  async erasures(): Promise<ReadonlySet<string>> {
    const sql = 'SELECT DISTINCT erasure_id FROM erasure_tombstones';
    const rows = await this.reader.rows<{ erasure_id: string }>(sql);
    return new Set(rows.map(({ erasure_id }) => erasure_id));
  }

  ofErasures(erasureIds: readonly string[]): Promise<ErasureTombstoneEntity[]> {
    const sql = `SELECT * FROM erasure_tombstones WHERE erasure_id IN (${placeholders(erasureIds.length)}) ORDER BY digest`;
    return this.reader.rows(sql, erasureIds);
  }
}

/**
 * Reads and locks accounts, so that closing one waits until this transaction ends. This is the only statement in this
 * room on another room's table: it cannot use the accounts service, because that service depends on this guard.
 */
export async function lockedAccounts(
  tx: Tx,
  ids: readonly number[],
): Promise<Map<number, { account_id: string; status: string }>> {
  const wanted = filledUp([...new Set(ids)]);
  const sql = `SELECT id, account_id, status FROM accounts WHERE id IN (${placeholders(wanted.length)})
    ORDER BY id ${tx.forShare}`;
  const rows = await tx.rows<{ id: number; account_id: string; status: string }>(sql, wanted);
  return new Map(rows.map((row) => [row.id, row]));
}

export async function hasTombstone(queryable: Queryable, digest: string): Promise<boolean> {
  const rows = await queryable.few('SELECT digest FROM erasure_tombstones WHERE digest = ?', [digest]);
  return rows.length > 0;
}
