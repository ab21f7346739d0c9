import { Injectable } from '@nestjs/common';
import { loggable } from '../../platform/platform/errors.js';
import { Log, type LogFields } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import type { ErasureEntity } from './erasure.entity.js';

type About = Pick<ErasureEntity, 'id' | 'state'>;

/** Log lines and counts about erasures. No line names the account, because receipts are kept. */
@Injectable()
export class ErasureTelemetry {
  private readonly outcomes;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.outcomes = metrics.counter('erasures_outcomes_total', 'Steps of erasures by outcome', ['outcome']);
  }

  requested(erasure: Pick<About, 'id'>): void {
    this.outcomes.inc({ outcome: 'requested' });
    this.log.event('erasure.requested', { erasure_id: erasure.id });
  }

  /** A restored database did not contain it. */
  repeated({ id }: Pick<About, 'id'>): void {
    this.outcomes.inc({ outcome: 'repeated' });
    this.log.event('erasure.repeated', { erasure_id: id }, 'warn');
  }

  /** No path is configured, so a restore cannot repeat erasures. */
  noJournal(): void {
    this.log.event('erasure.no_journal', { variable_names: ['ERASURE_JOURNAL_PATH'] }, 'warn');
  }

  moved(erasure: About): void {
    this.outcomes.inc({ outcome: erasure.state });
    this.log.event('erasure.moved', fieldsOf(erasure));
  }

  deferred(erasure: About, reason: string, delayMs: number): void {
    this.outcomes.inc({ outcome: 'deferred' });
    this.log.event('erasure.deferred', { ...fieldsOf(erasure), reason, delay_ms: delayMs }, 'warn');
  }

  failed(erasure: About, error: unknown): void {
    this.log.event('erasure.failed', { ...fieldsOf(erasure), ...loggable(error) }, 'warn');
  }

  /** Data of an erased person reappeared after upstream's grace period. An operator must act. */
  userReturned(erasure: About, reason: 'user_found' | 'rows_found'): void {
    this.outcomes.inc({ outcome: reason });
    this.log.event('erasure.user_returned', { ...fieldsOf(erasure), reason }, 'error');
  }
}

function fieldsOf({ id, state }: About): LogFields {
  return { erasure_id: id, state };
}
