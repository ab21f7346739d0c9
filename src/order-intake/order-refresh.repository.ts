import { Injectable } from '@nestjs/common';
import { Reader } from '../database/reader.js';
import type { Tx } from '../database/tx.js';

export interface DueRefresh {
  readonly order_id: string;
  readonly attempts: number;
}

export interface RefreshClaim {
  readonly owner: string;
  readonly now: number;
  readonly leaseUntil: number;
  readonly limit: number;
}

/** Orders waiting to be read from upstream. A row is gone once its order was read whole. */
@Injectable()
export class OrderRefreshRepository {
  constructor(private readonly reader: Reader) {}

  /** Keeps the earlier due time of a request that waits already; wakes one that was given up. */
  async request(tx: Tx, orderId: string, dueAt: number): Promise<void> {
    await tx.execute(
      `INSERT INTO order_refreshes (order_id, due_at, attempts) VALUES (?, ?, 0)
       ON CONFLICT (order_id) DO UPDATE SET due_at = excluded.due_at
       WHERE order_refreshes.due_at IS NULL OR order_refreshes.due_at > excluded.due_at`,
      [orderId, dueAt],
    );
  }

  async complete(tx: Tx, orderId: string): Promise<void> {
    await tx.execute('DELETE FROM order_refreshes WHERE order_id = ?', [orderId]);
  }

  async anyDue(now: number): Promise<boolean> {
    const row = await this.reader.row('SELECT order_id FROM order_refreshes WHERE due_at <= ? LIMIT 1', [now]);
    return row !== null;
  }

  async claim(tx: Tx, { owner, now, leaseUntil, limit }: RefreshClaim): Promise<DueRefresh[]> {
    return tx.rows<DueRefresh>(
      `UPDATE order_refreshes SET lease_owner = ?, lease_until = ?, attempts = attempts + 1
       WHERE order_id IN (
         SELECT order_id FROM order_refreshes WHERE due_at <= ? AND (lease_until IS NULL OR lease_until < ?)
         ORDER BY due_at LIMIT ? ${tx.skipLocked})
       RETURNING order_id, attempts`,
      [owner, leaseUntil, now, now, limit],
    );
  }

  /** Later, or with `dueAt` null not at all; nothing if the lease has gone to another. */
  async defer(tx: Tx, orderId: string, later: { owner: string; dueAt: number | null; code: string }): Promise<void> {
    await tx.execute(
      `UPDATE order_refreshes SET due_at = ?, error_code = ?, lease_owner = NULL, lease_until = NULL
       WHERE order_id = ? AND lease_owner = ?`,
      [later.dueAt, later.code, orderId, later.owner],
    );
  }
}
