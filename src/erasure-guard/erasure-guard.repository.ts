import { Injectable } from '@nestjs/common';
import type { AccountEntity } from '../accounts/account.entity.js';
import { placeholders } from '../database/dialect.js';
import type { Queryable, Tx } from '../database/tx.js';
import type { ErasureTombstoneEntity } from './erased-user.entity.js';

/** The erased_users table, and whether an account may still be written to. */
@Injectable()
export class ErasureGuardRepository {
  /** Keeps the answer true until the transaction ends: whoever closes the account waits for it. */
  async isOpen(tx: Tx, account: number): Promise<boolean> {
    const [row] = await tx.rows<Pick<AccountEntity, 'status'>>(
      `SELECT status FROM accounts WHERE id = ? ${tx.forShare}`,
      [account],
    );
    return row !== undefined && row.status !== 'erasing';
  }

  /** False when it is gone or was closed before. */
  async close(tx: Tx, account: number, now: number): Promise<boolean> {
    const closed = await tx.execute(
      `UPDATE accounts SET status = 'erasing', updated_at = ? WHERE id = ? AND status <> 'erasing'`,
      [now, account],
    );
    return closed > 0;
  }

  async insert(tx: Tx, user: Omit<ErasureTombstoneEntity, 'turned_away'>): Promise<void> {
    await tx.execute(
      `INSERT INTO erased_users (digest, erasure_id, account_ref, erased_at, turned_away) VALUES (?, ?, ?, ?, 0)
       ON CONFLICT (digest) DO NOTHING`,
      [user.digest, user.erasure_id, user.account_ref, user.erased_at],
    );
  }

  async isErased(queryable: Queryable, digest: string): Promise<boolean> {
    const rows = await queryable.rows('SELECT digest FROM erased_users WHERE digest = ?', [digest]);
    return rows.length > 0;
  }

  /** False for a user that was never erased. */
  async countUser(tx: Tx, digest: string): Promise<boolean> {
    return (await tx.execute('UPDATE erased_users SET turned_away = turned_away + 1 WHERE digest = ?', [digest])) > 0;
  }

  /** Which of the users were erased; each is counted. */
  async countUsers(tx: Tx, digests: readonly string[]): Promise<string[]> {
    if (digests.length === 0) return [];
    const rows = await tx.rows<{ digest: string }>(
      `UPDATE erased_users SET turned_away = turned_away + 1 WHERE digest IN (${placeholders(digests.length)})
       RETURNING digest`,
      digests,
    );
    return rows.map(({ digest }) => digest);
  }

  async countAccount(tx: Tx, account: number): Promise<void> {
    await tx.execute('UPDATE erased_users SET turned_away = turned_away + 1 WHERE account_ref = ?', [account]);
  }

  async ofErasure(queryable: Queryable, erasureId: string): Promise<ErasureTombstoneEntity[]> {
    return queryable.rows('SELECT * FROM erased_users WHERE erasure_id = ? ORDER BY digest', [erasureId]);
  }
}
