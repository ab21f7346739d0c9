import { Injectable } from '@nestjs/common';
import type { Tx } from '../../storage/database/tx.js';
import type { WireOrderPage } from '../../upstream/client/wire-orders.js';
import { DueReads, orderRead } from '../orders/due-reads.repository.js';
import { OrdersReader } from '../orders/orders.reader.js';

/** If more orders than this are missing from a pass, the list is not trusted and none of them is read again. */
const MAX_UNLISTED = 500;

/** Orders missing from a pass over all orders. Only a read by id proves that upstream no longer has an order. */
@Injectable()
export class UnlistedOrders {
  constructor(
    private readonly orders: OrdersReader,
    private readonly dueReads: DueReads,
  ) {}

  /** Ids of the orders that a pass begun at `startedAt` has not shown up to its last page. */
  async find(startedAt: number, { orders }: WireOrderPage): Promise<string[]> {
    const shown = new Set(orders.map(({ id }) => id));
    const unseen = await this.orders.unseenSince(startedAt, MAX_UNLISTED + shown.size + 1);
    const unlisted = unseen.filter((id) => !shown.has(id));
    return unlisted.length > MAX_UNLISTED ? [] : unlisted;
  }

  async readAgain(tx: Tx, orderIds: readonly string[], now: number): Promise<void> {
    for (const orderId of orderIds) await this.dueReads.request(tx, orderRead(orderId), now);
  }
}
