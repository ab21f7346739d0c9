import { Injectable } from '@nestjs/common';
import { externalIdColumn, joinAccount } from '../../accounts/accounts/account-sql.js';
import { Conditions } from '../../storage/database/conditions.js';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import { LeasedRows } from '../../storage/work/leased-rows.js';
import { SeriesFetchEntity, type SeriesFetchStatus } from './series-fetch.entity.js';

export type NewFetch = Pick<
  SeriesFetchEntity,
  'account_id' | 'workout_id' | 'user_id' | 'facts' | 'message_seq' | 'received_at'
>;

/** A fetch with the account's own id, for operators. */
export type ShownFetch = SeriesFetchEntity & { readonly account: string };

export interface FetchFilter {
  readonly account?: number | undefined;
  readonly status?: SeriesFetchStatus | undefined;
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

/** SQL for the value of a column from the later of two messages. */
function ofLatest(column: string): string {
  const stored = 'workout_series_fetches';
  return `CASE WHEN excluded.message_seq >= ${stored}.message_seq THEN excluded.${column} ELSE ${stored}.${column} END`;
}

/** The workout_series_fetches table. States: series-fetch.worker.ts. */
@Injectable()
export class SeriesFetchesRepository {
  readonly rows = new LeasedRows(SeriesFetchEntity);

  constructor(private readonly reader: Reader) {}

  /**
   * Makes the fetch due immediately, even if it is done, failed or running. A replayed message does not count as a new
   * event. Keeps the facts of the latest message.
   */
  async request(tx: Tx, fetch: NewFetch, now: number): Promise<void> {
    await tx.execute(
      `INSERT INTO workout_series_fetches
         (account_id, workout_id, user_id, facts, message_seq, received_at, requests, status, due_at, attempts)
       VALUES (?, ?, ?, ?, ?, ?, 1, 'due', ?, 0)
       ON CONFLICT (workout_id, account_id) DO UPDATE SET
         user_id = ${ofLatest('user_id')}, facts = ${ofLatest('facts')}, message_seq = ${ofLatest('message_seq')},
         requests = workout_series_fetches.requests
           + CASE WHEN excluded.message_seq = workout_series_fetches.message_seq THEN 0 ELSE 1 END, status = 'due', due_at = excluded.due_at, attempts = 0,
         waits = 0, error_code = NULL`,
      [fetch.account_id, fetch.workout_id, fetch.user_id, fetch.facts, fetch.message_seq, fetch.received_at, now],
    );
  }

  /** Makes a fetch due again if another event arrived while it was running. Call whatever its outcome. */
  async dueAgain(tx: Tx, held: SeriesFetchEntity, now: number): Promise<void> {
    await tx.execute(
      `UPDATE workout_series_fetches SET status = 'due', due_at = ?, attempts = 0 WHERE id = ? AND requests <> ?`,
      [now, held.id, held.requests],
    );
  }

  /** True if the workout's series was stored for another account. */
  async belongsToAnother(workoutId: string, account: number): Promise<boolean> {
    const row = await this.reader.row(
      `SELECT id FROM workout_series_fetches
       WHERE workout_id = ? AND account_id <> ? AND stored_at IS NOT NULL LIMIT 1`,
      [workoutId, account],
    );
    return row !== null;
  }

  /** Newest first. */
  page({ account, status, beforeId, limit }: FetchFilter): Promise<ShownFetch[]> {
    const conditions = new Conditions()
      .add('f.account_id = ?', account)
      .add('f.status = ?', status)
      .add('f.id < ?', beforeId);
    return this.reader.rows(
      `SELECT f.*, ${externalIdColumn} AS account FROM workout_series_fetches f ${joinAccount('f.account_id')}
       ${conditions.where} ORDER BY f.id DESC LIMIT ?`,
      [...conditions.values, limit],
    );
  }
}
