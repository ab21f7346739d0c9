import { Injectable } from '@nestjs/common';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Tx } from '../database/tx.js';
import { Clock } from '../platform/clock.js';
import { decodeCursor, type Page, pageOf } from '../platform/paging.js';
import { type AttemptFilter, LinkAttemptsReader, type ShownAttempt } from './link-attempts.reader.js';
import { type Connected, LinkAttemptsRepository } from './link-attempts.repository.js';
import { comesByLink, connectionWindowMs, type LinkState, linkState } from './link-state.js';

/** An attempt as operators see it. */
export type AttemptView = ShownAttempt & { readonly state: LinkState };

export interface AttemptQuery extends Omit<AttemptFilter, 'account' | 'after'> {
  /** The customer's id. */
  readonly accountId?: string | undefined;
  readonly cursor?: string | undefined;
}

/*
 * What becomes of an attempt. Facts come in any order and any number of times, and the end is the same:
 *
 *   (no outcome)          --the app says so--> success, exit or error, said by the app
 *   exit, error           --the app says so--> its last word
 *   success               --the app says so--> unchanged
 *   whatever the app said --a connection----> success, said by the connection
 *   said by a connection  --anything--------> unchanged, but for the earliest time of the connection
 */

/** Linking attempts: which of them a connection came of, and how all of them ended. */
@Injectable()
export class LinkAttempts {
  constructor(
    private readonly attempts: LinkAttemptsRepository,
    private readonly reader: LinkAttemptsReader,
    private readonly accounts: AccountsService,
    private readonly clock: Clock,
  ) {}

  /**
   * A source was connected: the account's newest attempt of the hour before that could have led to it was a success,
   * whatever an app says of it. True when that is news. Belongs into the transaction that stores the connection.
   */
  async connected(tx: Tx, fact: Connected): Promise<boolean> {
    if (!comesByLink(fact.provider)) return false;
    await tx.lock('account', fact.account);
    const attempt = await this.attempts.candidate(tx, fact, fact.at - connectionWindowMs);
    if (!attempt) return false;
    const isNews = attempt.outcome_source !== 'connection';
    if (isNews || fact.at < (attempt.outcome_at ?? 0)) await this.attempts.confirm(tx, attempt.link_attempt_id, fact);
    return isNews;
  }

  /** Newest first. An unknown account has none. */
  async list({ accountId, cursor, limit, ...filter }: AttemptQuery): Promise<Page<AttemptView>> {
    const after = cursor === undefined ? undefined : decodeCursor(cursor, ['number', 'string']);
    const account = accountId === undefined ? undefined : await this.accounts.find(accountId);
    if (account === null) return { data: [], next_cursor: null };
    const now = this.clock.now();
    const rows = await this.reader.page({ ...filter, account: account?.id, after, limit: limit + 1 }, now);
    const shown = rows.map((row) => ({ ...row, state: linkState(row, now) }));
    return pageOf(shown, limit, (attempt) => [attempt.created_at, attempt.link_attempt_id]);
  }
}
