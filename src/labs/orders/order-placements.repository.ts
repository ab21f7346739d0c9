import { Injectable } from '@nestjs/common';
import { placeholders } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import { IdempotencyKeys } from '../../storage/work/idempotency-keys.js';
import { OrderPlacementEntity } from './order-placement.entity.js';

/** The order_placements table: idempotency keys and their outcomes. */
@Injectable()
export class OrderPlacementsRepository {
  readonly keys = new IdempotencyKeys(OrderPlacementEntity);

  constructor(private readonly reader: Reader) {}

  /** Records the order of a placement, from any source. The first order stays. */
  async placed(tx: Tx, placed: { placementId: string; account: number; orderId: string; now: number }): Promise<void> {
    const { orderId, now, placementId, account } = placed;
    await tx.execute(
      `UPDATE order_placements SET state = 'placed', order_id = ?, placed_at = ?, open_since = NULL, error_code = NULL,
         lease_owner = NULL, lease_until = NULL
       WHERE placement_id = ? AND account_id = ? AND state <> 'placed'`,
      [orderId, now, placementId, account],
    );
  }

  countUnresolved(now: number): Promise<number> {
    return this.keys.countUnresolved(this.reader, now);
  }

  async orderOf(tx: Tx, placementId: string): Promise<string | null> {
    const [row] = await tx.rows<{ order_id: string | null }>(
      'SELECT order_id FROM order_placements WHERE placement_id = ?',
      [placementId],
    );
    return row?.order_id ?? null;
  }

  /** Those of the orders that belong to another placement. */
  async placedByOthers(placementId: string, orderIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (orderIds.length === 0) return new Set();
    const rows = await this.reader.rows<{ order_id: string }>(
      `SELECT order_id FROM order_placements
       WHERE placement_id <> ? AND order_id IN (${placeholders(orderIds.length)})`,
      [placementId, ...orderIds],
    );
    return new Set(rows.map(({ order_id }) => order_id));
  }
}
