import { Injectable } from '@nestjs/common';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import { LeasedRows, type Waiting } from '../../storage/work/leased-rows.js';
import { OrderRefreshEntity, ResultFetchEntity } from './due-reads.entity.js';
import type { ResultSubject } from './result-subject.js';

/** Maximum difference between the clocks of processes that share a database. */
const MAX_SKEW_MS = 5_000;

/** Start and end of a call to upstream, in epoch milliseconds. */
interface CallTimes {
  readonly observedAt: number;
  readonly now: number;
}

/** A call completes earlier requests, including those in the future, which are from before the clock was set back. */
const isEarlier = '(requested_at <= ? OR requested_at > ?)';
const earlierThan = ({ observedAt, now }: CallTimes): number[] => [observedAt, now + MAX_SKEW_MS];

/** The order_refreshes table: orders waiting to be read from upstream. A later read deletes the row. */
@Injectable()
export class OrderRefreshes {
  readonly rows = new LeasedRows(OrderRefreshEntity);

  constructor(private readonly reader: Reader) {}

  /** The waiting or buried read of an order. */
  find(orderId: string): Promise<Waiting | null> {
    return this.rows.waiting(this.reader, [orderId]);
  }

  /**
   * Requests a read, which only a call made after `at` completes. A waiting request keeps its due time if that is
   * earlier; a buried one starts again. Times in epoch milliseconds.
   */
  async request(tx: Tx, orderId: string, at: number, dueAt = at): Promise<void> {
    await tx.execute(
      `INSERT INTO order_refreshes (order_id, requested_at, due_at, attempts) VALUES (?, ?, ?, 0)
       ON CONFLICT (order_id) DO UPDATE SET
         requested_at = CASE WHEN order_refreshes.requested_at > excluded.requested_at
           THEN order_refreshes.requested_at ELSE excluded.requested_at END,
         due_at = CASE WHEN order_refreshes.due_at < excluded.due_at AND order_refreshes.lease_until IS NULL
           THEN order_refreshes.due_at ELSE excluded.due_at END,
         attempts = CASE WHEN order_refreshes.due_at IS NULL THEN 0 ELSE order_refreshes.attempts END`,
      [orderId, at, dueAt],
    );
  }

  /** Call after reading the order. Deletes the row, even if another process holds its lease. */
  async complete(tx: Tx, orderId: string, at: CallTimes): Promise<void> {
    await tx.execute(`DELETE FROM order_refreshes WHERE order_id = ? AND ${isEarlier}`, [orderId, ...earlierThan(at)]);
  }
}

/** The result_fetches table: results waiting to be read from upstream. A later read deletes the row. */
@Injectable()
export class ResultFetches {
  readonly rows = new LeasedRows(ResultFetchEntity);

  constructor(private readonly reader: Reader) {}

  /** The waiting or buried fetch of a subject. */
  find({ scope, id }: ResultSubject): Promise<Waiting | null> {
    return this.rows.waiting(this.reader, [scope, id]);
  }

  /** True if upstream had the result before, also if it was withdrawn since, or is asked for it. */
  async isKnown(tx: Tx, { scope, id }: ResultSubject): Promise<boolean> {
    const sql = `SELECT 1 AS one
      WHERE EXISTS (SELECT 1 FROM lab_results WHERE scope = ? AND subject_id = ? AND form = 'json')
        OR EXISTS (SELECT 1 FROM result_fetches WHERE scope = ? AND subject_id = ?)`;
    return (await tx.rows(sql, [scope, id, scope, id])).length > 0;
  }

  /** Requests a read, which only a call made after `at` (epoch milliseconds) completes. A buried row starts again. */
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

  async complete(tx: Tx, { scope, id }: ResultSubject, at: CallTimes): Promise<void> {
    const sql = `DELETE FROM result_fetches WHERE scope = ? AND subject_id = ? AND ${isEarlier}`;
    await tx.execute(sql, [scope, id, ...earlierThan(at)]);
  }
}
