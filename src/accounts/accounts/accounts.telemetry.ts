import { Injectable } from '@nestjs/common';
import { loggable } from '../../platform/platform/errors.js';
import type { AccountId } from '../../platform/platform/ids.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';

/** Log lines and counters for accounts. */
@Injectable()
export class AccountsTelemetry {
  private readonly outcomes;
  private readonly unrenamedUsers;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.outcomes = metrics.counter('accounts_outcomes_total', 'Attempts to make, map or change accounts, by outcome', [
      'outcome',
    ]);
    const help = 'With CLIENT_ID_SECRET: users that had no pseudonym upstream when this process last looked';
    this.unrenamedUsers = metrics.gauge('accounts_unrenamed', help, []);
  }

  linked(accountId: AccountId, outcome: 'created' | 'adopted'): void {
    this.count(outcome);
    this.log.event('account.linked', { account_ref: accountId, outcome });
  }

  patched(accountId: AccountId): void {
    this.count('patched');
    this.log.event('account.patched', { account_ref: accountId });
  }

  /** An operator took tokens away from the account. */
  blocked(accountId: AccountId): void {
    this.count('blocked');
    this.log.event('account.blocked', { account_ref: accountId }, 'warn');
  }

  unblocked(accountId: AccountId): void {
    this.count('unblocked');
    this.log.event('account.unblocked', { account_ref: accountId });
  }

  /** Does not log the refused id, which may be an e-mail address. */
  refused(reason: 'personal_id' | 'user_limit'): void {
    this.count(reason);
    this.log.event('account.refused', { reason }, 'warn');
  }

  /** Two accounts claim one upstream user, or one account claims two. An operator has to look. */
  conflict(): void {
    this.count('conflict');
    this.log.event('account.conflict', {}, 'error');
  }

  /** Deleted or expired upstream without our doing. */
  userUnknown(accountId: AccountId): void {
    this.count('user_unknown');
    this.log.event('account.user_unknown', { account_ref: accountId }, 'warn');
  }

  /** The account is not pulled any more until it is relinked. */
  userGone(accountId: AccountId): void {
    this.count('user_gone');
    this.log.event('account.user_gone', { account_ref: accountId }, 'warn');
  }

  relinked(accountId: AccountId): void {
    this.count('relinked');
    this.log.event('account.relinked', { account_ref: accountId });
  }

  /** Upstream calls the user by its pseudonym. */
  renamed(accountId: AccountId): void {
    this.count('renamed');
    this.log.event('account.renamed', { account_ref: accountId });
  }

  /** Upstream refuses to call the user by its pseudonym, and goes on to call it by the account id. */
  notRenamed(accountId: AccountId, error: unknown): void {
    this.count('not_renamed');
    this.log.event('account.not_renamed', { account_ref: accountId, ...loggable(error) }, 'warn');
  }

  /** Number of users that upstream still knows by their account ids. */
  unrenamed(count: number): void {
    this.unrenamedUsers.set(count);
  }

  deferred(accountId: AccountId, error: unknown): void {
    this.count('deferred');
    this.log.event('account.deferred', { account_ref: accountId, ...loggable(error) }, 'warn');
  }

  private count(outcome: string): void {
    this.outcomes.inc({ outcome });
  }
}
