import { Injectable } from '@nestjs/common';
import type { Tx } from '../../storage/database/tx.js';
import { LeasedRows } from '../../storage/work/leased-rows.js';
import { OrderSyncEntity } from './order-sync.entity.js';

/** A claimed pass with its position and start. */
export type OrderScan = OrderSyncEntity & { readonly pass_started_at: number };

/** The order_sync table, one row with the position in the order list. */
@Injectable()
export class OrderSyncRepository {
  readonly rows = new LeasedRows(OrderSyncEntity);

  /**
   * Requests a pass from `from` or earlier, soon. Keeps a pass in progress that begins earlier; ends one that begins
   * later, whose holder loses the lease.
   */
  async rewind(tx: Tx, from: number, now: number): Promise<void> {
    await tx.execute(
      `UPDATE order_sync SET high_water_mark = ?, pass_started_at = NULL, window_start = NULL, page = 1,
         lease_owner = NULL, lease_until = NULL
       WHERE id = 1 AND high_water_mark > ? AND (pass_started_at IS NULL OR window_start > ?)`,
      [from, from, from],
    );
    await tx.execute('UPDATE order_sync SET due_at = ? WHERE id = 1 AND due_at > ?', [now, now]);
  }

  /** Records a stored page that is not the last. */
  async advance(tx: Tx, held: OrderScan, unreadable: number): Promise<void> {
    const { pass_started_at, window_start } = held;
    const place = { pass_started_at, window_start, page: held.page + 1, unreadable };
    await this.rows.complete(tx, held, held.due_at, place);
  }

  /** Records the last page: every order updated before the pass began has been read. */
  async finish(tx: Tx, held: OrderScan, unreadable: number, dueAt: number): Promise<void> {
    const between = { pass_started_at: null, window_start: null, page: 1 };
    await this.rows.complete(tx, held, dueAt, { high_water_mark: held.pass_started_at, ...between, unreadable });
  }
}
