import { Injectable } from '@nestjs/common';
import { OrderReadsService, type TransactionDetail } from '../orders/order-reads.service.js';
import { UpstreamOrders } from '../orders/upstream-orders.js';

/** Reads one transaction from upstream because somebody asks for it now. */
@Injectable()
export class TransactionRefresh {
  constructor(
    private readonly reads: OrderReadsService,
    private readonly upstream: UpstreamOrders,
  ) {}

  /** The transaction as it is stored afterwards. Throws `not_found` or `UpstreamError`, and then stored nothing. */
  async refresh(id: string): Promise<TransactionDetail> {
    const stored = await this.reads.findTransaction(id);
    const known = (stored?.chain.orders ?? []).map((order) => order.order_id);
    await this.upstream.refreshTransaction(id, known, { priority: 'interactive' });
    return this.reads.getTransaction(id);
  }
}
