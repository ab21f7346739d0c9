import { Injectable } from '@nestjs/common';
import { loggable } from '../platform/errors.js';
import { Log } from '../platform/log.js';
import { Metrics } from '../platform/metrics.js';

/** By which way something of an erased person came. */
export type SuppressedSource = 'message' | 'page' | 'order' | 'user';

/** What happens to accounts, as a line of the log and a count. */
@Injectable()
export class AccountsTelemetry {
  private readonly outcomes;
  private readonly turnedAway;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.outcomes = metrics.counter('accounts_outcomes_total', 'What became of attempts to make or map accounts', [
      'outcome',
    ]);
    this.turnedAway = metrics.counter('erased_turned_away_total', 'What came of erased persons and was not stored', [
      'source',
    ]);
  }

  linked(accountRef: number, outcome: 'created' | 'adopted'): void {
    this.count(outcome);
    this.log.event('account.linked', { account_ref: accountRef, outcome });
  }

  patched(accountRef: number): void {
    this.count('patched');
    this.log.event('account.patched', { account_ref: accountRef });
  }

  /** An operator took tokens away from the account. */
  blocked(accountRef: number): void {
    this.count('blocked');
    this.log.event('account.blocked', { account_ref: accountRef }, 'warn');
  }

  unblocked(accountRef: number): void {
    this.count('unblocked');
    this.log.event('account.unblocked', { account_ref: accountRef });
  }

  /** Nothing of a refused id is told: it may be somebody's address. */
  refused(reason: 'personal_id' | 'user_limit'): void {
    this.count(reason);
    this.log.event('account.refused', { reason }, 'warn');
  }

  /** Two accounts claim one upstream user, or one account two. Somebody has to look. */
  conflict(): void {
    this.count('conflict');
    this.log.event('account.conflict', {}, 'error');
  }

  /** Deleted upstream behind our back, or expired there. */
  userUnknown(accountRef: number): void {
    this.count('user_unknown');
    this.log.event('account.user_unknown', { account_ref: accountRef }, 'warn');
  }

  /** Something of an erased person came and was not stored. */
  fenced(source: SuppressedSource): void {
    this.turnedAway.inc({ source });
    this.log.event('account.fenced', { kind: source });
  }

  deferred(accountRef: number, error: unknown): void {
    this.count('deferred');
    this.log.event('account.deferred', { account_ref: accountRef, ...loggable(error) }, 'warn');
  }

  private count(outcome: string): void {
    this.outcomes.inc({ outcome });
  }
}
