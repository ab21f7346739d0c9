import { Injectable } from '@nestjs/common';
import { Conditions } from '../../storage/database/conditions.js';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import { externalIdColumn, joinAccount } from '../accounts/account-sql.js';
import type { LinkAttemptEntity, LinkOutcome, OutcomeSource } from './link-attempt.entity.js';
import type { LinkState } from './link-state.js';

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

/** An attempt with the customer's id of its account. */
export type ShownAttempt = LinkAttemptEntity & { readonly account: string };

/** Conditions on attempts. Times in epoch milliseconds, `start` inclusive, `end` exclusive. */
export interface AttemptFilter {
  /** `accounts.id`. */
  readonly account?: number | undefined;
  readonly state?: LinkState | undefined;
  readonly provider?: string | undefined;
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  /** Position of the last row of the previous page. */
  readonly after?: readonly [createdAt: number, id: string] | undefined;
  readonly limit: number;
}

/** The connected provider, or else the requested one. */
const providerOf = 'COALESCE(l.connected_provider, l.provider)';

/** SQL for the states of link-state.ts; `?` is the current time. */
const ofState: Readonly<Record<LinkState, string>> = {
  open: 'l.outcome IS NULL AND l.expires_at > ?',
  expired: 'l.outcome IS NULL AND l.expires_at <= ?',
  success: `l.outcome = 'success'`,
  exit: `l.outcome = 'exit'`,
  error: `l.outcome = 'error'`,
};

/** A later report by the app replaces an earlier one, except after a success. A connection is final. */
const unlessFinal = (column: string): string => `${column} = CASE WHEN outcome = 'success' THEN ${column} ELSE ? END`;

@Injectable()
export class LinkAttemptsRepository {
  constructor(private readonly reader: Reader) {}

  /** Newest first. */
  page({ account, state, provider, start, end, after, limit }: AttemptFilter, now: number): Promise<ShownAttempt[]> {
    const conditions = new Conditions().add('l.account_id = ?', account);
    if (state) conditions.add(ofState[state], ...(ofState[state].includes('?') ? [now] : []));
    conditions
      .add(`${providerOf} = ?`, provider)
      .add('l.created_at >= ?', start)
      .add('l.created_at < ?', end)
      .add('(l.created_at, l.link_attempt_id) < (?, ?)', after?.[0], after?.[1]);
    return this.reader.rows(
      `SELECT l.*, ${externalIdColumn} AS account FROM link_attempts l ${joinAccount('l.account_id')} ${conditions.where}
       ORDER BY l.created_at DESC, l.link_attempt_id DESC LIMIT ?`,
      [...conditions.values, limit],
    );
  }

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
