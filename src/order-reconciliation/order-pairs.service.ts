import { Injectable } from '@nestjs/common';
import type { AccountEntity } from '../accounts/account.entity.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { WriteLane } from '../database/write-lane.js';
import { OrdersService } from '../orders/orders.service.js';
import { OrdersTelemetry } from '../orders/orders.telemetry.js';
import { type ReadOrder, UpstreamOrders } from '../orders/upstream-orders.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { UpstreamError } from '../upstream-transport/upstream-error.js';

/** The two ids every redraw needs, of an order the customer placed. */
export interface OrderPair {
  readonly account_id: string;
  readonly order_id: string;
  readonly order_transaction_id?: string | undefined;
}

const interactive = { priority: 'interactive' } as const;

/**
 * Takes order pairs from the customer. Upstream is asked first, so that the missing id is filled in and nobody gets
 * the order of another. When it cannot be reached, a whole pair is stored as given and looked up as soon as possible;
 * half a pair is refused (`upstream_unavailable`) and nothing is stored.
 */
@Injectable()
export class OrderPairsService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly upstream: UpstreamOrders,
    private readonly orders: OrdersService,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly events: OrdersTelemetry,
  ) {}

  /** Throws `not_found` for an unknown account or order, `conflict` for ids that do not belong together. */
  async storePair(pair: OrderPair): Promise<void> {
    const account = await this.accounts.get(pair.account_id);
    const read = await this.upstream.read(pair.order_id, interactive).catch((error: unknown) => {
      if (error instanceof UpstreamError && error.isTransient && pair.order_transaction_id !== undefined) return null;
      throw error;
    });
    if (read) await this.storeVerified(pair, account, read);
    else await this.storeUnverified(pair, account);
    this.events.pairStored(account.id, pair.order_id, read ? 'verified' : 'unverified');
  }

  private async storeVerified(pair: OrderPair, account: AccountEntity, { order, ...read }: ReadOrder): Promise<void> {
    if (order.user_id.toLowerCase() !== account.upstream_user_id) throw conflict('The order belongs to another user.');
    const named = order.order_transaction?.id;
    const given = pair.order_transaction_id;
    if (named !== undefined && given !== undefined && named !== given) {
      throw conflict('Upstream names another transaction for this order.');
    }
    const order_transaction_id = named ?? given;
    if (order_transaction_id === undefined) {
      throw new AppError('upstream_contract', 'Upstream names no transaction for this order: give its id.');
    }
    const observed = { account: account.id, observedAt: read.observedAt };
    const applied = await this.lane.run(async (tx) => {
      await this.orders.applyIds(tx, { order_id: order.id, order_transaction_id }, observed);
      return this.orders.applyOrder(tx, order, observed);
    });
    this.events.applied('operator', applied);
  }

  private async storeUnverified(pair: OrderPair, account: AccountEntity): Promise<void> {
    const ids = { order_id: pair.order_id, order_transaction_id: pair.order_transaction_id ?? null };
    const observed = { account: account.id, observedAt: this.clock.now() };
    const applied = await this.lane.run(async (tx) => {
      if (!(await this.orders.fits(tx, ids, account.id))) throw conflict('The ids are stored with others already.');
      return this.orders.applyIds(tx, ids, observed);
    });
    this.events.applied('operator', applied);
  }
}

function conflict(message: string): AppError {
  return new AppError('conflict', message);
}
