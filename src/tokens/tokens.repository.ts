import { Injectable } from '@nestjs/common';
import type { Queryable, Tx } from '../database/tx.js';
import type { TokenKind } from './token-issue.entity.js';

export interface TokenIssue {
  accountRef: number;
  kind: TokenKind;
  installationId: string | null;
  at: number;
}

/** The token_issues table. */
@Injectable()
export class TokensRepository {
  /** When the account's issue number `back` counted from the latest was made; null if it has fewer. */
  async issuedAt(tx: Queryable, accountRef: number, kind: TokenKind, back: number): Promise<number | null> {
    const [issue] = await tx.rows<{ issued_at: number }>(
      'SELECT issued_at FROM token_issues WHERE account_id = ? AND kind = ? ORDER BY issued_at DESC LIMIT 1 OFFSET ?',
      [accountRef, kind, back - 1],
    );
    return issue?.issued_at ?? null;
  }

  /** `frequency` is how many the installation got in a day, where that is too many. */
  async insertIssue(tx: Tx, issue: TokenIssue, frequency: number | null): Promise<void> {
    await tx.execute(
      `INSERT INTO token_issues (account_id, kind, installation_id, issued_at, frequency) VALUES (?, ?, ?, ?, ?)`,
      [issue.accountRef, issue.kind, issue.installationId, issue.at, frequency],
    );
  }

  /** How many issues of one kind an installation got after `since`; those that named none count together. */
  async countSince(tx: Queryable, { accountRef, kind, installationId }: TokenIssue, since: number): Promise<number> {
    const installed = installationId === null ? 'installation_id IS NULL' : 'installation_id = ?';
    const [count] = await tx.rows<{ issues: number }>(
      `SELECT COUNT(*) AS issues FROM token_issues
       WHERE account_id = ? AND kind = ? AND issued_at > ? AND ${installed}`,
      [accountRef, kind, since, ...(installationId === null ? [] : [installationId])],
    );
    return count?.issues ?? 0;
  }
}
