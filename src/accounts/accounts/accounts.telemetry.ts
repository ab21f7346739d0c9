import { Injectable } from '@nestjs/common';
import { loggable } from '../../platform/platform/errors.js';
import type { AccountId } from '../../platform/platform/ids.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { Outcomes } from '../../platform/platform/outcomes.js';

/**
 * blocked: an operator stopped its tokens · user_unknown: upstream responded that it does not have the user ·
 * user_gone: not pulled until it is relinked · renamed: upstream's user has the pseudonym.
 */
type AccountOutcome = 'patched' | 'blocked' | 'unblocked' | 'user_unknown' | 'user_gone' | 'relinked' | 'renamed';

const warnings: ReadonlySet<AccountOutcome> = new Set(['blocked', 'user_unknown', 'user_gone']);

/** Log lines and counters for accounts. */
@Injectable()
export class AccountsTelemetry {
  private readonly outcomes: Outcomes;
  private readonly unrenamedUsers;

  constructor(log: Log, metrics: Metrics) {
    const attempts = 'Attempts to create, map or change accounts, by outcome';
    this.outcomes = new Outcomes(log, metrics, 'accounts_outcomes_total', attempts);
    const unrenamed = 'Users without a pseudonym upstream at the last check; only with CLIENT_ID_SECRET';
    this.unrenamedUsers = metrics.gauge('accounts_unrenamed', unrenamed);
  }

  linked(accountId: AccountId, outcome: 'created' | 'adopted'): void {
    this.outcomes.note(outcome, 'account.linked', { account_ref: accountId, outcome });
  }

  /** Counts and logs an outcome. */
  noted(outcome: AccountOutcome, accountId: AccountId): void {
    const level = warnings.has(outcome) ? 'warn' : 'info';
    this.outcomes.note(outcome, `account.${outcome}`, { account_ref: accountId }, level);
  }

  /** Does not log the refused id, which may be an e-mail address. */
  refused(reason: 'personal_id' | 'user_limit'): void {
    this.outcomes.note(reason, 'account.refused', { reason }, 'warn');
  }

  /** Two accounts claim one upstream user, or one account claims two. An operator must investigate. */
  conflict(): void {
    this.outcomes.note('conflict', 'account.conflict', {}, 'error');
  }

  /** `not_renamed`: upstream refuses the pseudonym and keeps the account id · `deferred`: a later attempt follows. */
  failed(outcome: 'not_renamed' | 'deferred', accountId: AccountId, error: unknown): void {
    this.outcomes.note(outcome, `account.${outcome}`, { account_ref: accountId, ...loggable(error) }, 'warn');
  }

  /** Sets the number of users whose `client_user_id` at upstream is still the account id. */
  unrenamed(count: number): void {
    this.unrenamedUsers.set(count);
  }
}
