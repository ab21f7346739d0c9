import { Injectable } from '@nestjs/common';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import { LeasedRows, type Restriction, type Waiting } from '../../storage/work/leased-rows.js';
import { DueReadEntity, type DueReadKind } from './due-read.entity.js';
import type { ResultSubject } from './result-subject.js';

/** Maximum difference between the clocks of processes that share a database. */
const MAX_SKEW_MS = 5_000;

/** Start and end of a call to upstream, in epoch milliseconds. */
interface CallTimes {
  readonly observedAt: number;
  readonly now: number;
}

/** What is read. */
export interface DueRead extends ResultSubject {
  readonly kind: DueReadKind;
}

export const orderRead = (id: string): DueRead => ({ kind: 'order', scope: 'order', id });
export const resultRead = ({ scope, id }: ResultSubject): DueRead => ({ kind: 'result', scope, id });

export function ofKind(kind: DueReadKind): Restriction {
  return { where: 'kind = ?', values: [kind] };
}

const isRead = 'scope = ? AND subject_id = ? AND kind = ?';
const keyOf = ({ kind, scope, id }: DueRead): string[] => [scope, id, kind];
/** A request after which the attempts count from the start: of a buried row, or news of a result. */
const startsAgain = `due_reads.due_at IS NULL OR due_reads.kind = 'result'`;

/** The due_reads table: orders and results waiting to be read from upstream. A later read deletes the row. */
@Injectable()
export class DueReads {
  readonly rows = new LeasedRows(DueReadEntity);

  constructor(private readonly reader: Reader) {}

  /** The waiting or buried read. */
  find(read: DueRead): Promise<Waiting | null> {
    return this.rows.waiting(this.reader, keyOf(read));
  }

  /** True if upstream had the result before, also if it was withdrawn since, or is asked for it. */
  async isResultKnown(tx: Tx, subject: ResultSubject): Promise<boolean> {
    const sql = `SELECT 1 AS one
      WHERE EXISTS (SELECT 1 FROM lab_results WHERE scope = ? AND subject_id = ? AND form = 'json')
        OR EXISTS (SELECT 1 FROM due_reads WHERE ${isRead})`;
    return (await tx.rows(sql, [subject.scope, subject.id, ...keyOf(resultRead(subject))])).length > 0;
  }

  /**
   * Requests a read, which only a call made after `at` completes. A waiting request keeps its due time if that is
   * earlier; a buried one starts again. Times in epoch milliseconds; `account` is that of a result.
   */
  async request(
    tx: Tx,
    read: DueRead,
    at: number,
    { dueAt = at, account = null }: { readonly dueAt?: number; readonly account?: number | null } = {},
  ): Promise<void> {
    await tx.execute(
      `INSERT INTO due_reads (scope, subject_id, kind, account_id, requested_at, due_at, attempts)
       VALUES (?, ?, ?, ?, ?, ?, 0)
       ON CONFLICT (scope, subject_id, kind) DO UPDATE SET
         account_id = COALESCE(excluded.account_id, due_reads.account_id),
         requested_at = CASE WHEN due_reads.requested_at > excluded.requested_at
           THEN due_reads.requested_at ELSE excluded.requested_at END,
         due_at = CASE WHEN due_reads.due_at < excluded.due_at AND due_reads.lease_until IS NULL
           THEN due_reads.due_at ELSE excluded.due_at END,
         attempts = CASE WHEN ${startsAgain} THEN 0 ELSE due_reads.attempts END,
         waits = CASE WHEN ${startsAgain} THEN 0 ELSE due_reads.waits END,
         error_code = CASE WHEN ${startsAgain} THEN NULL ELSE due_reads.error_code END`,
      [...keyOf(read), account, at, dueAt],
    );
  }

  /**
   * Call after reading it. Deletes the row, even if another process holds its lease. Completes earlier requests,
   * including those in the future, which are from before the clock was set back.
   */
  async complete(tx: Tx, read: DueRead, { observedAt, now }: CallTimes): Promise<void> {
    await tx.execute(`DELETE FROM due_reads WHERE ${isRead} AND (requested_at <= ? OR requested_at > ?)`, [
      ...keyOf(read),
      observedAt,
      now + MAX_SKEW_MS,
    ]);
  }
}
