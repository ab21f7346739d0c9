import { Injectable } from '@nestjs/common';
import type { AccountId } from '../../platform/platform/ids.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import type { ReportedOutcome } from './link-attempts.repository.js';

/** Log lines and counters for outcomes of link attempts. */
@Injectable()
export class LinkAttemptsTelemetry {
  private readonly outcomes;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    const help = 'Outcomes of link attempts by origin';
    this.outcomes = metrics.counter('link_outcomes_total', help, ['outcome', 'source']);
  }

  reported(accountId: AccountId, { outcome, source }: Pick<ReportedOutcome, 'outcome' | 'source'>): void {
    this.outcomes.inc({ outcome, source });
    this.log.event('link.outcome_reported', { account_ref: accountId, outcome });
  }

  /** A connection confirmed an attempt. */
  connected(accountId: number): void {
    this.outcomes.inc({ outcome: 'success', source: 'connection' });
    this.log.event('link.connected', { account_ref: accountId });
  }
}
