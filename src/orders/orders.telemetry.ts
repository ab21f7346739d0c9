import { Injectable } from '@nestjs/common';
import { loggable } from '../platform/errors.js';
import { Log } from '../platform/log.js';
import { Metrics } from '../platform/metrics.js';
import { OrderReadsService } from './order-reads.service.js';
import type { Applied } from './orders.service.js';

/** How an order came to us: in a message, walked over in upstream's list, read by its id, or given by an operator. */
export type OrderSource = 'message' | 'list' | 'read' | 'operator';

/** What happens to orders, as a line of the log and a count. Called after the commit, never inside a transaction. */
@Injectable()
export class OrdersTelemetry {
  private readonly firstSeen;
  private readonly outcomes;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
    reads: OrderReadsService,
  ) {
    this.firstSeen = metrics.counter('orders_first_seen_total', 'Orders stored for the first time by source', [
      'source',
    ]);
    this.outcomes = metrics.counter('orders_upkeep_total', 'Reads of orders from upstream by outcome', ['outcome']);
    metrics.gauge('order_transactions_needing_redraw', 'Patients to be told of a second draw', [], async (gauge) => {
      gauge.set(await reads.countNeeding('redraw'));
    });
  }

  applied(source: OrderSource, { first, arisen }: Applied): void {
    if (first.length > 0) this.firstSeen.inc({ source }, first.length);
    if (arisen !== null) this.log.event('order.needs_arisen', { kind: arisen });
  }

  pairStored(accountRef: number, orderId: string, outcome: 'verified' | 'unverified'): void {
    this.log.event('order.pair_stored', { account_ref: accountRef, order_ref: orderId, outcome });
  }

  /** The order stays without an account, because its user cannot be one of ours. */
  ownerRefused(error: unknown): void {
    this.outcomes.inc({ outcome: 'owner_refused' });
    this.log.event('order.owner_refused', loggable(error), 'warn');
  }

  passFinished(pages: number): void {
    this.outcomes.inc({ outcome: 'list_walked' });
    this.log.event('order.list_walked', { pages }, 'debug');
  }

  /** A team without access to orders is told of quietly: it stays so. */
  listDeferred(error: unknown, delayMs: number, refused: boolean): void {
    this.outcomes.inc({ outcome: refused ? 'list_refused' : 'list_deferred' });
    this.log.event('order.list_deferred', { ...loggable(error), delay_ms: delayMs }, refused ? 'debug' : 'warn');
  }

  refreshed(): void {
    this.outcomes.inc({ outcome: 'refreshed' });
  }

  /** Without a delay it was given up. */
  refreshDeferred(orderId: string, error: unknown, delayMs: number | null): void {
    this.outcomes.inc({ outcome: delayMs === null ? 'refresh_given_up' : 'refresh_deferred' });
    const delay = delayMs === null ? {} : { delay_ms: delayMs };
    this.log.event('order.refresh_deferred', { order_ref: orderId, ...loggable(error), ...delay }, 'warn');
  }
}
