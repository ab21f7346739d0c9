import { Injectable } from '@nestjs/common';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';

/** Kind of an erased person's data that was refused. */
export type SuppressedSource = 'message' | 'page' | 'order' | 'user' | 'account';

/** Logs and counts suppressed writes. */
@Injectable()
export class ErasureGuardTelemetry {
  private readonly suppressions;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    const help = 'Data of erased people that arrived and was not stored';
    this.suppressions = metrics.counter('erasure_suppressed_total', help, ['source']);
  }

  fenceOpened(erasureId: string): void {
    this.log.event('erasure.fence_opened', { erasure_id: erasureId });
  }

  suppressed(source: SuppressedSource): void {
    this.suppressions.inc({ source });
    this.log.event('erasure.suppressed', { kind: source });
  }
}
