import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { CodedError, loggable } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { UnmatchedResultsRepository } from './unmatched-results.repository.js';

/** Logs and counts of unmatched results; never their content. */
@Injectable()
export class UnmatchedResultsTelemetry {
  private readonly reads;
  private readonly decisions;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
    clock: Clock,
    results: UnmatchedResultsRepository,
  ) {
    this.reads = metrics.counter('unmatched_result_reads_total', 'Reads of unmatched results by outcome', ['outcome']);
    this.decisions = metrics.counter('unmatched_result_decisions_total', 'Decisions about unmatched results', [
      'outcome',
    ]);
    const help = 'Idempotency keys of decisions with an unknown outcome';
    metrics.storeGauge('unmatched_result_decisions_unresolved', help, [], async (gauge) => {
      gauge.set(await results.countUnresolved(clock.now()));
    });
  }

  read(outcome: 'read' | 'gone' | 'listed'): void {
    this.reads.inc({ outcome });
  }

  /** Without a delay the row was buried. */
  readDeferred(id: string, error: unknown, delayMs: number | null): void {
    this.reads.inc({ outcome: delayMs === null ? 'given_up' : 'deferred' });
    const delay = delayMs === null ? {} : { delay_ms: delayMs };
    this.log.event('order.review_read_deferred', { unmatched_result_ref: id, ...loggable(error), ...delay }, 'warn');
  }

  /** Logged at level debug when refused, because a team without a review queue is refused in every walk. */
  listDeferred(error: unknown, delayMs: number, refused: boolean): void {
    this.reads.inc({ outcome: refused ? 'list_refused' : 'list_deferred' });
    const facts = { ...loggable(error), delay_ms: delayMs };
    this.log.event('order.review_list_deferred', facts, refused ? 'debug' : 'warn');
  }

  decided(id: string, outcome: 'accepted' | 'resolved' | 'repeated' | 'already_decided'): void {
    this.decisions.inc({ outcome });
    this.log.event('order.review_decided', { unmatched_result_ref: id, outcome });
  }

  failed(id: string, error: unknown, settled: boolean): void {
    const outcome = settled ? 'refused' : 'unknown';
    this.decisions.inc({ outcome });
    const shown = error instanceof CodedError && error.cause instanceof CodedError ? error.cause : error;
    this.log.event(`order.review_${outcome}`, { unmatched_result_ref: id, ...loggable(shown) }, 'warn');
  }
}
