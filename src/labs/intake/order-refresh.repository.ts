import { Injectable } from '@nestjs/common';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import { LeasedRows, type Waiting } from '../../storage/work/leased-rows.js';
import { OrderRefreshEntity } from './order-refresh.entity.js';

/** Orders waiting to be read from upstream. A complete read deletes the row. */
@Injectable()
export class OrderRefreshRepository {
  readonly rows = new LeasedRows(OrderRefreshEntity);

  constructor(private readonly reader: Reader) {}

  find(orderId: string): Promise<Waiting | null> {
    return this.rows.waiting(this.reader, [orderId]);
  }

  /** Keeps the earlier due time of a waiting request; a buried one starts again. */
  async request(tx: Tx, orderId: string, dueAt: number): Promise<void> {
    await tx.execute(
      `INSERT INTO order_refreshes (order_id, due_at, attempts) VALUES (?, ?, 0)
       ON CONFLICT (order_id) DO UPDATE SET due_at = excluded.due_at,
         attempts = CASE WHEN order_refreshes.due_at IS NULL THEN 0 ELSE order_refreshes.attempts END
       WHERE order_refreshes.due_at IS NULL OR order_refreshes.due_at > excluded.due_at`,
      [orderId, dueAt],
    );
  }

  /** The order was read; the holder of the lease need not complete the row. */
  async complete(tx: Tx, orderId: string): Promise<void> {
    await tx.execute('DELETE FROM order_refreshes WHERE order_id = ?', [orderId]);
  }
}
