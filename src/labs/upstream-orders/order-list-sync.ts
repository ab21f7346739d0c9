import { Injectable } from '@nestjs/common';
import { toIso } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { type Walk, Walks } from '../../storage/work/walks.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import type { WireOrderPage } from '../../upstream/client/wire-orders.js';
import { type CallOptions } from '../../upstream/transport/call.js';
import { OrdersApply } from '../orders/orders-apply.service.js';
import { OrderOwners } from './order-owners.js';
import { UnlistedOrders } from './unlisted-orders.js';

const PAGE_SIZE = 50;

/** A claimed pass with its position and start. */
export type OrderScan = Walk & { readonly started_at: number };

/** Time of the read, and due time of the next pass if this page is the last. */
export interface PageTimes {
  readonly now: number;
  readonly nextPass: number;
}

/** Reads upstream's order list page by page, and stores each page together with the position. */
@Injectable()
export class OrderListSync {
  constructor(
    private readonly client: UpstreamClient,
    private readonly owners: OrderOwners,
    private readonly ordersApply: OrdersApply,
    private readonly unlisted: UnlistedOrders,
    private readonly walks: Walks,
    private readonly lane: WriteLane,
  ) {}

  /** Schedules a read of all orders updated since `from` (epoch milliseconds). */
  startFrom(tx: Tx, from: number, now: number): Promise<void> {
    return this.walks.rewind(tx, 'order_list', { from, now });
  }

  /** Reads and stores the pass's next page; true if it was the last. Throws `UpstreamError` and `LeaseLost`. */
  async storePage(pass: OrderScan, { now, nextPass }: PageTimes, options: CallOptions): Promise<boolean> {
    const page = await this.client.orders(filterOf(pass), options);
    const owners = await this.owners.findAll(page.orders, options);
    const isLast = endsAt(page, pass.pages + 1);
    const unreadable = page.unreadable + (pass.pages === 0 ? 0 : pass.unreadable);
    const isWhole = isLast && unreadable === 0 && pass.window_start === null;
    const unlisted = isWhole ? await this.unlisted.find(pass.started_at, page) : [];
    await this.lane.run(async (tx) => {
      for (const order of page.orders) {
        const account = owners.get(order.user_id) ?? null;
        await this.ordersApply.applyOrder(tx, order, { account, observedAt: now, source: 'list' });
      }
      await this.unlisted.readAgain(tx, unlisted, now);
      if (isLast) return this.walks.finish(tx, pass, nextPass, { high_water_mark: pass.started_at, unreadable });
      const { started_at, window_start, pages } = pass;
      return this.walks.rows.complete(tx, pass, pass.due_at, {
        started_at,
        window_start,
        pages: pages + 1,
        unreadable,
      });
    });
    return isLast;
  }
}

function filterOf(pass: OrderScan): Parameters<UpstreamClient['orders']>[0] {
  return {
    order_key: 'created_at',
    order_direction: 'asc',
    page: pass.pages + 1,
    size: PAGE_SIZE,
    ...(pass.window_start === null ? {} : { updated_start_date: toIso(pass.window_start) }),
  };
}

/** Upstream may return smaller pages than requested, and may omit the total and the size. */
function endsAt(page: WireOrderPage, number: number): boolean {
  const listed = page.orders.length + page.unreadable;
  if (listed === 0) return true;
  if (page.total !== undefined) return number * (page.size ?? listed) >= page.total;
  return listed < (page.size ?? PAGE_SIZE);
}
