import { Injectable } from '@nestjs/common';
import { loggable } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { type Failure, loggableFailure } from '../keys/failure.js';
import { IdempotencyKeys } from '../keys/idempotency-keys.service.js';

/** Logs and counts unmatched results, never their content. */
@Injectable()
export class UnmatchedResultsTelemetry {
  private readonly reads;
  private readonly decisions;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
    keys: IdempotencyKeys,
  ) {
    this.reads = metrics.counter('unmatched_result_reads_total', 'Reads of unmatched results by outcome', ['outcome']);
    const decisions = 'Decisions about unmatched results';
    this.decisions = metrics.counter('unmatched_result_decisions_total', decisions, ['outcome']);
    const help = 'Idempotency keys of decisions whose outcome is unknown';
    metrics.storeGauge('unmatched_result_decisions_unresolved', help, [], async (gauge) => {
      gauge.set(await keys.countUnresolved('decision'));
    });
  }

  read(outcome: 'read' | 'gone' | 'listed'): void {
    this.reads.inc({ outcome });
  }

  /** `delayMs` is null if the row was buried. */
  readDeferred(id: string, error: unknown, delayMs: number | null): void {
    this.reads.inc({ outcome: delayMs === null ? 'given_up' : 'deferred' });
    const facts = { unmatched_result_ref: id, ...loggable(error), delay_ms: delayMs ?? undefined };
    this.log.event('order.review_read_deferred', facts, 'warn');
  }

  /** Refusals are logged at level debug, because a team without a review queue is refused in every walk. */
  listDeferred(error: unknown, delayMs: number, refused: boolean): void {
    this.reads.inc({ outcome: refused ? 'list_refused' : 'list_deferred' });
    const facts = { ...loggable(error), delay_ms: delayMs };
    this.log.event('order.review_list_deferred', facts, refused ? 'debug' : 'warn');
  }

  decided(id: string, outcome: 'accepted' | 'resolved' | 'repeated' | 'already_decided'): void {
    this.decisions.inc({ outcome });
    this.log.event('order.review_decided', { unmatched_result_ref: id, outcome });
  }

  failed(id: string, { settled, error }: Failure): void {
    const outcome = settled ? 'refused' : 'unknown';
    this.decisions.inc({ outcome });
    this.log.event(`order.review_${outcome}`, { unmatched_result_ref: id, ...loggableFailure(error) }, 'warn');
  }
}
