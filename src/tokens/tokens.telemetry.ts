import { Injectable } from '@nestjs/common';
import type { ReportedOutcome } from '../link-attempts/link-attempts.repository.js';
import { Log } from '../platform/log.js';
import { Metrics } from '../platform/metrics.js';
import type { TokenKind } from './token-issue.entity.js';

/** Why a token is not issued that the limit would allow; also the code of the answer. */
export type DenialReason = 'tokens_closed' | 'account_blocked' | 'account_erased';

/** What happens to tokens, as a line of the log and a count; never the token. */
@Injectable()
export class TokensTelemetry {
  private readonly issues;
  private readonly refusals;
  private readonly frequents;
  private readonly outcomes;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.issues = metrics.counter('tokens_issued_total', 'Tokens issued by kind', ['kind']);
    this.refusals = metrics.counter('tokens_refused_total', 'Tokens refused, by kind and reason', ['kind', 'reason']);
    this.frequents = metrics.counter(
      'tokens_frequent_total',
      'Times an installation came to ask for too many sign-in tokens in a day',
    );
    this.outcomes = metrics.counter('link_outcomes_total', 'Outcomes of linking attempts, and who told of them', [
      'outcome',
      'source',
    ]);
  }

  issued(accountRef: number, kind: TokenKind): void {
    this.issues.inc({ kind });
    this.log.event('token.issued', { account_ref: accountRef, kind });
  }

  limited(accountRef: number, kind: TokenKind): void {
    this.refusals.inc({ kind, reason: 'rate_limited' });
    this.log.event('token.limited', { account_ref: accountRef, kind }, 'warn');
  }

  /** The desk is closed, or the account was blocked meanwhile. */
  denied(accountRef: number, kind: TokenKind, reason: DenialReason): void {
    this.refusals.inc({ kind, reason });
    this.log.event('token.withheld', { account_ref: accountRef, kind, reason }, 'warn');
  }

  /** An operator stopped or resumed the issue of tokens to everybody. */
  switched(open: boolean): void {
    this.log.event(open ? 'token.desk_opened' : 'token.desk_closed', {}, 'warn');
  }

  /** An installation of an app asks for sign-in tokens as if each launch were a sign-in. */
  frequent(accountRef: number, count: number): void {
    this.frequents.inc();
    this.log.event('token.frequent', { account_ref: accountRef, count }, 'warn');
  }

  outcome(accountRef: number, { outcome, source }: Pick<ReportedOutcome, 'outcome' | 'source'>): void {
    this.outcomes.inc({ outcome, source });
    this.log.event('link.outcome_reported', { account_ref: accountRef, outcome });
  }

  /** A linking attempt turned out a success by the connection that came. */
  connected(accountRef: number): void {
    this.outcomes.inc({ outcome: 'success', source: 'connection' });
    this.log.event('link.connected', { account_ref: accountRef });
  }
}
