import { Injectable } from '@nestjs/common';
import type { Tx } from '../../storage/database/tx.js';
import type { Waiting } from '../../storage/work/leased-rows.js';
import type { WireOrder, WireOrderTransaction } from '../../upstream/client/wire-orders.js';
import { type Applied, type Observed, type OrderIds, OrdersService } from '../orders/orders.service.js';
import { PlacementKeys } from '../orders/placement-keys.service.js';
import { ResultFetches } from '../orders/result-fetches.service.js';
import { OrderIntakeTelemetry, type OrderSource } from './order-intake.telemetry.js';
import { OrderRefreshRepository } from './order-refresh.repository.js';
import { OrderSyncRepository } from './order-sync.repository.js';

/**
 * Entry point for everything upstream reports about orders: by webhook, list or response. Stores it
 * (OrdersService) and, in the same database transaction, what follows from it: orders to read again, results to fetch,
 * the placement that is settled. `report` is for after the commit.
 */
@Injectable()
export class OrderIntake {
  constructor(
    private readonly orders: OrdersService,
    private readonly refreshes: OrderRefreshRepository,
    private readonly results: ResultFetches,
    private readonly placements: PlacementKeys,
    private readonly sync: OrderSyncRepository,
    private readonly telemetry: OrderIntakeTelemetry,
  ) {}

  /** The order was read completely: its waiting refresh is done. */
  async applyOrder(tx: Tx, order: WireOrder, observed: Observed): Promise<Applied> {
    const applied = await this.orders.applyOrder(tx, order, observed);
    if (applied.isSuppressed) return applied;
    await this.refreshes.complete(tx, order.id);
    await this.placements.settle(tx, order, observed);
    return this.handOn(tx, applied, observed);
  }

  /** `userIds`: the upstream users of its orders, as far as those were read with it. */
  async applyTransaction(
    tx: Tx,
    transaction: WireOrderTransaction,
    observed: Observed,
    userIds: readonly string[] = [],
  ): Promise<Applied> {
    return this.handOn(tx, await this.orders.applyTransaction(tx, transaction, observed, userIds), observed);
  }

  /** Ids alone; schedules a read of the order. */
  async applyIds(tx: Tx, ids: OrderIds, observed: Observed): Promise<Applied> {
    return this.handOn(tx, await this.orders.applyIds(tx, ids, observed), observed);
  }

  /** The `data` of `labtest.appointment.*`. Throws `WireShapeError`. */
  async applyAppointment(tx: Tx, data: unknown, observed: Observed): Promise<Applied> {
    return this.handOn(tx, await this.orders.applyAppointment(tx, data, observed), observed);
  }

  /** The `data` of `labtest.result.critical`. Throws `WireShapeError`. */
  async applyCritical(tx: Tx, data: unknown, observed: Observed): Promise<Applied> {
    return this.handOn(tx, await this.orders.applyCritical(tx, data, observed), observed);
  }

  /** The waiting or buried read of an order. */
  refreshOf(orderId: string): Promise<Waiting | null> {
    return this.refreshes.find(orderId);
  }

  /** An event that names an order without content. */
  async applyNotice(tx: Tx, orderId: string, observed: Observed): Promise<Applied> {
    return this.handOn(tx, await this.orders.applyNotice(tx, orderId, observed), observed);
  }

  /** Schedules a read of all orders updated since `from` (epoch milliseconds). */
  syncListFrom(tx: Tx, from: number, now: number): Promise<void> {
    return this.sync.rewind(tx, from, now);
  }

  /** Call after the commit. */
  report(source: OrderSource, applied: Applied): void {
    this.telemetry.applied(source, applied);
  }

  private async handOn(tx: Tx, applied: Applied, { observedAt }: Observed): Promise<Applied> {
    for (const { orderId, dueAt } of applied.toRefetch) await this.refreshes.request(tx, orderId, dueAt);
    for (const { scope, id, account } of applied.resultsDue) {
      await this.results.request(tx, { scope, id }, observedAt, account);
    }
    return applied;
  }
}
