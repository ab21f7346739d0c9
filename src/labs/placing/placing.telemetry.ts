import { Injectable } from '@nestjs/common';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { Outcomes } from '../../platform/platform/outcomes.js';
import { type Failure, loggableFailure } from '../keys/failure.js';
import { IdempotencyKeys } from '../keys/idempotency-keys.service.js';

/** Logs and counts placed and cancelled orders, never their content. */
@Injectable()
export class PlacingTelemetry {
  private readonly placements: Outcomes;
  private readonly cancellations: Outcomes;

  constructor(log: Log, metrics: Metrics, keys: IdempotencyKeys) {
    const placed = 'Requests to place an order by outcome';
    this.placements = new Outcomes(log, metrics, 'order_placements_total', placed);
    const cancelled = 'Requests to cancel an order by outcome';
    this.cancellations = new Outcomes(log, metrics, 'order_cancellations_total', cancelled);
    metrics.storeGauge('order_placements_unresolved', 'Placement keys whose outcome is unknown', [], async (gauge) => {
      gauge.set(await keys.countUnresolved('order'));
    });
  }

  /** `repeated`: returned from the database. */
  placed(orderId: string, outcome: 'placed' | 'repeated'): void {
    this.placements.note(outcome, 'order.placed', { order_ref: orderId, outcome });
  }

  failed(accountRef: number, { settled, error }: Failure): void {
    const outcome = settled ? 'refused' : 'unknown';
    const fields = { account_ref: accountRef, ...loggableFailure(error) };
    this.placements.note(outcome, `order.placement_${outcome}`, fields, 'warn');
  }

  /** Notes an order that was placed and stored, but whose transaction will be read later. */
  transactionDeferred(orderId: string, error: unknown): void {
    const fields = { order_ref: orderId, ...loggableFailure(error) };
    this.placements.note('transaction_deferred', 'order.transaction_deferred', fields, 'warn');
  }

  cancelled(orderId: string, outcome: 'cancelled' | 'already_cancelled' | 'refused'): void {
    this.cancellations.note(outcome, 'order.cancel_answered', { order_ref: orderId, outcome });
  }
}
