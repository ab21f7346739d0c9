import { Injectable } from '@nestjs/common';
import { loggable } from '../platform/errors.js';
import { Log } from '../platform/log.js';
import { Metrics } from '../platform/metrics.js';
import type { AccessChainEntity } from './access-log.entity.js';
import type { Entry } from './chain.js';
import type { ChainBreak } from './chain-check.js';

/** What happens to the access log itself, as a line of the log and a count. */
@Injectable()
export class AccessLogTelemetry {
  private readonly recorded;
  private readonly failures;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.recorded = metrics.counter('access_log_entries_total', 'Entries written to the access log by kind of caller', [
      'caller',
    ]);
    this.failures = metrics.counter('access_log_failures_total', 'Answers held back since their entry was not stored');
  }

  stored({ role, actor }: Entry): void {
    this.recorded.inc({ caller: role === null ? actor : 'operator' });
  }

  notStored(error: unknown): void {
    this.failures.inc();
    this.log.event('access_log.not_stored', { ...loggable(error) }, 'error');
  }

  /** Somebody has changed the table. */
  broken({ seq, reason }: ChainBreak): void {
    this.log.event('access_log.broken', { seq: seq ?? undefined, reason }, 'error');
  }

  /** Wherever log lines are kept, this one proves all entries so far. */
  chainHead({ last_seq, last_hash }: AccessChainEntity): void {
    this.log.event('access_log.head', { seq: last_seq, hash: last_hash });
  }

  removed(untilSeq: number): void {
    this.log.event('access_log.entries_removed', { seq: untilSeq });
  }
}
