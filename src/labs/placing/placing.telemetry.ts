import { Injectable } from '@nestjs/common';
import { CodedError, loggable } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { PlacementKeys } from '../orders/placement-keys.service.js';

/** Logs and counts of placed and cancelled orders; never their content. */
@Injectable()
export class PlacingTelemetry {
  private readonly placements;
  private readonly cancellations;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
    keys: PlacementKeys,
  ) {
    this.placements = metrics.counter('order_placements_total', 'Requests to place an order by outcome', ['outcome']);
    this.cancellations = metrics.counter('order_cancellations_total', 'Requests to cancel an order by outcome', [
      'outcome',
    ]);
    metrics.storeGauge('order_placements_unresolved', 'Idempotency keys with an unknown outcome', [], async (gauge) => {
      gauge.set(await keys.countUnresolved());
    });
  }

  /** `repeated`: returned from the store. */
  placed(orderId: string, outcome: 'placed' | 'repeated'): void {
    this.placements.inc({ outcome });
    this.log.event('order.placed', { order_ref: orderId, outcome });
  }

  failed(accountRef: number, error: unknown, settled: boolean): void {
    const outcome = settled ? 'refused' : 'unknown';
    this.placements.inc({ outcome });
    this.log.event(`order.placement_${outcome}`, { account_ref: accountRef, ...facts(error) }, 'warn');
  }

  /** The order is placed and stored; its transaction is read later. */
  transactionDeferred(orderId: string, error: unknown): void {
    this.placements.inc({ outcome: 'transaction_deferred' });
    this.log.event('order.transaction_deferred', { order_ref: orderId, ...facts(error) }, 'warn');
  }

  cancelled(orderId: string, outcome: 'cancelled' | 'already_cancelled' | 'refused'): void {
    this.cancellations.inc({ outcome });
    this.log.event('order.cancel_answered', { order_ref: orderId, outcome });
  }
}

function facts(error: unknown): ReturnType<typeof loggable> {
  const shown = error instanceof CodedError && error.cause instanceof CodedError ? error.cause : error;
  return loggable(shown);
}
