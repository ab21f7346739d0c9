import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { loggable } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { ThisProcess } from '../../platform/platform/this-process.js';
import { HOUR_MS } from '../../platform/platform/time.js';

/** The set is read while tokens come: without any, its recovery would go unnoticed. */
const SIGN_MS = HOUR_MS / 4;

/** Readings of the key set of access tokens, as a line of the log, a count and an alarm. */
@Injectable()
export class KeySetTelemetry {
  private readonly reads;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
    private readonly thisProcess: ThisProcess,
    private readonly clock: Clock,
  ) {
    this.reads = metrics.counter('key_set_reads_total', 'Readings of the key set of access tokens', ['outcome']);
  }

  readable(): void {
    this.reads.inc({ outcome: 'ok' });
    this.thisProcess.clear('key_set_unreadable');
  }

  /** `isUsable`: the last set is used meanwhile. */
  unreadable(error: unknown, isUsable: boolean): void {
    const outcome = isUsable ? 'stale' : 'unavailable';
    this.reads.inc({ outcome });
    const now = this.clock.now();
    this.thisProcess.note('key_set_unreadable', now, now + SIGN_MS);
    this.log.event('app.key_set_unreadable', { ...loggable(error), outcome }, 'warn');
  }
}
