import { Injectable } from '@nestjs/common';
import { loggable } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import type { Need } from './redraw-chain.js';

/** Source of an order: webhook, upstream's list, a read by id, or an operator. */
export type OrderSource = 'message' | 'list' | 'read' | 'operator';

/** Logs and counts incoming orders. */
@Injectable()
export class OrdersTelemetry {
  private readonly firstSeen;
  private readonly outcomes;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    const [firstSeen, outcomes] = [
      'Orders stored for the first time by source',
      'Reads of orders from upstream by outcome',
    ];
    this.firstSeen = metrics.counter('orders_first_seen_total', firstSeen, ['source']);
    this.outcomes = metrics.counter('order_reconciliation_total', outcomes, ['outcome']);
  }

  applied(source: OrderSource, newOrders: number, newNeed: Need | null): void {
    if (newOrders > 0) this.firstSeen.inc({ source }, newOrders);
    if (newNeed !== null) this.log.event('order.redraw_needed', { kind: newNeed });
  }

  /** Notes an order without an account, because its user could not be adopted. */
  ownerRefused(error: unknown): void {
    this.outcomes.inc({ outcome: 'owner_refused' });
    this.log.event('order.owner_refused', loggable(error), 'warn');
  }

  passFinished(pages: number): void {
    this.outcomes.inc({ outcome: 'list_synced' });
    this.log.event('order.list_synced', { pages }, 'debug');
  }

  /** Refusals are logged at level debug, because a team without access to orders is refused in every pass. */
  listDeferred(error: unknown, delayMs: number, refused: boolean): void {
    this.outcomes.inc({ outcome: refused ? 'list_refused' : 'list_deferred' });
    this.log.event('order.list_deferred', { ...loggable(error), delay_ms: delayMs }, refused ? 'debug' : 'warn');
  }

  refreshed(): void {
    this.outcomes.inc({ outcome: 'refreshed' });
  }

  /** `delayMs` is null if the read of the parsing job was given up. */
  jobDeferred(error: unknown, delayMs: number | null): void {
    this.outcomes.inc({ outcome: delayMs === null ? 'job_given_up' : 'job_deferred' });
    const facts = { ...loggable(error), delay_ms: delayMs ?? undefined };
    this.log.event('order.job_deferred', facts, delayMs === null ? 'warn' : 'debug');
  }

  /** `delayMs` is null if the row was buried. */
  refreshDeferred(orderId: string, error: unknown, delayMs: number | null): void {
    this.outcomes.inc({ outcome: delayMs === null ? 'refresh_given_up' : 'refresh_deferred' });
    const facts = { order_ref: orderId, ...loggable(error), delay_ms: delayMs ?? undefined };
    this.log.event('order.refresh_deferred', facts, 'warn');
  }
}
