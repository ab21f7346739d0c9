import { Injectable } from '@nestjs/common';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import { LeasedRows, type Waiting } from '../../storage/work/leased-rows.js';
import { OrderRefreshEntity, ResultFetchEntity } from './due-reads.entity.js';
import type { ResultSubject } from './result-subject.js';

/** Orders waiting to be read from upstream. A complete read deletes the row. */
@Injectable()
export class OrderRefreshes {
  readonly rows = new LeasedRows(OrderRefreshEntity);

  constructor(private readonly reader: Reader) {}

  /** The waiting or buried read of an order. */
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

/** The clocks of processes on one database differ by less. */
const MOST_SKEW_MS = 5_000;

/** Results waiting to be read from upstream, because they are new or may have changed. Any read deletes the row. */
@Injectable()
export class ResultFetches {
  readonly rows = new LeasedRows(ResultFetchEntity);

  constructor(private readonly reader: Reader) {}

  /** The waiting or buried fetch of a subject. */
  find({ scope, id }: ResultSubject): Promise<Waiting | null> {
    return this.rows.waiting(this.reader, [scope, id]);
  }

  /** `at` is when upstream announced the change, in epoch milliseconds; a buried row starts again. */
  async request(tx: Tx, { scope, id }: ResultSubject, at: number, account: number | null): Promise<void> {
    await tx.execute(
      `INSERT INTO result_fetches (scope, subject_id, account_id, requested_at, due_at, attempts)
       VALUES (?, ?, ?, ?, ?, 0)
       ON CONFLICT (scope, subject_id) DO UPDATE SET
         account_id = COALESCE(excluded.account_id, result_fetches.account_id),
         requested_at = CASE WHEN result_fetches.requested_at > excluded.requested_at
           THEN result_fetches.requested_at ELSE excluded.requested_at END,
         due_at = excluded.due_at, attempts = 0, waits = 0, error_code = NULL`,
      [scope, id, account, at, at],
    );
  }

  /**
   * A call made at `observedAt`, and ended `now`, completes every earlier request. One that is dated ahead of now is
   * earlier too: the clock was set back since.
   */
  async complete(tx: Tx, { scope, id }: ResultSubject, at: { observedAt: number; now: number }): Promise<void> {
    const sql = `DELETE FROM result_fetches
      WHERE scope = ? AND subject_id = ? AND (requested_at <= ? OR requested_at > ?)`;
    await tx.execute(sql, [scope, id, at.observedAt, at.now + MOST_SKEW_MS]);
  }

  /** Releases the row if a newer request has kept it. Throws `LeaseLost`. */
  async releaseIfWanted(tx: Tx, held: ResultFetchEntity): Promise<void> {
    if (await this.rows.waiting(tx, [held.scope, held.subject_id])) await this.rows.release(tx, held);
  }
}
