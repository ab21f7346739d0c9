import { Injectable } from '@nestjs/common';
import { Reader } from '../database/reader.js';
import type { Tx } from '../database/tx.js';
import type { OrderPlacementEntity } from './order-placement.entity.js';

export type PlacementRow = OrderPlacementEntity;

export interface NewPlacement {
  readonly keyDigest: string;
  readonly placementId: string;
  readonly account: number;
  readonly now: number;
}

export interface Attempt {
  readonly placementId: string;
  /** The lease: whoever ends an attempt must still hold it. */
  readonly attempt: string;
}

export interface Call extends Attempt {
  readonly account: number;
  readonly fingerprint: string;
  readonly now: number;
  readonly leaseUntil: number;
}

const ended = 'lease_owner = NULL, lease_until = NULL';
const held = `WHERE placement_id = ? AND state = 'calling' AND lease_owner = ?`;

/** Idempotency keys and the outcome recorded for each. */
@Injectable()
export class OrderPlacementsRepository {
  constructor(private readonly reader: Reader) {}

  /** The row of a key, made free if it is missing; others wait for it until the transaction ends. */
  async lock(tx: Tx, { keyDigest, placementId, account, now }: NewPlacement): Promise<PlacementRow> {
    const [row] = await tx.rows<PlacementRow>(
      `INSERT INTO order_placements (key_digest, placement_id, account_id, state, fingerprint, created_at)
       VALUES (?, ?, ?, 'refused', '', ?)
       ON CONFLICT (key_digest) DO UPDATE SET key_digest = excluded.key_digest RETURNING *`,
      [keyDigest, placementId, account, now],
    );
    return row as PlacementRow;
  }

  async startCall(tx: Tx, call: Call): Promise<void> {
    await tx.execute(
      `UPDATE order_placements SET state = 'calling', account_id = ?, fingerprint = ?, error_code = NULL,
         open_since = COALESCE(open_since, ?), lease_owner = ?, lease_until = ?
       WHERE placement_id = ?`,
      [call.account, call.fingerprint, call.now, call.attempt, call.leaseUntil, call.placementId],
    );
  }

  /** Whoever brings the order settles its placement; the first one counts. True when this was the first. */
  async placed(
    tx: Tx,
    placed: { placementId: string; account: number; orderId: string; now: number },
  ): Promise<boolean> {
    const { orderId, now, placementId, account } = placed;
    const written = await tx.execute(
      `UPDATE order_placements SET state = 'placed', order_id = ?, placed_at = ?, open_since = NULL, error_code = NULL,
         ${ended} WHERE placement_id = ? AND account_id = ? AND state <> 'placed'`,
      [orderId, now, placementId, account],
    );
    return written > 0;
  }

  /** Nothing if the lease has gone to another, or the order has come by another way. */
  async refused(tx: Tx, { placementId, attempt }: Attempt, code: string): Promise<void> {
    await tx.execute(
      `UPDATE order_placements SET state = 'refused', open_since = NULL, error_code = ?, ${ended} ${held}`,
      [code, placementId, attempt],
    );
  }

  /** As `refused`, but when the first open call began is kept. */
  async unknown(tx: Tx, { placementId, attempt }: Attempt, code: string): Promise<void> {
    await tx.execute(`UPDATE order_placements SET state = 'unknown', error_code = ?, ${ended} ${held}`, [
      code,
      placementId,
      attempt,
    ]);
  }

  async orderOf(tx: Tx, placementId: string): Promise<string | null> {
    const [row] = await tx.rows<{ order_id: string | null }>(
      'SELECT order_id FROM order_placements WHERE placement_id = ?',
      [placementId],
    );
    return row?.order_id ?? null;
  }

  /** Which of these orders belong to another placement. */
  async placedByOthers(placementId: string, orderIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (orderIds.length === 0) return new Set();
    const rows = await this.reader.rows<{ order_id: string }>(
      `SELECT order_id FROM order_placements
       WHERE placement_id <> ? AND order_id IN (${orderIds.map(() => '?').join(', ')})`,
      [placementId, ...orderIds],
    );
    return new Set(rows.map(({ order_id }) => order_id));
  }

  /** Keys that may or may not have placed an order, with no call under way that would settle it. */
  async countUnresolved(now: number): Promise<number> {
    const row = await this.reader.row<{ count: number }>(
      `SELECT COUNT(*) AS count FROM order_placements
       WHERE state = 'unknown' OR (state = 'calling' AND lease_until <= ?)`,
      [now],
    );
    return row?.count ?? 0;
  }
}
