import { Injectable } from '@nestjs/common';
import { AccountsService } from '../accounts/accounts.service.js';
import { SourceChecks } from '../accounts/sources/source-checks.service.js';
import { WriteLane } from '../database/write-lane.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import type { LinkOutcome } from './link-attempt.entity.js';
import { TokenEvents } from './tokens.events.js';
import { TokensRepository } from './tokens.repository.js';

export interface LinkReport {
  link_attempt_id?: string | undefined;
  outcome: LinkOutcome;
  error_type?: string | undefined;
}

/** What apps say of linking attempts. A hint only: upstream's connections and events decide (supplement 3). */
@Injectable()
export class LinkOutcomesService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly lane: WriteLane,
    private readonly tokens: TokensRepository,
    private readonly checks: SourceChecks,
    private readonly clock: Clock,
    private readonly events: TokenEvents,
  ) {}

  /**
   * Keeps the outcome, and after a success asks for a look at the account's connections now, both or neither. Throws
   * `not_found` for an attempt that is not the account's own, and what `AccountsService.ensure` throws.
   */
  async report(accountId: string, report: LinkReport): Promise<void> {
    const { id } = await this.accounts.ensure(accountId, { priority: 'interactive' });
    const at = this.clock.now();
    const known = await this.lane.run(async (tx) => {
      const attempt = report.link_attempt_id;
      const outcome = { outcome: report.outcome, errorType: report.error_type ?? null, at };
      if (attempt !== undefined && !(await this.tokens.recordOutcome(tx, { id: attempt, accountRef: id }, outcome))) {
        return false;
      }
      if (report.outcome === 'success') await this.checks.request(tx, id, at);
      return true;
    });
    if (!known) throw new AppError('not_found', 'There is no such linking attempt.');
    this.events.outcome(id, report.outcome);
  }
}
