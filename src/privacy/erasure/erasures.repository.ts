import { Injectable } from '@nestjs/common';
import { Reader } from '../../storage/database/reader.js';
import type { Queryable, Tx } from '../../storage/database/tx.js';
import { LeasedRows, type Restriction } from '../../storage/work/leased-rows.js';
import { ErasureEntity } from './erasure.entity.js';

/**
 * `here`: data must still be deleted in this database. `work`: data must be deleted here or upstream. `scrub`:
 * everything is deleted, and the files must be scrubbed. `check`: must be checked after the grace period.
 */
export const erasureNeeds = {
  here: { where: `state IN ('requested', 'deleting')`, values: [] },
  work: { where: `state IN ('requested', 'deleting', 'upstream')`, values: [] },
  scrub: { where: `state = 'waiting' AND scrubbed_at IS NULL`, values: [] },
  check: { where: `state = 'waiting' AND scrubbed_at IS NOT NULL`, values: [] },
} as const satisfies Readonly<Record<string, Restriction>>;

@Injectable()
export class ErasuresRepository {
  readonly rows = new LeasedRows(ErasureEntity);

  constructor(private readonly reader: Reader) {}

  find(id: string): Promise<ErasureEntity | null> {
    return this.reader.row('SELECT * FROM erasures WHERE id = ?', [id]);
  }

  /** Erasures before `before`, newest first. */
  page(before: readonly [requestedAt: number, id: string] | null, limit: number): Promise<ErasureEntity[]> {
    const where = before === null ? '' : 'WHERE (requested_at, id) < (?, ?)';
    return this.reader.rows(`SELECT * FROM erasures ${where} ORDER BY requested_at DESC, id DESC LIMIT ?`, [
      ...(before ?? []),
      limit,
    ]);
  }

  async idOfAccount(queryable: Queryable, account: number): Promise<string | null> {
    const rows = await queryable.few<{ id: string }>('SELECT id FROM erasures WHERE account_ref = ?', [account]);
    return rows[0]?.id ?? null;
  }

  /** Id of every erasure, and when it was recorded in the journal. */
  all(): Promise<Pick<ErasureEntity, 'id' | 'journaled_at'>[]> {
    return this.reader.rows('SELECT id, journaled_at FROM erasures');
  }

  /** Oldest first. */
  notJournaled(): Promise<ErasureEntity[]> {
    return this.reader.rows('SELECT * FROM erasures WHERE journaled_at IS NULL ORDER BY requested_at, id');
  }

  async noteJournaled(tx: Tx, id: string, now: number): Promise<void> {
    await tx.execute('UPDATE erasures SET journaled_at = ? WHERE id = ?', [now, id]);
  }

  /** True if one of these erasures still has data to delete here. */
  async anyHere(ids: readonly string[]): Promise<boolean> {
    const { where } = erasureNeeds.here;
    const rows = await this.reader.rows<{ id: string }>(`SELECT id FROM erasures WHERE ${where}`);
    return rows.some(({ id }) => ids.includes(id));
  }

  async insert(
    tx: Tx,
    erasure: Pick<ErasureEntity, 'id' | 'account_ref' | 'requested_at' | 'requested_by'>,
  ): Promise<void> {
    await tx.execute(
      `INSERT INTO erasures (id, account_ref, state, requested_at, requested_by, counts, attempts, due_at)
       VALUES (?, ?, 'requested', ?, ?, '{}', 0, ?)`,
      [erasure.id, erasure.account_ref, erasure.requested_at, erasure.requested_by, erasure.requested_at],
    );
  }
}
