import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { Outcomes } from '../../platform/platform/outcomes.js';
import { ThisProcess } from '../../platform/platform/this-process.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import { discoveryFields } from './discovery.js';

/** The key set is only read while tokens arrive, so without any its recovery would go unnoticed. */
const SIGN_MS = HOUR_MS / 4;

/** Reports reads of the key set for access tokens as log line, counter and alarm. */
@Injectable()
export class KeySetTelemetry {
  private readonly reads: Outcomes;

  constructor(
    log: Log,
    metrics: Metrics,
    private readonly thisProcess: ThisProcess,
    private readonly clock: Clock,
  ) {
    this.reads = new Outcomes(log, metrics, 'key_set_reads_total', 'Fetches of the key set for access tokens');
  }

  readable(): void {
    this.reads.note('ok');
    this.thisProcess.clear('key_set_unreadable');
  }

  /** `isUsable`: the previous set is still used. */
  unreadable(error: unknown, isUsable: boolean): void {
    const outcome = isUsable ? 'stale' : 'unavailable';
    const now = this.clock.now();
    this.thisProcess.note('key_set_unreadable', now, now + SIGN_MS);
    this.reads.note(outcome, 'app.key_set_unreadable', { ...discoveryFields(error), outcome }, 'warn');
  }
}
