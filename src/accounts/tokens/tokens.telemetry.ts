import { Injectable } from '@nestjs/common';
import type { AccountId } from '../../platform/platform/ids.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import type { TokenKind } from './token-issue.entity.js';

/** Why a token is not issued that the limit would allow; also the code of the answer. */
export type DenialReason = 'tokens_closed' | 'account_blocked' | 'account_erased';

/** Log lines and counters for tokens; never the token. */
@Injectable()
export class TokensTelemetry {
  private readonly issues;
  private readonly refusals;
  private readonly frequents;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.issues = metrics.counter('tokens_issued_total', 'Tokens issued by kind', ['kind']);
    this.refusals = metrics.counter('tokens_refused_total', 'Tokens refused, by kind and reason', ['kind', 'reason']);
    this.frequents = metrics.counter(
      'tokens_frequent_total',
      'Times an installation asked for too many sign-in tokens in a day',
    );
  }

  issued(accountId: AccountId, kind: TokenKind): void {
    this.issues.inc({ kind });
    this.log.event('token.issued', { account_ref: accountId, kind });
  }

  limited(accountId: AccountId, kind: TokenKind): void {
    this.refusals.inc({ kind, reason: 'rate_limited' });
    this.log.event('token.limited', { account_ref: accountId, kind }, 'warn');
  }

  /** Issuance is disabled, or the account has been blocked. */
  denied(accountId: AccountId, kind: TokenKind, reason: DenialReason): void {
    this.refusals.inc({ kind, reason });
    this.log.event('token.denied', { account_ref: accountId, kind, reason }, 'warn');
  }

  /** An operator stopped or resumed the issue of tokens to everybody. */
  switched(open: boolean): void {
    this.log.event(open ? 'token.issuance_opened' : 'token.issuance_closed', {}, 'warn');
  }

  /** An installation of an app asks for sign-in tokens as if each launch were a sign-in. */
  frequent(accountId: AccountId, count: number): void {
    this.frequents.inc();
    this.log.event('token.frequent', { account_ref: accountId, count }, 'warn');
  }
}
