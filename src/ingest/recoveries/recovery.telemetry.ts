import { Injectable } from '@nestjs/common';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { Outcomes } from '../../platform/platform/outcomes.js';
import type { RecoveryEntity } from './recovery.entity.js';

/** Telemetry of recoveries. Their pulls are counted in pulls.telemetry.ts. */
@Injectable()
export class RecoveryTelemetry {
  private readonly recoveries;

  constructor(log: Log, metrics: Metrics) {
    this.recoveries = new Outcomes(log, metrics, 'sync_recoveries_total', 'Recoveries by outcome');
  }

  started({ id, accounts_total: count }: RecoveryEntity): void {
    this.recoveries.note('started', 'sync.recovery_started', { recovery_id: id, count });
  }

  batchPlanned({ id, state, pulls_planned: count }: RecoveryEntity): void {
    if (state !== 'planning') this.recoveries.note('planned', 'sync.recovery_planned', { recovery_id: id, count });
  }

  finished({ id, pulls_done: count, pulls_failed, pages }: RecoveryEntity): void {
    const [outcome, level] = pulls_failed === 0 ? (['done', 'info'] as const) : (['done_in_part', 'warn'] as const);
    this.recoveries.note(outcome, 'sync.recovery_finished', { recovery_id: id, outcome, count, pages }, level);
  }
}
