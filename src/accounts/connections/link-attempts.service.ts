import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import type { AccountId } from '../../platform/platform/ids.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { interactive } from '../../upstream/transport/call.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { assertWritable } from '../erasure-guard/open-accounts.js';
import type { LinkOutcome } from './link-attempt.entity.js';
import {
  type AttemptFilter,
  type Connected,
  LinkAttemptsRepository,
  type ReportedOutcome,
  type ShownAttempt,
} from './link-attempts.repository.js';
import { LinkAttemptsTelemetry } from './link-attempts.telemetry.js';
import { CONNECTION_WINDOW_MS, comesByLink, type LinkState, linkState, TOKEN_LIFE_MS } from './link-state.js';

/** An attempt as shown to operators. */
export type AttemptView = ShownAttempt & { readonly state: LinkState };

export interface AttemptQuery extends Omit<AttemptFilter, 'account' | 'after'> {
  readonly externalId?: string | undefined;
  readonly cursor?: string | undefined;
}

export interface LinkReport {
  readonly link_attempt_id?: string | undefined;
  readonly outcome: LinkOutcome;
  readonly error_type?: string | undefined;
  readonly source?: ReportedOutcome['source'] | undefined;
}

/*
 * States of a link attempt. Facts may arrive repeatedly and in any order, and a connection always decides:
 *
 *   no outcome          --reported by the app--> success, exit or error, from the app
 *   exit, error         --reported by the app--> the last report
 *   success             --reported by the app--> unchanged
 *   any                 --a connection-->        success, from the connection
 *   from a connection   --anything-->            unchanged, except for an earlier time of the connection
 */

/** Stores link attempts and their outcomes. */
@Injectable()
export class LinkAttempts {
  constructor(
    private readonly attempts: LinkAttemptsRepository,
    private readonly accounts: AccountsService,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly telemetry: LinkAttemptsTelemetry,
  ) {}

  /** Stores an attempt for a new link token. `provider`: the requested one; null if the person chooses. */
  async begin(
    tx: Tx,
    attempt: { readonly id: string; readonly accountId: AccountId; readonly provider: string | null },
  ): Promise<void> {
    const at = this.clock.now();
    await this.attempts.insert(tx, { ...attempt, at, expiresAt: at + TOKEN_LIFE_MS });
  }

  /**
   * Call in the transaction that stores a connection. The account's newest attempt of the preceding hour that could
   * have led to it becomes a success, whatever the app reported.
   */
  async connected(tx: Tx, fact: Connected): Promise<void> {
    if (!comesByLink(fact.provider)) return;
    await tx.lock('account', fact.account);
    const attempt = await this.attempts.candidate(tx, fact, fact.at - CONNECTION_WINDOW_MS);
    if (!attempt) return;
    const isNews = attempt.outcome_source !== 'connection';
    if (isNews || fact.at < (attempt.outcome_at ?? 0)) await this.attempts.confirm(tx, attempt.link_attempt_id, fact);
    if (isNews) tx.afterCommit(() => this.telemetry.connected(fact.account));
  }

  /**
   * Stores the app's report on an attempt and, for a success, requests an immediate poll of the account's sources, in
   * one transaction. A report is only a hint: upstream's connections and events decide
   * (docs/upstream/linking-and-tokens.md#redirect). Throws `not_found` if the account has no such attempt, and what
   * `AccountsService.ensure` throws.
   */
  async report(externalId: string, report: LinkReport): Promise<void> {
    const { id: accountId } = await this.accounts.ensure(externalId, interactive);
    const reported = outcomeOf(report, this.clock.now());
    const known = await this.lane.run(async (tx) => {
      await assertWritable(tx, accountId);
      const id = report.link_attempt_id;
      if (id !== undefined && !(await this.attempts.recordReported(tx, { id, accountId }, reported))) return false;
      if (reported.outcome === 'success') await this.accounts.polls.request(tx, accountId, reported.at);
      return true;
    });
    if (!known) throw new AppError('not_found', 'There is no such link attempt.');
    this.telemetry.reported(accountId, reported);
  }

  /** Newest first; empty for an unknown account. */
  async list({ externalId, cursor, limit, ...filter }: AttemptQuery): Promise<Page<AttemptView>> {
    const after = cursor === undefined ? undefined : decodeCursor(cursor, ['number', 'string']);
    const account = externalId === undefined ? undefined : await this.accounts.find(externalId);
    if (account === null) return { data: [], next_cursor: null };
    const now = this.clock.now();
    const rows = await this.attempts.page({ ...filter, account: account?.id, after, limit: limit + 1 }, now);
    const shown = rows.map((row) => ({ ...row, state: linkState(row, now) }));
    return pageOf(shown, limit, (attempt) => [attempt.created_at, attempt.link_attempt_id]);
  }
}

function outcomeOf({ outcome, error_type, source = 'report' }: LinkReport, at: number): ReportedOutcome {
  return { outcome, source, errorType: outcome === 'success' ? null : (error_type ?? null), at };
}
