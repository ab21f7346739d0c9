import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { erasedError } from '../../accounts/erasure-guard/open-accounts.js';
import { AppError } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { interactive } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { type OrderIds, OrdersService } from '../orders/orders.service.js';
import { OrdersApply } from '../orders/orders-apply.service.js';
import { type ReadOrder, UpstreamOrders } from '../upstream-orders/upstream-orders.js';

/** The two ids that every redraw needs, for an order placed by the customer. */
export interface OrderPair {
  readonly account_id: string;
  readonly order_id: string;
  readonly order_transaction_id?: string | undefined;
}

/**
 * Stores order pairs from the customer. Reads the order from upstream first, to fill in a missing id and to check the
 * owner. If upstream is unavailable, a complete pair is stored as given and the order is read later; an incomplete pair
 * is refused (`upstream_unavailable`), and nothing is stored.
 */
@Injectable()
export class OrderPairsService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly upstream: UpstreamOrders,
    private readonly orders: OrdersService,
    private readonly ordersApply: OrdersApply,
    private readonly lane: WriteLane,
    private readonly log: Log,
  ) {}

  /** Throws `not_found` for an unknown account or order, `conflict` for ids that do not belong together. */
  async storePair(pair: OrderPair): Promise<void> {
    const { id: account, upstream_user_id: userId } = await this.accounts.get(pair.account_id);
    const read = await this.upstream.read(pair.order_id, interactive).catch((error: unknown) => {
      const isTransient = error instanceof UpstreamError && error.isTransient;
      if (isTransient && pair.order_transaction_id !== undefined) return null;
      throw error;
    });
    if (read && read.order.user_id.toLowerCase() !== userId) throw conflict('The order belongs to another user.');
    await (read ? this.storeVerified(pair, account, read) : this.storeUnverified(pair, account));
    const outcome = read ? 'verified' : 'unverified';
    this.log.event('order.pair_stored', { order_ref: pair.order_id, outcome });
  }

  private storeVerified(pair: OrderPair, account: number, { order, observedAt }: ReadOrder): Promise<void> {
    const named = order.order_transaction?.id;
    const given = pair.order_transaction_id;
    if (named !== undefined && given !== undefined && named !== given) {
      throw conflict('Upstream reports another transaction for this order.');
    }
    const order_transaction_id = named ?? given;
    if (order_transaction_id === undefined) {
      throw conflict('Upstream reports no transaction for this order: send its id.');
    }
    const reported = { account, observedAt, source: 'operator' } as const;
    return this.lane.run(async (tx) => {
      const ids = { order_id: order.id, order_transaction_id };
      if (!(await this.ordersApply.applyIds(tx, ids, reported))) throw erasedError();
      await this.ordersApply.applyOrder(tx, order, reported);
    });
  }

  private storeUnverified(pair: OrderPair, account: number): Promise<void> {
    const ids: OrderIds = { order_id: pair.order_id, order_transaction_id: pair.order_transaction_id ?? null };
    return this.lane.run(async (tx) => {
      const reported = { account, observedAt: tx.now, source: 'operator' } as const;
      const fits = await this.orders.fits(tx, ids, account);
      if (!fits) throw conflict('One of the ids is already stored with a different one.');
      if (!(await this.ordersApply.applyIds(tx, ids, reported))) throw erasedError();
    });
  }
}

function conflict(message: string): AppError {
  return new AppError('conflict', message);
}
