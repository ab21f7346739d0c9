import { Injectable } from '@nestjs/common';
import { toIso } from '../../platform/platform/time.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { type CallOptions, UpstreamClient } from '../../upstream/client/upstream.client.js';
import type { WireOrder, WireOrderPage } from '../../upstream/client/wire-orders.js';
import { OrderReadsService } from '../orders/order-reads.service.js';
import type { Applied } from '../orders/orders.service.js';
import { OrderIntake } from './order-intake.service.js';
import { OrderRefreshRepository } from './order-refresh.repository.js';
import { type OrderScan, OrderSyncRepository } from './order-sync.repository.js';
import { UpstreamOrders } from './upstream-orders.js';

const PAGE_SIZE = 50;
/** A pass that does not show more orders than this proves nothing about any. */
const MOST_UNLISTED = 500;

/** When the page is read, and when the next pass is due after the last page. */
export interface PageTimes {
  readonly now: number;
  readonly nextPass: number;
}

export interface StoredPage {
  readonly isLast: boolean;
  readonly applied: readonly Applied[];
}

/** Reads upstream's order list page by page; stores each page together with the position. */
@Injectable()
export class OrderListSync {
  constructor(
    private readonly client: UpstreamClient,
    private readonly upstream: UpstreamOrders,
    private readonly intake: OrderIntake,
    private readonly sync: OrderSyncRepository,
    private readonly refreshes: OrderRefreshRepository,
    private readonly reads: OrderReadsService,
    private readonly lane: WriteLane,
  ) {}

  /** Reads and stores the pass's next page. Throws `UpstreamError` and `LeaseLost`. */
  async storePage(pass: OrderScan, { now, nextPass }: PageTimes, options: CallOptions): Promise<StoredPage> {
    const page = await this.client.orders(filterOf(pass), options);
    const owners = await this.ownersOf(page.orders, options);
    const isLast = endsAt(page, pass.page);
    const unreadable = page.unreadable + (pass.page === 1 ? 0 : pass.unreadable);
    const unlisted = isLast && unreadable === 0 ? await this.unlisted(pass, page) : [];
    const applied = await this.lane.run(async (tx) => {
      const all: Applied[] = [];
      for (const order of page.orders) {
        const account = owners.get(order.user_id) ?? null;
        all.push(await this.intake.applyOrder(tx, order, { account, observedAt: now }));
      }
      for (const orderId of unlisted) await this.refreshes.request(tx, orderId, now);
      await (isLast ? this.sync.finish(tx, pass, unreadable, nextPass) : this.sync.advance(tx, pass, unreadable));
      return all;
    });
    return { isLast, applied };
  }

  /** Orders that a pass over all orders did not show. Reading each by its id proves that upstream no longer has it. */
  private async unlisted({ window_start, pass_started_at }: OrderScan, { orders }: WireOrderPage): Promise<string[]> {
    if (window_start !== null) return [];
    const shown = new Set(orders.map(({ id }) => id));
    const unseen = await this.reads.unseenSince(pass_started_at, MOST_UNLISTED + PAGE_SIZE + 1);
    const unlisted = unseen.filter((id) => !shown.has(id));
    return unlisted.length > MOST_UNLISTED ? [] : unlisted;
  }

  private async ownersOf(orders: readonly WireOrder[], options: CallOptions): Promise<Map<string, number | null>> {
    const owners = new Map<string, number | null>();
    for (const { user_id } of orders) {
      if (!owners.has(user_id)) owners.set(user_id, await this.upstream.ownerOf(user_id, options));
    }
    return owners;
  }
}

function filterOf(pass: OrderScan): Parameters<UpstreamClient['orders']>[0] {
  return {
    order_key: 'created_at',
    order_direction: 'asc',
    page: pass.page,
    size: PAGE_SIZE,
    ...(pass.window_start === null ? {} : { updated_start_date: toIso(pass.window_start) }),
  };
}

/** Upstream may return smaller pages than requested, and may omit the total. */
function endsAt(page: WireOrderPage, number: number): boolean {
  const listed = page.orders.length + page.unreadable;
  if (listed === 0) return true;
  const size = page.size ?? PAGE_SIZE;
  if (page.total !== undefined) return number * size >= page.total;
  return listed < size;
}
