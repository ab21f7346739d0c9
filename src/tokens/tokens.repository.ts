import { Injectable } from '@nestjs/common';
import type { Queryable, Tx } from '../database/tx.js';
import type { LinkOutcome } from './link-attempt.entity.js';
import type { TokenKind } from './token-issue.entity.js';

export interface TokenIssue {
  accountRef: number;
  kind: TokenKind;
  installationId: string | null;
  at: number;
}

export interface LinkAttempt {
  id: string;
  accountRef: number;
  provider: string | null;
  at: number;
  expiresAt: number;
}

/** The token_issues and link_attempts tables. */
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

  async insertIssue(tx: Tx, issue: TokenIssue): Promise<void> {
    await tx.execute('INSERT INTO token_issues (account_id, kind, installation_id, issued_at) VALUES (?, ?, ?, ?)', [
      issue.accountRef,
      issue.kind,
      issue.installationId,
      issue.at,
    ]);
  }

  async insertAttempt(tx: Tx, attempt: LinkAttempt): Promise<void> {
    await tx.execute(
      `INSERT INTO link_attempts (link_attempt_id, account_id, provider, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?)`,
      [attempt.id, attempt.accountRef, attempt.provider, attempt.at, attempt.expiresAt],
    );
  }

  /** Stores what the app reported; a success is final. False when the account has no such attempt. */
  async recordOutcome(
    tx: Tx,
    attempt: { id: string; accountRef: number },
    report: { outcome: LinkOutcome; errorType: string | null; at: number },
  ): Promise<boolean> {
    const found = await tx.execute(
      `UPDATE link_attempts SET
         error_type = CASE WHEN outcome = 'success' THEN error_type ELSE ? END,
         outcome_at = CASE WHEN outcome = 'success' THEN outcome_at ELSE ? END,
         outcome = CASE WHEN outcome = 'success' THEN outcome ELSE ? END
       WHERE link_attempt_id = ? AND account_id = ?`,
      [report.errorType, report.at, report.outcome, attempt.id, attempt.accountRef],
    );
    return found > 0;
  }
}
