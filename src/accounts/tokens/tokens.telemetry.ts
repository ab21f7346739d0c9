import { Injectable } from '@nestjs/common';
import type { ErrorCode } from '../../platform/platform/errors.js';
import type { AccountId } from '../../platform/platform/ids.js';
import { Log, type LogEvent } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import type { TokenKind } from './tokens.entity.js';

/** Log event for each error code that counts as a refusal. */
const refusalEvents: Readonly<Partial<Record<ErrorCode, LogEvent>>> = {
  rate_limited: 'token.limited',
  tokens_closed: 'token.denied',
  account_blocked: 'token.denied',
  account_erased: 'token.denied',
};

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
    const help = 'Installations that requested too many sign-in tokens in a day';
    this.frequents = metrics.counter('tokens_frequent_total', help);
  }

  issued(accountId: AccountId, kind: TokenKind): void {
    this.issues.inc({ kind });
    this.log.event('token.issued', { account_ref: accountId, kind });
  }

  /** Notes a refusal because of the limit, disabled issuance or a closed account; ignores other errors. */
  refused(accountId: AccountId, kind: TokenKind, reason: ErrorCode): void {
    const event = refusalEvents[reason];
    if (event === undefined) return;
    this.refusals.inc({ kind, reason });
    this.log.event(event, { account_ref: accountId, kind, reason }, 'warn');
  }

  /** An operator enabled or disabled token issuance. */
  switched(open: boolean): void {
    this.log.event(open ? 'token.issuance_opened' : 'token.issuance_closed', {}, 'warn');
  }

  /** An app installation requested too many sign-in tokens; it probably signs in at every launch. */
  frequent(accountId: AccountId, count: number): void {
    this.frequents.inc();
    this.log.event('token.frequent', { account_ref: accountId, count }, 'warn');
  }
}
