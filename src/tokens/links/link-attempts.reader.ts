import { Injectable } from '@nestjs/common';
import type { SqlInput } from '../../database/dialect.js';
import { Reader } from '../../database/reader.js';
import type { LinkAttemptEntity } from './link-attempt.entity.js';
import type { AttemptCount } from './link-funnel.js';
import type { LinkState } from './link-state.js';

/** An attempt with the customer's own id of its account. */
export type ShownAttempt = LinkAttemptEntity & { readonly account: string };

/** Conditions on attempts; times in epoch milliseconds, `from` included and `to` not. */
export interface AttemptFilter {
  /** `accounts.id`. */
  readonly account?: number | undefined;
  readonly state?: LinkState | undefined;
  readonly provider?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** The last row of the page before. */
  readonly after?: readonly [createdAt: number, id: string] | undefined;
  readonly limit: number;
}

/** The provider that came of an attempt, or the one asked for. */
const providerOf = 'COALESCE(l.connected_provider, l.provider)';

/** In the words of link-state.ts; `?` is now. */
const ofState: Readonly<Record<LinkState, string>> = {
  open: 'l.outcome IS NULL AND l.expires_at > ?',
  expired: 'l.outcome IS NULL AND l.expires_at <= ?',
  success: `l.outcome = 'success'`,
  exit: `l.outcome = 'exit'`,
  error: `l.outcome = 'error'`,
};

/** Answered from the index on `created_at` alone. */
export const funnelSql = `SELECT
    CASE WHEN l.outcome IS NOT NULL THEN l.outcome WHEN l.expires_at > ? THEN 'open' ELSE 'expired' END AS state,
    CASE WHEN l.outcome_source = 'connection' THEN 1 ELSE 0 END AS confirmed,
    l.error_type AS error, ${providerOf} AS source,
    COUNT(*) AS total, SUM(CASE WHEN l.created_at >= ? THEN 1 ELSE 0 END) AS lately
  FROM link_attempts l WHERE l.created_at >= ?
  GROUP BY state, confirmed, error, source`;

/** The read side of link_attempts. */
@Injectable()
export class LinkAttemptsReader {
  constructor(private readonly reader: Reader) {}

  /** Newest first. */
  page({ account, state, provider, from, to, after, limit }: AttemptFilter, now: number): Promise<ShownAttempt[]> {
    const conditions: string[] = [];
    const values: SqlInput[] = [];
    const when = (condition: string, ...given: (SqlInput | undefined)[]): void => {
      if (given.includes(undefined)) return;
      conditions.push(condition);
      values.push(...given);
    };
    when('l.account_id = ?', account);
    if (state) when(ofState[state], ...(ofState[state].includes('?') ? [now] : []));
    when(`${providerOf} = ?`, provider);
    when('l.created_at >= ?', from);
    when('l.created_at < ?', to);
    if (after) when('(l.created_at, l.link_attempt_id) < (?, ?)', ...after);
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    return this.reader.rows(
      `SELECT l.*, a.account_id AS account FROM link_attempts l JOIN accounts a ON a.id = l.account_id ${where}
       ORDER BY l.created_at DESC, l.link_attempt_id DESC LIMIT ?`,
      [...values, limit],
    );
  }

  /** Attempts since `since` by what became of them; `lately` counts those since `latelySince`. */
  counts(window: { now: number; since: number; latelySince: number }): Promise<AttemptCount[]> {
    return this.reader.rows(funnelSql, [window.now, window.latelySince, window.since]);
  }
}
