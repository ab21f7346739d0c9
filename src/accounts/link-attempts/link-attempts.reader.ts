import { Injectable } from '@nestjs/common';
import { Conditions } from '../../storage/database/conditions.js';
import { Reader } from '../../storage/database/reader.js';
import { externalIdColumn, joinAccount } from '../accounts/account-sql.js';
import type { LinkAttemptEntity } from './link-attempt.entity.js';
import type { LinkState } from './link-state.js';

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

/** The read side of link_attempts. */
@Injectable()
export class LinkAttemptsReader {
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
}
