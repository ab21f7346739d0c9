import { Injectable } from '@nestjs/common';
import { externalIdColumn, isNotErasing, joinAccount } from '../accounts/account-sql.js';
import type { SqlInput } from '../database/dialect.js';
import { Reader } from '../database/reader.js';
import type { Tx } from '../database/tx.js';
import type { SeriesFetchEntity, SeriesFetchStatus } from './series-fetch.entity.js';

export type NewFetch = Pick<
  SeriesFetchEntity,
  'account_id' | 'workout_id' | 'user_id' | 'facts' | 'message_seq' | 'received_at'
>;

export interface Claim {
  readonly owner: string;
  readonly now: number;
  readonly leaseUntil: number;
  readonly limit: number;
}

/** What a holder leaves behind. `dueAt` is null once there is nothing left to do. */
export interface Outcome {
  readonly status: SeriesFetchStatus;
  readonly dueAt: number | null;
  readonly failures: number;
  readonly code: string | null;
  readonly now: number;
}

/** A fetch with the account's own id, for operators. */
export type ShownFetch = SeriesFetchEntity & { readonly account: string };

export interface FetchFilter {
  readonly account?: number | undefined;
  readonly status?: SeriesFetchStatus | undefined;
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

/** The workout_stream_fetches table; what its states mean is told in stream-fetch.worker.ts. */
@Injectable()
export class SeriesFetchesRepository {
  constructor(private readonly reader: Reader) {}

  /** Makes the fetch due at once; one that was done, given up or is under way as well. A replay is no new event. */
  async request(tx: Tx, fetch: NewFetch, now: number): Promise<void> {
    await tx.execute(
      `INSERT INTO workout_stream_fetches
         (account_id, workout_id, user_id, facts, message_seq, received_at, requests, status, due_at, failures)
       VALUES (?, ?, ?, ?, ?, ?, 1, 'due', ?, 0)
       ON CONFLICT (workout_id, account_id) DO UPDATE SET
         user_id = excluded.user_id, facts = excluded.facts, message_seq = excluded.message_seq,
         requests = workout_stream_fetches.requests
           + CASE WHEN excluded.message_seq = workout_stream_fetches.message_seq THEN 0 ELSE 1 END, status = 'due', due_at = excluded.due_at, failures = 0,
         error_code = NULL`,
      [fetch.account_id, fetch.workout_id, fetch.user_id, fetch.facts, fetch.message_seq, fetch.received_at, now],
    );
  }

  async anyDue(now: number): Promise<boolean> {
    const row = await this.reader.row('SELECT id FROM workout_stream_fetches WHERE due_at <= ? LIMIT 1', [now]);
    return row !== null;
  }

  /** Leases what is due, longest due first. */
  claim(tx: Tx, { owner, now, leaseUntil, limit }: Claim): Promise<SeriesFetchEntity[]> {
    return tx.rows(
      `UPDATE workout_stream_fetches SET lease_owner = ?, lease_until = ?, due_at = ?
       WHERE id IN (
         SELECT id FROM workout_stream_fetches WHERE due_at <= ? AND (lease_until IS NULL OR lease_until <= ?)
         ORDER BY due_at, id LIMIT ? ${tx.skipLocked})
       RETURNING *`,
      [owner, leaseUntil, leaseUntil, now, now, limit],
    );
  }

  /**
   * Ends a holder's turn. Where another event came meanwhile the fetch stays due as that event made it. False, and
   * nothing written, when somebody else holds it, or the account is gone or being erased.
   */
  async settle(tx: Tx, held: SeriesFetchEntity, { status, dueAt, failures, code, now }: Outcome): Promise<boolean> {
    const written = await tx.execute(
      `UPDATE workout_stream_fetches SET
         status = CASE WHEN requests = ? THEN ? ELSE status END,
         due_at = CASE WHEN requests = ? THEN CAST(? AS bigint) ELSE due_at END,
         failures = CASE WHEN requests = ? THEN ? ELSE failures END,
         error_code = ?, stored_at = CASE WHEN ? = 'done' THEN ? ELSE stored_at END, lease_owner = NULL, lease_until = NULL
       WHERE id = ? AND lease_owner = ?
         AND (? <> 'done' OR ${isNotErasing('account_id')})`,
      [
        ...[held.requests, status, held.requests, dueAt, held.requests, failures],
        ...[code, status, now, held.id, held.lease_owner, status],
      ],
    );
    return written === 1;
  }

  /** Whether the workout's stream was stored for another account. */
  async belongsToAnother(workoutId: string, account: number): Promise<boolean> {
    const row = await this.reader.row(
      `SELECT id FROM workout_stream_fetches
       WHERE workout_id = ? AND account_id <> ? AND stored_at IS NOT NULL LIMIT 1`,
      [workoutId, account],
    );
    return row !== null;
  }

  /** Newest first. */
  page({ account, status, beforeId, limit }: FetchFilter): Promise<ShownFetch[]> {
    const given: [string, SqlInput | undefined][] = [
      ['f.account_id = ?', account],
      ['f.status = ?', status],
      ['f.id < ?', beforeId],
    ];
    const conditions = given.filter(([, value]) => value !== undefined);
    const where = conditions.length > 0 ? `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}` : '';
    return this.reader.rows(
      `SELECT f.*, ${externalIdColumn} AS account FROM workout_stream_fetches f ${joinAccount('f.account_id')}
       ${where} ORDER BY f.id DESC LIMIT ?`,
      [...conditions.map(([, value]) => value), limit],
    );
  }
}
