import { Injectable } from '@nestjs/common';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import { LeasedRows, type Waiting } from '../../storage/work/leased-rows.js';
import { ResultFetchEntity } from './result-fetch.entity.js';
import type { ResultSubject } from './result-subject.js';

/** Results waiting to be read from upstream. Any successful read deletes the row. */
@Injectable()
export class ResultFetchRepository {
  readonly rows = new LeasedRows(ResultFetchEntity);

  constructor(private readonly reader: Reader) {}

  find({ scope, id }: ResultSubject): Promise<Waiting | null> {
    return this.rows.waiting(this.reader, [scope, id]);
  }

  /** `at` is when upstream announced the change; a buried row starts again. */
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

  /** A call made at `observedAt` completes every earlier request. */
  async complete(tx: Tx, { scope, id }: ResultSubject, observedAt: number): Promise<void> {
    await tx.execute('DELETE FROM result_fetches WHERE scope = ? AND subject_id = ? AND requested_at <= ?', [
      scope,
      id,
      observedAt,
    ]);
  }

  /** True if a newer request has kept the row. */
  async isWanted(tx: Tx, { scope, id }: ResultSubject): Promise<boolean> {
    const rows = await tx.rows('SELECT scope FROM result_fetches WHERE scope = ? AND subject_id = ?', [scope, id]);
    return rows.length > 0;
  }
}
