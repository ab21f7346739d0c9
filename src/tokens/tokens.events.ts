import { Injectable } from '@nestjs/common';
import { Log } from '../platform/log.js';
import { Metrics } from '../platform/metrics.js';
import type { LinkOutcome } from './link-attempt.entity.js';
import type { TokenKind } from './token-issue.entity.js';

/** What happens to tokens, as a line of the log and a count; never the token. */
@Injectable()
export class TokenEvents {
  private readonly issues;
  private readonly refusals;
  private readonly outcomes;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.issues = metrics.counter('tokens_issued_total', 'Tokens issued by kind', ['kind']);
    this.refusals = metrics.counter('tokens_refused_total', 'Tokens refused by the mint limit, by kind', ['kind']);
    this.outcomes = metrics.counter('link_outcomes_total', 'Outcomes of linking attempts that apps reported', [
      'outcome',
    ]);
  }

  issued(accountRef: number, kind: TokenKind): void {
    this.issues.inc({ kind });
    this.log.event('token.issued', { account_ref: accountRef, kind });
  }

  limited(accountRef: number, kind: TokenKind): void {
    this.refusals.inc({ kind });
    this.log.event('token.limited', { account_ref: accountRef, kind }, 'warn');
  }

  outcome(accountRef: number, outcome: LinkOutcome): void {
    this.outcomes.inc({ outcome });
    this.log.event('link.outcome_reported', { account_ref: accountRef, outcome });
  }
}
