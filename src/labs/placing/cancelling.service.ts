import { Injectable } from '@nestjs/common';
import { AppError } from '../../platform/platform/errors.js';
import { interactive } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { type OrderDetail, OrderReadsService } from '../orders/order-reads.service.js';
import { UpstreamOrders } from '../upstream-orders/upstream-orders.js';
import { PlacingTelemetry } from './placing.telemetry.js';
import { isVerdict } from './refusal.js';

/**
 * Cancels an order upstream. The call is made once; if its response is lost or upstream refuses, the order is read
 * again. Only upstream's report is stored, so a crash leaves nothing to clean up: the new state comes with the event,
 * the list or the next request.
 */
@Injectable()
export class CancellingService {
  constructor(
    private readonly reads: OrderReadsService,
    private readonly upstream: UpstreamOrders,
    private readonly telemetry: PlacingTelemetry,
  ) {}

  /**
   * The cancelled order; an already cancelled one is returned unchanged. An unknown order is first read from upstream.
   * Throws `not_found`, `order_not_cancellable`, and `UpstreamError`, after which the request may be repeated.
   */
  async cancel(orderId: string): Promise<OrderDetail> {
    const before = await this.upstream.stored(orderId);
    if (before.isCancelled) return this.answer(before, 'already_cancelled');
    try {
      await this.upstream.cancel(orderId, before.order.account_id, interactive);
    } catch (error) {
      return this.failed(orderId, error);
    }
    return this.answer(await this.reads.get(orderId), 'cancelled');
  }

  private async failed(orderId: string, error: unknown): Promise<OrderDetail> {
    if (!(error instanceof UpstreamError)) throw error;
    const refused = isVerdict(error);
    if (!refused && !error.mayHaveWorked) throw error;
    const after = await this.readAgain(orderId);
    if (after.isCancelled) return this.answer(after, refused ? 'already_cancelled' : 'cancelled');
    if (!refused) throw error;
    this.telemetry.cancelled(orderId, 'refused');
    throw new AppError(
      'order_not_cancellable',
      'Upstream can no longer cancel this order; its stored state was refreshed.',
    );
  }

  private async readAgain(orderId: string): Promise<OrderDetail> {
    await this.upstream.readAndStore(orderId, interactive);
    return this.reads.get(orderId);
  }

  private answer(detail: OrderDetail, outcome: 'cancelled' | 'already_cancelled'): OrderDetail {
    this.telemetry.cancelled(detail.order.order_id, outcome);
    return detail;
  }
}
