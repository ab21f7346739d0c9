import { Injectable } from '@nestjs/common';
import { loggable } from '../../platform/platform/errors.js';
import { Log, type LogFields } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { Outcomes } from '../../platform/platform/outcomes.js';
import type { ErasureEntity } from './erasure.entity.js';

type About = Pick<ErasureEntity, 'id' | 'state'>;

/** Log lines and counters for erasures. No line names the account, which would link its person to the kept receipt. */
@Injectable()
export class ErasureTelemetry {
  private readonly outcomes;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.outcomes = new Outcomes(log, metrics, 'erasures_outcomes_total', 'Erasure steps by outcome');
  }

  requested({ id }: Pick<About, 'id'>): void {
    this.outcomes.note('requested', 'erasure.requested', { erasure_id: id });
  }

  /** Repeats an erasure that a restored database did not contain. */
  repeated({ id }: Pick<About, 'id'>): void {
    this.outcomes.note('repeated', 'erasure.repeated', { erasure_id: id }, 'warn');
  }

  /** No journal is configured, so erasures cannot be repeated after a restore. */
  noJournal(): void {
    this.log.event('erasure.no_journal', { variable_names: ['ERASURE_JOURNAL_PATH'] }, 'warn');
  }

  moved(erasure: About): void {
    this.outcomes.note(erasure.state, 'erasure.moved', fieldsOf(erasure));
  }

  deferred(erasure: About, reason: string, delay_ms: number): void {
    this.outcomes.note('deferred', 'erasure.deferred', { ...fieldsOf(erasure), reason, delay_ms }, 'warn');
  }

  failed(erasure: About, error: unknown): void {
    this.log.event('erasure.failed', { ...fieldsOf(erasure), ...loggable(error) }, 'warn');
  }

  /** Data of an erased person reappeared after upstream's grace period. An operator must act. */
  userReturned(erasure: About, reason: 'user_found' | 'rows_found'): void {
    this.outcomes.note(reason, 'erasure.user_returned', { ...fieldsOf(erasure), reason }, 'error');
  }
}

function fieldsOf({ id, state }: About): LogFields {
  return { erasure_id: id, state };
}
