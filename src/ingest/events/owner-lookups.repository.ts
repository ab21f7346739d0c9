import { Injectable } from '@nestjs/common';
import { CLOCK_TOLERANCE_MS } from '../../platform/platform/time.js';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import { LeasedRows } from '../../storage/work/leased-rows.js';
import { LOOKUP_REFUSED_MS } from '../streams/tuning.js';
import { OwnerLookupEntity } from './owner-lookup.entity.js';

/** A user as named in an event: by upstream's id in lower case, or by the customer's id. */
export type UserKey =
  | { readonly by: 'user_id'; readonly id: string }
  | { readonly by: 'client_user_id'; readonly id: string };

export type WantedUser = Pick<OwnerLookupEntity, 'id' | 'user_id' | 'client_user_id'>;

export function keyOf({ user_id, client_user_id }: Omit<WantedUser, 'id'>): UserKey {
  return user_id !== null ? { by: 'user_id', id: user_id } : { by: 'client_user_id', id: client_user_id ?? '' };
}

/** The owner_lookups table. Leases: work/leased-rows.ts. */
@Injectable()
export class OwnerLookupsRepository {
  readonly rows = new LeasedRows(OwnerLookupEntity);

  constructor(private readonly reader: Reader) {}

  /** Requests a lookup, again if the last result is old; returns its id. */
  async request(tx: Tx, { by, id }: UserKey, now: number): Promise<number> {
    const [row] = await tx.rows<{ id: number }>(
      `INSERT INTO owner_lookups (${by}, due_at, attempts, awaited) VALUES (?, ?, 0, 1)
       ON CONFLICT (${by}) DO UPDATE SET due_at = COALESCE(owner_lookups.due_at, excluded.due_at), awaited = 1,
         refused_until = NULL,
         attempts = CASE WHEN owner_lookups.due_at IS NULL THEN 0 ELSE owner_lookups.attempts END,
         waits = CASE WHEN owner_lookups.due_at IS NULL THEN 0 ELSE owner_lookups.waits END
       RETURNING id`,
      [id, now],
    );
    return (row as { id: number }).id;
  }

  /**
   * Error code of a recent unsuccessful lookup; null if there is none. One from before the clock was set back does not
   * count.
   */
  async refusal({ by, id }: UserKey, now: number): Promise<string | null> {
    const row = await this.reader.row<{ error_code: string | null }>(
      `SELECT error_code FROM owner_lookups WHERE ${by} = ? AND refused_until > ? AND refused_until <= ?`,
      [id, now, now + LOOKUP_REFUSED_MS + CLOCK_TOLERANCE_MS],
    );
    return row?.error_code ?? null;
  }

  /** Due lookups after `afterId`. */
  wanted(afterId: number, limit: number): Promise<WantedUser[]> {
    return this.reader.rows(
      `SELECT id, user_id, client_user_id FROM owner_lookups
       WHERE due_at IS NOT NULL AND id > ? ORDER BY id LIMIT ?`,
      [afterId, limit],
    );
  }

  /** Ids of finished lookups that messages may still wait for. */
  async answered(limit: number): Promise<number[]> {
    const sql = 'SELECT id FROM owner_lookups WHERE due_at IS NULL AND awaited = 1 ORDER BY id LIMIT ?';
    return (await this.reader.few<{ id: number }>(sql, [limit])).map(({ id }) => id);
  }

  /**
   * Call when no message waits for the result any more. Keeps unsuccessful lookups for a while and deletes others. Does
   * not change a lookup that was requested again.
   */
  async close(tx: Tx, id: number): Promise<void> {
    const answered = 'id = ? AND due_at IS NULL';
    await tx.execute(`DELETE FROM owner_lookups WHERE ${answered} AND refused_until IS NULL`, [id]);
    await tx.execute(`UPDATE owner_lookups SET awaited = 0 WHERE ${answered}`, [id]);
  }

  /** Removes expired results; returns their number. */
  removeOld(tx: Tx, now: number, limit: number): Promise<number> {
    return tx.execute(
      `DELETE FROM owner_lookups WHERE id IN (SELECT id FROM owner_lookups
         WHERE refused_until <= ? AND due_at IS NULL AND awaited = 0 LIMIT ?)`,
      [now, limit],
    );
  }
}
