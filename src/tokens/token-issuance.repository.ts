import { Injectable } from '@nestjs/common';
import type { AccountStatus } from '../accounts/accounts.service.js';
import { Reader } from '../database/reader.js';
import type { Queryable, Tx } from '../database/tx.js';
import type { TokenIssuanceEntity } from './token-issuance.entity.js';

export type IssuanceState = Pick<TokenIssuanceEntity, 'closed_at' | 'closed_by'>;

/** All that can forbid a token for one account. */
export interface Permits {
  readonly closed_at: number | null;
  /** Null when there is no such account. */
  readonly account: AccountStatus | null;
}

/** The token_switch table. */
@Injectable()
export class TokenIssuanceRepository {
  constructor(private readonly reader: Reader) {}

  async state(source: Queryable = this.reader): Promise<IssuanceState> {
    const [state] = await source.rows<IssuanceState>('SELECT closed_at, closed_by FROM token_switch WHERE id = 1');
    return state as IssuanceState;
  }

  async permits(accountRef: number, source: Queryable = this.reader): Promise<Permits> {
    const [permits] = await source.rows<Permits>(
      `SELECT (SELECT closed_at FROM token_switch WHERE id = 1) AS closed_at,
         (SELECT status FROM accounts WHERE id = ?) AS account`,
      [accountRef],
    );
    return permits as Permits;
  }

  /** Who closed it first stays. */
  async close(tx: Tx, by: string, at: number): Promise<boolean> {
    const sql = 'UPDATE token_switch SET closed_at = ?, closed_by = ? WHERE id = 1 AND closed_at IS NULL';
    return (await tx.execute(sql, [at, by])) > 0;
  }

  async open(tx: Tx): Promise<boolean> {
    const sql = 'UPDATE token_switch SET closed_at = NULL, closed_by = NULL WHERE id = 1 AND closed_at IS NOT NULL';
    return (await tx.execute(sql)) > 0;
  }
}
