import { Injectable } from '@nestjs/common';
import { loggable } from '../platform/errors.js';
import { Log } from '../platform/log.js';
import { Metrics } from '../platform/metrics.js';
import type { ChainBreak } from './chain-check.js';
import type { CheckpointPlace } from './checkpoint-places.js';

/** What checks of the access log find, and what becomes of its checkpoints: lines of the log, counts and times. */
@Injectable()
export class VerificationTelemetry {
  private readonly verifiedAt;
  private readonly deliveredAt;
  private readonly deliveries;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.verifiedAt = metrics.gauge(
      'access_log_verified_timestamp_seconds',
      'When this process last came from the first entry of the access log to its end and found it whole; 0 before',
    );
    this.deliveredAt = metrics.gauge(
      'access_log_checkpoint_timestamp_seconds',
      'When a checkpoint of this process was last taken, by where it is kept',
      ['place'],
    );
    this.deliveries = metrics.counter('access_log_checkpoints_total', 'Checkpoints by where they are kept', [
      'place',
      'outcome',
    ]);
  }

  /** Somebody has changed the table. */
  broken({ seq, reason }: ChainBreak): void {
    this.log.event('access_log.broken', { seq: seq ?? undefined, reason }, 'error');
  }

  whole(at: number): void {
    this.verifiedAt.set(at / 1_000);
    this.log.event('access_log.verified');
  }

  /** Wherever log lines are kept, this one proves all entries so far. */
  checkpoint(seq: number, checkpoint: string): void {
    this.log.event('access_log.checkpoint', { seq, checkpoint });
  }

  delivered(place: CheckpointPlace, at: number): void {
    this.deliveries.inc({ place, outcome: 'taken' });
    this.deliveredAt.set({ place }, at / 1_000);
  }

  undelivered(place: CheckpointPlace, error: unknown): void {
    this.deliveries.inc({ place, outcome: 'failed' });
    this.log.event('access_log.checkpoint_undelivered', { kind: place, ...loggable(error) }, 'warn');
  }
}
