import { Injectable } from '@nestjs/common';
import { Reader } from '../database/reader.js';
import type { Tx } from '../database/tx.js';
import type { OrderSyncEntity } from './order-sync.entity.js';

export type OrderSyncRow = OrderSyncEntity & { pass_started_at: number };

export interface SyncClaim {
  readonly owner: string;
  readonly now: number;
  readonly leaseUntil: number;
  /** How far before the high-water mark a pass begins. */
  readonly overlapMs: number;
}

const mine = 'WHERE id = 1 AND lease_owner = ?';

/** The one row that says where the walk over the list of orders stands. */
@Injectable()
export class OrderSyncRepository {
  constructor(private readonly reader: Reader) {}

  async isDue(now: number): Promise<boolean> {
    const row = await this.reader.row<{ due_at: number }>('SELECT due_at FROM order_sync WHERE id = 1');
    return row === null || row.due_at <= now;
  }

  /** The pass under way, or a new one; null when it is not due or another holds the lease. */
  async claim(tx: Tx, { owner, now, leaseUntil, overlapMs }: SyncClaim): Promise<OrderSyncRow | null> {
    await tx.execute('INSERT INTO order_sync (id, page, due_at, failures) VALUES (1, 1, 0, 0) ON CONFLICT DO NOTHING');
    const [row] = await tx.rows<OrderSyncRow>(
      `UPDATE order_sync SET lease_owner = ?, lease_until = ?, pass_started_at = COALESCE(pass_started_at, ?),
         window_start = CASE WHEN pass_started_at IS NULL THEN high_water_mark - ? ELSE window_start END
       WHERE id = 1 AND due_at <= ? AND (lease_until IS NULL OR lease_until < ?) RETURNING *`,
      [owner, leaseUntil, now, overlapMs, now, now],
    );
    return row ?? null;
  }

  /**
   * Has the list walked from `from` or before, soon. A pass under way that begins earlier serves as well; one that
   * begins later is given up, and whoever reads for it loses the lease.
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

  /** The page is stored; nothing if the lease has gone to another, who reads the page again. */
  async advance(tx: Tx, owner: string): Promise<void> {
    await tx.execute(
      `UPDATE order_sync SET page = page + 1, failures = 0, error_code = NULL, lease_owner = NULL, lease_until = NULL
       ${mine}`,
      [owner],
    );
  }

  /** The last page is stored: everything updated before the pass began has been seen. */
  async finish(tx: Tx, owner: string, dueAt: number): Promise<void> {
    await tx.execute(
      `UPDATE order_sync SET high_water_mark = pass_started_at, pass_started_at = NULL, window_start = NULL, page = 1,
         due_at = ?, failures = 0, error_code = NULL, lease_owner = NULL, lease_until = NULL ${mine}`,
      [dueAt, owner],
    );
  }

  /** The same page again, later. */
  async defer(tx: Tx, owner: string, later: { dueAt: number; code: string }): Promise<void> {
    await tx.execute(
      `UPDATE order_sync SET due_at = ?, error_code = ?, failures = failures + 1, lease_owner = NULL,
         lease_until = NULL ${mine}`,
      [later.dueAt, later.code, owner],
    );
  }
}
