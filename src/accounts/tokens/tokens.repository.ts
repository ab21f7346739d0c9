import { Injectable } from '@nestjs/common';
import type { AccountId } from '../../platform/platform/ids.js';
import { Reader } from '../../storage/database/reader.js';
import type { Queryable, Tx } from '../../storage/database/tx.js';
import { externalIdColumn, joinAccount } from '../accounts/account-sql.js';
import type { TokenIssuanceEntity, TokenKind } from './tokens.entity.js';

export interface TokenIssue {
  readonly accountId: AccountId;
  readonly kind: TokenKind;
  readonly installationId: string | null;
  readonly at: number;
}

/** An app installation that received too many sign-in tokens in a day. */
export interface FrequentInstallation {
  /** `accounts.id`. */
  readonly account_ref: number;
  readonly account_id: string;
  /** Empty if the app sent none. */
  readonly installation: string;
  /** The most it received within a day, over all days that ended after the given time. */
  readonly tokens: number;
  readonly last_issued_at: number;
}

export type IssuanceState = Pick<TokenIssuanceEntity, 'closed_at' | 'closed_by'>;

/** The tables token_issues and token_issuance. */
@Injectable()
export class TokensRepository {
  constructor(private readonly reader: Reader) {}

  /** When the account's issue at position `back`, counted from the latest, was made; null if it has fewer. */
  async issuedAt(tx: Queryable, accountId: AccountId, kind: TokenKind, back: number): Promise<number | null> {
    const [issue] = await tx.rows<{ issued_at: number }>(
      'SELECT issued_at FROM token_issues WHERE account_id = ? AND kind = ? ORDER BY issued_at DESC LIMIT 1 OFFSET ?',
      [accountId, kind, back - 1],
    );
    return issue?.issued_at ?? null;
  }

  /** `frequency`: number of tokens issued to the installation within a day if that is too many, else null. */
  async insertIssue(tx: Tx, issue: TokenIssue, frequency: number | null): Promise<void> {
    await tx.execute(
      `INSERT INTO token_issues (account_id, kind, installation_id, issued_at, frequency) VALUES (?, ?, ?, ?, ?)`,
      [issue.accountId, issue.kind, issue.installationId, issue.at, frequency],
    );
  }

  /** Number of issues of one kind to an installation after `since`; requests without an installation count together. */
  async countSince(tx: Queryable, { accountId, kind, installationId }: TokenIssue, since: number): Promise<number> {
    const installed = installationId === null ? 'installation_id IS NULL' : 'installation_id = ?';
    const [count] = await tx.rows<{ issues: number }>(
      `SELECT COUNT(*) AS issues FROM token_issues
       WHERE account_id = ? AND kind = ? AND issued_at > ? AND ${installed}`,
      [accountId, kind, since, ...(installationId === null ? [] : [installationId])],
    );
    return count?.issues ?? 0;
  }

  /**
   * Installations that received too many tokens since an instant, sorted by account number, then installation. Reads
   * only flagged issues, which have their own index.
   */
  frequent(
    since: number,
    after: readonly [account: number, installation: string],
    limit: number,
  ): Promise<FrequentInstallation[]> {
    return this.reader.rows(
      `SELECT f.account_ref, ${externalIdColumn} AS account_id, f.installation, f.tokens, f.last_issued_at FROM (
         SELECT t.account_id AS account_ref, COALESCE(t.installation_id, '') AS installation,
           MAX(t.frequency) AS tokens, MAX(t.issued_at) AS last_issued_at
         FROM token_issues t WHERE t.frequency IS NOT NULL AND t.issued_at > ?
         GROUP BY t.account_id, COALESCE(t.installation_id, '')) f
       ${joinAccount('f.account_ref')}
       WHERE (f.account_ref, f.installation) > (?, ?) ORDER BY f.account_ref, f.installation LIMIT ?`,
      [since, ...after, limit],
    );
  }

  async issuance(source: Queryable = this.reader): Promise<IssuanceState> {
    const [state] = await source.few<IssuanceState>('SELECT closed_at, closed_by FROM token_issuance WHERE id = 1');
    return state as IssuanceState;
  }

  /** False if issuance was already disabled; keeps who disabled it first. */
  async closeIssuance(tx: Tx, by: string, at: number): Promise<boolean> {
    const sql = 'UPDATE token_issuance SET closed_at = ?, closed_by = ? WHERE id = 1 AND closed_at IS NULL';
    return (await tx.execute(sql, [at, by])) > 0;
  }

  /** False if issuance was already enabled. */
  async openIssuance(tx: Tx): Promise<boolean> {
    const sql = 'UPDATE token_issuance SET closed_at = NULL, closed_by = NULL WHERE id = 1 AND closed_at IS NOT NULL';
    return (await tx.execute(sql)) > 0;
  }
}
