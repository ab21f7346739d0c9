import { Injectable } from '@nestjs/common';
import { externalIdOf } from '../../accounts/accounts/account-sql.js';
import { shapeOf } from '../../storage/database/columns.js';
import { Conditions } from '../../storage/database/conditions.js';
import { assignments } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import { lockRow, saveRows } from '../../storage/database/rows.js';
import type { Tx } from '../../storage/database/tx.js';
import { LeasedRows } from '../../storage/work/leased-rows.js';
import { isWaiting, UnmatchedResultCandidateEntity, UnmatchedResultEntity } from './unmatched-result.entity.js';

export type UnmatchedResultRow = UnmatchedResultEntity;
export type CandidateRow = UnmatchedResultCandidateEntity;

interface Owned {
  /** The customer's id of the account. */
  readonly external_id: string | null;
}
export type OwnedResult = UnmatchedResultRow & Owned & { readonly waiting: 0 | 1 };
export type OwnedCandidate = CandidateRow & Owned;

export interface ResultFilter {
  readonly waiting?: boolean | undefined;
  readonly status?: string | undefined;
  readonly externalId?: string | undefined;
  readonly after: readonly [createdAt: number, id: string] | null;
  readonly limit: number;
}

const results = shapeOf(UnmatchedResultEntity);
const candidateRows = shapeOf(UnmatchedResultCandidateEntity);

const selectResults = `SELECT r.*, ${externalIdOf('r.account_id')} AS external_id,
    CASE WHEN ${isWaiting} THEN 1 ELSE 0 END AS waiting
  FROM unmatched_results r`;

/** The tables of unmatched results. */
@Injectable()
export class UnmatchedResultsRepository {
  readonly rows = new LeasedRows(UnmatchedResultEntity);

  constructor(private readonly reader: Reader) {}

  /** Locks the row until the transaction ends; inserts a missing one with `observed_at` 0. */
  lock(tx: Tx, id: string, now: number): Promise<UnmatchedResultRow> {
    const nothing = { status: 'unknown', sub_reason_codes: '[]', allowed_actions: '[]' };
    return lockRow(tx, results, { id, ...nothing, created_at: now, version: 0, observed_at: 0, attempts: 0 });
  }

  async save(tx: Tx, id: string, change: Partial<Omit<UnmatchedResultRow, 'id'>>): Promise<void> {
    const changed = assignments(change);
    await tx.execute(`UPDATE unmatched_results ${changed.set} WHERE id = ?`, [...changed.values, id]);
  }

  async saveCandidates(tx: Tx, id: string, candidates: readonly CandidateRow[]): Promise<void> {
    await tx.execute('DELETE FROM unmatched_result_candidates WHERE unmatched_result_id = ?', [id]);
    await saveRows(tx, candidateRows, candidates);
  }

  /** Makes waiting results due that were not observed since `since`. */
  async requestUnconfirmed(tx: Tx, since: number, now: number): Promise<void> {
    await tx.execute(
      `UPDATE unmatched_results SET due_at = ?, attempts = 0, waits = 0
       WHERE ${isWaiting} AND due_at IS NULL AND observed_at < ?`,
      [now, since],
    );
  }

  /** Completes a row that was read; it stays due if a newer event arrived. Throws `LeaseLost`. */
  async finish(tx: Tx, held: UnmatchedResultRow): Promise<void> {
    const now = await this.rows.waiting(tx, [held.id]);
    await this.rows.complete(tx, held, now?.due_at ?? null);
  }

  find(id: string): Promise<OwnedResult | null> {
    return this.reader.row(`${selectResults} WHERE r.id = ?`, [id]);
  }

  candidates(id: string): Promise<OwnedCandidate[]> {
    return this.reader.rows(
      `SELECT c.*, ${externalIdOf('c.account_id')} AS external_id FROM unmatched_result_candidates c
       WHERE c.unmatched_result_id = ? ORDER BY c.position`,
      [id],
    );
  }

  page(filter: ResultFilter): Promise<OwnedResult[]> {
    const conditions = new Conditions()
      .add('r.status = ?', filter.status)
      .add(`${externalIdOf('r.account_id')} = ?`, filter.externalId)
      .add('(r.created_at, r.id) < (?, ?)', filter.after?.[0], filter.after?.[1]);
    if (filter.waiting !== undefined) conditions.add(filter.waiting ? isWaiting : `NOT (${isWaiting})`);
    return this.reader.rows(`${selectResults} ${conditions.where} ORDER BY r.created_at DESC, r.id DESC LIMIT ?`, [
      ...conditions.values,
      filter.limit,
    ]);
  }
}
