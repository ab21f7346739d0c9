import { Injectable } from '@nestjs/common';
import { Reader } from '../database/reader.js';
import type { Tx } from '../database/tx.js';
import type { ResultFetchEntity } from './result-fetch.entity.js';
import type { ResultSubject } from './result-subject.js';

export type DueFetch = Pick<ResultFetchEntity, 'scope' | 'subject_id' | 'attempts'>;

export interface FetchClaim {
  readonly owner: string;
  readonly now: number;
  readonly leaseUntil: number;
  readonly limit: number;
}

const mine = 'WHERE scope = ? AND subject_id = ? AND lease_owner = ?';

/** Results waiting to be read from upstream. A row is gone once they were, by whichever way. */
@Injectable()
export class ResultFetchRepository {
  constructor(private readonly reader: Reader) {}

  /** `at` is when upstream said that there is something new; what was given up before begins anew. */
  async request(tx: Tx, { scope, id }: ResultSubject, at: number, account: number | null): Promise<void> {
    await tx.execute(
      `INSERT INTO result_fetches (scope, subject_id, account_id, requested_at, due_at, attempts)
       VALUES (?, ?, ?, ?, ?, 0)
       ON CONFLICT (scope, subject_id) DO UPDATE SET
         account_id = COALESCE(excluded.account_id, result_fetches.account_id),
         requested_at = CASE WHEN result_fetches.requested_at > excluded.requested_at
           THEN result_fetches.requested_at ELSE excluded.requested_at END,
         due_at = excluded.due_at, attempts = 0, error_code = NULL`,
      [scope, id, account, at, at],
    );
  }

  /** A call made at `observedAt` answers every request up to then. */
  async complete(tx: Tx, { scope, id }: ResultSubject, observedAt: number): Promise<void> {
    await tx.execute('DELETE FROM result_fetches WHERE scope = ? AND subject_id = ? AND requested_at <= ?', [
      scope,
      id,
      observedAt,
    ]);
  }

  async anyDue(now: number): Promise<boolean> {
    return (await this.reader.row('SELECT scope FROM result_fetches WHERE due_at <= ? LIMIT 1', [now])) !== null;
  }

  async claim(tx: Tx, { owner, now, leaseUntil, limit }: FetchClaim): Promise<DueFetch[]> {
    return tx.rows<DueFetch>(
      `UPDATE result_fetches SET lease_owner = ?, lease_until = ?, attempts = attempts + 1
       WHERE (scope, subject_id) IN (
         SELECT scope, subject_id FROM result_fetches
         WHERE due_at <= ? AND (lease_until IS NULL OR lease_until < ?)
         ORDER BY due_at LIMIT ? ${tx.skipLocked})
       RETURNING scope, subject_id, attempts`,
      [owner, leaseUntil, now, now, limit],
    );
  }

  /** Gives the lease back where a newer request has kept the row; nothing if it has gone to another. */
  async release(tx: Tx, { scope, subject_id }: DueFetch, owner: string): Promise<void> {
    await tx.execute(`UPDATE result_fetches SET lease_owner = NULL, lease_until = NULL ${mine}`, [
      scope,
      subject_id,
      owner,
    ]);
  }

  /** Later, or with `dueAt` null not at all; nothing if the lease has gone to another. */
  async defer(
    tx: Tx,
    { scope, subject_id }: DueFetch,
    later: { owner: string; dueAt: number | null; code: string },
  ): Promise<void> {
    await tx.execute(
      `UPDATE result_fetches SET due_at = ?, error_code = ?, lease_owner = NULL, lease_until = NULL ${mine}`,
      [later.dueAt, later.code, scope, subject_id, later.owner],
    );
  }
}
