import { Injectable } from '@nestjs/common';
import { loggable } from '../platform/errors.js';
import { Log } from '../platform/log.js';
import { Metrics } from '../platform/metrics.js';
import type { Entry, Head } from './chain.js';

/** What happens to the access log itself, as a line of the log and a count. */
@Injectable()
export class AccessLogTelemetry {
  private readonly recorded;
  private readonly repeated;
  private readonly failures;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.recorded = metrics.counter('access_log_entries_total', 'Entries written to the access log by kind of caller', [
      'caller',
    ]);
    this.repeated = metrics.counter('access_log_repeats_total', 'Reads counted as repetitions of an entry', ['caller']);
    this.failures = metrics.counter('access_log_failures_total', 'Answers held back since their entry was not stored');
  }

  stored({ role, actor }: Entry, isRepeated: boolean): void {
    (isRepeated ? this.repeated : this.recorded).inc({ caller: role === null ? actor : 'operator' });
  }

  notStored(error: unknown): void {
    this.failures.inc();
    this.log.event('access_log.not_stored', { ...loggable(error) }, 'error');
  }

  /** `cut`: it broke off, because something failed or the caller hung up. */
  streamed(outcome: 'whole' | 'cut', count: number, error?: unknown): void {
    const fields = { outcome, count, ...(error === undefined ? {} : loggable(error)) };
    this.log.event('access_log.streamed', fields, outcome === 'cut' ? 'warn' : 'info');
  }

  /** Wherever log lines are kept, this one proves all entries so far. */
  chainHead({ last_seq, last_hash }: Head): void {
    this.log.event('access_log.head', { seq: last_seq, hash: last_hash });
  }

  /** Old entries stay, since somebody has changed them. */
  notRemoved(): void {
    this.log.event('access_log.removal_refused', {}, 'error');
  }

  removed(untilSeq: number): void {
    this.log.event('access_log.entries_removed', { seq: untilSeq });
  }
}
