import { Injectable } from '@nestjs/common';
import { AccountsService } from '../accounts/accounts.service.js';
import { SourcePolls } from '../accounts/source-polls.service.js';
import { WriteLane } from '../database/write-lane.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { TokensTelemetry } from '../tokens/tokens.telemetry.js';
import type { LinkOutcome } from './link-attempt.entity.js';
import { LinkAttemptsRepository, type ReportedOutcome } from './link-attempts.repository.js';

export interface LinkReport {
  link_attempt_id?: string | undefined;
  outcome: LinkOutcome;
  error_type?: string | undefined;
  source?: ReportedOutcome['source'] | undefined;
}

/** What apps say of linking attempts. A hint only: upstream's connections and events decide (supplement 3). */
@Injectable()
export class LinkOutcomesService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly lane: WriteLane,
    private readonly attempts: LinkAttemptsRepository,
    private readonly checks: SourcePolls,
    private readonly clock: Clock,
    private readonly events: TokensTelemetry,
  ) {}

  /**
   * Keeps the outcome, and after a success asks for a look at the account's connections now, both or neither. Throws
   * `not_found` for an attempt that is not the account's own, and what `AccountsService.ensure` throws.
   */
  async report(accountId: string, report: LinkReport): Promise<void> {
    const { id } = await this.accounts.ensure(accountId, { priority: 'interactive' });
    const told = toldBy(report, this.clock.now());
    const known = await this.lane.run(async (tx) => {
      const attempt = report.link_attempt_id;
      if (attempt !== undefined && !(await this.attempts.recordTold(tx, { id: attempt, accountRef: id }, told))) {
        return false;
      }
      if (told.outcome === 'success') await this.checks.request(tx, id, told.at);
      return true;
    });
    if (!known) throw new AppError('not_found', 'There is no such linking attempt.');
    this.events.outcome(id, told);
  }
}

function toldBy({ outcome, error_type, source = 'report' }: LinkReport, at: number): ReportedOutcome {
  return { outcome, source, errorType: outcome === 'success' ? null : (error_type ?? null), at };
}
