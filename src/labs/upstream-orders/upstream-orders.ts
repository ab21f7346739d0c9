import { Injectable } from '@nestjs/common';
import { erasedError } from '../../accounts/erasure-guard/open-accounts.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import type { WireOrder } from '../../upstream/client/wire-orders.js';
import { type CallOptions, interactive } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { type OrderDetail, OrderReadsService } from '../orders/order-reads.service.js';
import { OrdersApply } from '../orders/orders-apply.service.js';
import { OrderOwners } from './order-owners.js';

/** An order as read at `observedAt`, and the account of its user. */
export interface ReadOrder {
  readonly order: WireOrder;
  readonly account: number | null;
  readonly observedAt: number;
}

/** Reads orders and transactions from upstream and stores them. */
@Injectable()
export class UpstreamOrders {
  constructor(
    private readonly client: UpstreamClient,
    private readonly owners: OrderOwners,
    private readonly ordersApply: OrdersApply,
    private readonly reads: OrderReadsService,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
  ) {}

  /** Reads an order. Throws `not_found` if upstream does not know it, and `UpstreamError`. */
  async read(orderId: string, options: CallOptions): Promise<ReadOrder> {
    const observedAt = this.clock.now();
    const order = await this.client.order(orderId, options).catch(notFoundIfAbsent);
    return { order, observedAt, account: await this.owners.find(order.user_id, options) };
  }

  async readAndStore(orderId: string, options: CallOptions): Promise<void> {
    const { order, ...observed } = await this.read(orderId, options);
    await this.lane.run((tx) => this.ordersApply.applyOrder(tx, order, { ...observed, source: 'read' }));
  }

  /** The stored order; an unknown one is first read from upstream. Throws `not_found` and `UpstreamError`. */
  async stored(orderId: string): Promise<OrderDetail> {
    const known = await this.reads.find(orderId);
    if (known) return known;
    await this.readAndStore(orderId, interactive);
    return this.reads.get(orderId);
  }

  /** Cancels an order with one call and stores upstream's response. Throws `UpstreamError`. */
  async cancel(orderId: string, account: number | null, options: CallOptions): Promise<void> {
    const observedAt = this.clock.now();
    const { order } = await this.client.cancelOrder(orderId, options).catch(notFoundIfAbsent);
    const reported = { account, observedAt, source: 'operator' } as const;
    await this.lane.run((tx) => this.ordersApply.applyOrder(tx, order, reported));
  }

  /**
   * Stores an order that was placed here, in one database transaction with `settle`. An order without its transaction
   * is read again soon. Throws `account_erased`.
   */
  async storePlaced({ order, ...observed }: ReadOrder, settle: (tx: Tx) => Promise<void>): Promise<void> {
    const reported = { ...observed, source: 'operator' } as const;
    await this.lane.run(async (tx) => {
      if (!(await this.ordersApply.applyOrder(tx, order, reported))) throw erasedError();
      if (!order.order_transaction) {
        await this.ordersApply.applyIds(tx, { order_id: order.id, order_transaction_id: null }, reported);
      }
      await settle(tx);
    });
  }

  /**
   * Reads a transaction and its orders (those that upstream lists and those in `known`), and stores them together. A
   * team without access to transactions (docs/upstream/orders.md#access-to-order-transactions) still gets the orders,
   * each of which contains the transaction. Throws `not_found` if upstream has neither, and `UpstreamError`.
   */
  async refreshTransaction(id: string, known: readonly string[], options: CallOptions): Promise<void> {
    const observedAt = this.clock.now();
    const transaction = await this.client.orderTransaction(id, options).catch((error: unknown) => {
      if (known.length > 0 && error instanceof UpstreamError && error.isRefusal) return null;
      return notFoundIfAbsent(error);
    });
    const ids = new Set([...(transaction?.orders ?? []).map((order) => order.id), ...known]);
    const reads = await Promise.all([...ids].map((orderId) => this.readIfThere(orderId, options)));
    const found = reads.filter((read) => read !== null);
    if (!transaction && found.length === 0) throw absent();
    const account = found.find((read) => read.account !== null)?.account ?? null;
    const userIds = found.map(({ order }) => order.user_id);
    await this.lane.run(async (tx) => {
      const reported = { account, observedAt, source: 'read' } as const;
      if (transaction) await this.ordersApply.applyTransaction(tx, transaction, reported, userIds);
      for (const { order, ...own } of found) await this.ordersApply.applyOrder(tx, order, { ...own, source: 'read' });
    });
  }

  private async readIfThere(orderId: string, options: CallOptions): Promise<ReadOrder | null> {
    return this.read(orderId, options).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'not_found') return null;
      throw error;
    });
  }
}

function absent(): AppError {
  return new AppError('not_found', 'Upstream has no such order.');
}

function notFoundIfAbsent(error: unknown): never {
  throw error instanceof UpstreamError && error.isNotFound ? absent() : error;
}
