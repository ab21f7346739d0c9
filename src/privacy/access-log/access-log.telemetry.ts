import { Injectable } from '@nestjs/common';
import { loggable } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import type { Entry, Head } from './chain.js';
import type { ChainBreak } from './chain-check.js';

@Injectable()
export class AccessLogTelemetry {
  private readonly recorded;
  private readonly failures;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.recorded = metrics.counter('access_log_entries_total', 'Access log entries by kind of caller', ['caller']);
    this.failures = metrics.counter(
      'access_log_failures_total',
      'Responses withheld because their entry could not be stored',
    );
  }

  stored({ role, actor }: Entry): void {
    this.recorded.inc({ caller: role === null ? actor : 'operator' });
  }

  notStored(error: unknown): void {
    this.failures.inc();
    this.log.event('access_log.not_stored', { ...loggable(error) }, 'error');
  }

  /** `cut`: the stream ended early because of an error or because the caller disconnected. */
  streamed(outcome: 'whole' | 'cut', count: number, error?: unknown): void {
    const fields = { outcome, count, ...(error === undefined ? {} : loggable(error)) };
    this.log.event('access_log.streamed', fields, outcome === 'cut' ? 'warn' : 'info');
  }

  /** Kept outside the database, this line proves all entries so far. */
  chainHead({ last_seq, last_hash }: Head): void {
    this.log.event('access_log.head', { seq: last_seq, hash: last_hash });
  }

  /** Retention did not remove old entries, because they were changed. */
  notRemoved(): void {
    this.log.event('access_log.removal_refused', {}, 'error');
  }

  /** Verification found that the table was changed from outside. */
  broken({ seq, reason }: ChainBreak): void {
    this.log.event('access_log.broken', { seq: seq ?? undefined, reason }, 'error');
  }

  removed(untilSeq: number): void {
    this.log.event('access_log.entries_removed', { seq: untilSeq });
  }
}
