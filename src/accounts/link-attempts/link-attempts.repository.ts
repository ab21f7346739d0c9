import { Injectable } from '@nestjs/common';
import type { Tx } from '../../storage/database/tx.js';
import type { LinkAttemptEntity, LinkOutcome, OutcomeSource } from './link-attempt.entity.js';

export interface NewAttempt {
  readonly id: string;
  readonly accountId: number;
  readonly provider: string | null;
  readonly at: number;
  readonly expiresAt: number;
}

/** An app's report on an attempt; only upstream can confirm a connection. */
export interface ReportedOutcome {
  readonly outcome: LinkOutcome;
  readonly source: Exclude<OutcomeSource, 'connection'>;
  readonly errorType: string | null;
  readonly at: number;
}

/** An account was connected to a provider. */
export interface Connected {
  readonly account: number;
  readonly provider: string;
  /** Epoch milliseconds: upstream's time of the connection, or when it was first seen. */
  readonly at: number;
}

export type Candidate = Pick<LinkAttemptEntity, 'link_attempt_id' | 'outcome_source' | 'outcome_at'>;

/** A later report by the app replaces an earlier one, except after a success. A connection is final. */
const unlessFinal = (column: string): string => `${column} = CASE WHEN outcome = 'success' THEN ${column} ELSE ? END`;

/** The write side of link_attempts. */
@Injectable()
export class LinkAttemptsRepository {
  async insert(tx: Tx, attempt: NewAttempt): Promise<void> {
    await tx.execute(
      `INSERT INTO link_attempts (link_attempt_id, account_id, provider, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?)`,
      [attempt.id, attempt.accountId, attempt.provider, attempt.at, attempt.expiresAt],
    );
  }

  /** Stores a report by the app. False if the account has no such attempt. */
  async recordReported(
    tx: Tx,
    attempt: { id: string; accountId: number },
    reported: ReportedOutcome,
  ): Promise<boolean> {
    const found = await tx.execute(
      `UPDATE link_attempts SET ${unlessFinal('error_type')}, ${unlessFinal('outcome_at')},
         ${unlessFinal('outcome_source')}, ${unlessFinal('outcome')}
       WHERE link_attempt_id = ? AND account_id = ?`,
      [reported.errorType, reported.at, reported.source, reported.outcome, attempt.id, attempt.accountId],
    );
    return found > 0;
  }

  /** The newest attempt since `since` that the connection can confirm; not one that led to another provider. */
  async candidate(tx: Tx, { account, provider, at }: Connected, since: number): Promise<Candidate | null> {
    const [row] = await tx.rows<Candidate>(
      `SELECT link_attempt_id, outcome_source, outcome_at FROM link_attempts
       WHERE account_id = ? AND created_at <= ? AND created_at >= ? AND (provider IS NULL OR provider = ?)
         AND (connected_provider IS NULL OR connected_provider = ?)
       ORDER BY created_at DESC, link_attempt_id DESC LIMIT 1`,
      [account, at, since, provider, provider],
    );
    return row ?? null;
  }

  async confirm(tx: Tx, attemptId: string, { provider, at }: Connected): Promise<void> {
    await tx.execute(
      `UPDATE link_attempts SET outcome = 'success', outcome_source = 'connection', error_type = NULL,
         outcome_at = ?, connected_provider = ?
       WHERE link_attempt_id = ?`,
      [at, provider, attemptId],
    );
  }
}
