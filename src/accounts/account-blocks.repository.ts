import { Injectable } from '@nestjs/common';
import type { Queryable, Tx } from '../database/tx.js';
import type { AccountEntity } from './account.entity.js';

/** Blocks in the accounts table. */
@Injectable()
export class AccountBlocksRepository {
  /** True when this call did it. One that is being erased stays so. */
  async block(tx: Tx, accountId: string, now: number): Promise<boolean> {
    const written = await tx.execute(
      `UPDATE accounts SET status = 'blocked', updated_at = ? WHERE account_id = ? AND status IN ('pending', 'active')`,
      [now, accountId],
    );
    return written > 0;
  }

  /** Back to what the account was before; true when this call did it. */
  async unblock(tx: Tx, accountId: string, now: number): Promise<boolean> {
    const written = await tx.execute(
      `UPDATE accounts SET status = CASE WHEN upstream_user_id IS NULL THEN 'pending' ELSE 'active' END, updated_at = ?
       WHERE account_id = ? AND status = 'blocked'`,
      [now, accountId],
    );
    return written > 0;
  }

  async find(tx: Queryable, accountId: string): Promise<AccountEntity | null> {
    const [account] = await tx.rows<AccountEntity>('SELECT * FROM accounts WHERE account_id = ?', [accountId]);
    return account ?? null;
  }
}
