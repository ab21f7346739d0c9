import { Injectable } from '@nestjs/common';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import type { RecoveryEntity } from './recovery.entity.js';

/** Log lines and counters for recoveries. The pulls themselves are counted in pulls.telemetry.ts. */
@Injectable()
export class RecoveryTelemetry {
  private readonly recoveries;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.recoveries = metrics.counter('sync_recoveries_total', 'Outcomes of recoveries after outages', ['outcome']);
  }

  started({ id, accounts_total }: RecoveryEntity): void {
    this.recoveries.inc({ outcome: 'started' });
    this.log.event('sync.recovery_started', { recovery_id: id, count: accounts_total });
  }

  batchPlanned({ id, state, pulls_planned }: RecoveryEntity): void {
    if (state === 'planning') return;
    this.recoveries.inc({ outcome: 'planned' });
    this.log.event('sync.recovery_planned', { recovery_id: id, count: pulls_planned });
  }

  finished({ id, pulls_done, pulls_failed, pages }: RecoveryEntity): void {
    this.recoveries.inc({ outcome: pulls_failed === 0 ? 'done' : 'done_in_part' });
    const level = pulls_failed === 0 ? 'info' : 'warn';
    const outcome = pulls_failed === 0 ? 'done' : 'done_in_part';
    this.log.event('sync.recovery_finished', { recovery_id: id, outcome, count: pulls_done, pages }, level);
  }
}
