import { Injectable } from '@nestjs/common';
import { assignments } from '../database/dialect.js';
import { Reader } from '../database/reader.js';
import type { Queryable, Tx } from '../database/tx.js';
import type { ErasureEntity } from './erasure.entity.js';

export interface ErasureClaim {
  readonly owner: string;
  readonly now: number;
  readonly leaseUntil: number;
  readonly limit: number;
}

/**
 * `work`: something is still to be deleted, here or upstream. `scrub`: all is deleted, and the files are to be rid of it.
 * `check`: to be looked at again after the days of grace.
 */
export type ErasureNeed = 'work' | 'scrub' | 'check';

export type ErasureChange = Partial<Omit<ErasureEntity, 'id' | 'account_ref' | 'requested_at' | 'requested_by'>>;

/** The erasure is somebody else's now: what was to be written with the change must not be. */
export class ErasureLost extends Error {
  override readonly name = 'ErasureLost';
}

const needs: Readonly<Record<ErasureNeed, string>> = {
  work: `state IN ('requested', 'deleting', 'upstream')`,
  scrub: `state = 'waiting' AND scrubbed_at IS NULL`,
  check: `state = 'waiting' AND scrubbed_at IS NOT NULL`,
};

/** The erasures table. */
@Injectable()
export class ErasuresRepository {
  constructor(private readonly reader: Reader) {}

  find(id: string): Promise<ErasureEntity | null> {
    return this.reader.row('SELECT * FROM erasures WHERE id = ?', [id]);
  }

  /** Newest first, those before `before`. */
  page(before: readonly [requestedAt: number, id: string] | null, limit: number): Promise<ErasureEntity[]> {
    const where = before === null ? '' : 'WHERE (requested_at, id) < (?, ?)';
    return this.reader.rows(`SELECT * FROM erasures ${where} ORDER BY requested_at DESC, id DESC LIMIT ?`, [
      ...(before ?? []),
      limit,
    ]);
  }

  async idOfAccount(queryable: Queryable, account: number): Promise<string | null> {
    const rows = await queryable.rows<{ id: string }>('SELECT id FROM erasures WHERE account_ref = ?', [account]);
    return rows[0]?.id ?? null;
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

  async anyDue(need: ErasureNeed, now: number): Promise<boolean> {
    const sql = `SELECT id FROM erasures WHERE due_at <= ? AND ${needs[need]} LIMIT 1`;
    return (await this.reader.row(sql, [now])) !== null;
  }

  claim(tx: Tx, need: ErasureNeed, { owner, now, leaseUntil, limit }: ErasureClaim): Promise<ErasureEntity[]> {
    return tx.rows(
      `UPDATE erasures SET lease_owner = ?, lease_until = ? WHERE id IN (
         SELECT id FROM erasures WHERE due_at <= ? AND (lease_until IS NULL OR lease_until <= ?) AND ${needs[need]}
         ORDER BY due_at LIMIT ? ${tx.skipLocked})
       RETURNING *`,
      [owner, leaseUntil, now, now, limit],
    );
  }

  /** Writes as the holder and answers the erasure as it is then. Throws `ErasureLost`. */
  async change(tx: Tx, held: ErasureEntity, change: ErasureChange): Promise<ErasureEntity> {
    const { set, values } = assignments({ ...change });
    const written = await tx.execute(`UPDATE erasures ${set} WHERE id = ? AND lease_owner = ?`, [
      ...values,
      held.id,
      held.lease_owner,
    ]);
    if (written !== 1) throw new ErasureLost();
    return { ...held, ...change };
  }
}
