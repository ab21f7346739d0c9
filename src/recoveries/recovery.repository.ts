import { Injectable } from '@nestjs/common';
import { assignments } from '../database/assignments.js';
import type { SqlInput } from '../database/dialect.js';
import type { Tx } from '../database/tx.js';
import type { RecoveryEntity } from './recovery.entity.js';
import { hasStreams, reachable } from './recovery.reader.js';

export type NewRecovery = Pick<
  RecoveryEntity,
  | 'window_start'
  | 'window_end'
  | 'asked_end'
  | 'resources'
  | 'accounts_total'
  | 'last_account'
  | 'pulls_expected'
  | 'created_at'
>;

export interface AccountToPlan {
  readonly id: number;
  /** 1 for an account that has, or had, a source. */
  readonly pulled: number;
}

/** The write side of recoveries. */
@Injectable()
export class RecoveryRepository {
  /** Null when an equal one is open. */
  async insert(tx: Tx, recovery: NewRecovery): Promise<RecoveryEntity | null> {
    const zero = { accounts_planned: 0, planned_until: 0, pulls_planned: 0, pulls_joined: 0, pulls_shared: 0 };
    const row = { ...recovery, ...zero, pulls_done: 0, pulls_failed: 0, pages: 0, state: 'planning' };
    const names = Object.keys(row) as (keyof typeof row)[];
    const [made] = await tx.rows<RecoveryEntity>(
      `INSERT INTO recoveries (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
       ON CONFLICT DO NOTHING RETURNING *`,
      names.map((name): SqlInput => row[name]),
    );
    return made ?? null;
  }

  async findOpen(
    tx: Tx,
    wish: Pick<NewRecovery, 'window_start' | 'asked_end' | 'resources'>,
  ): Promise<RecoveryEntity | null> {
    const [open] = await tx.rows<RecoveryEntity>(
      `SELECT * FROM recoveries
       WHERE window_start = ? AND asked_end = ? AND resources = ? AND finished_at IS NULL`,
      [wish.window_start, wish.asked_end, wish.resources],
    );
    return open ?? null;
  }

  /** The oldest recovery that is not planned yet, locked until the transaction ends; null when others hold them all. */
  async nextToPlan(tx: Tx): Promise<RecoveryEntity | null> {
    const [row] = await tx.rows<RecoveryEntity>(
      `SELECT * FROM recoveries WHERE finished_at IS NULL AND state = 'planning' ORDER BY id LIMIT 1 ${tx.skipLocked}`,
    );
    return row ?? null;
  }

  /** The accounts after the ones planned so far. */
  accountsToPlan(tx: Tx, { planned_until, last_account }: RecoveryEntity, limit: number): Promise<AccountToPlan[]> {
    return tx.rows(
      `SELECT a.id, CASE WHEN ${hasStreams} THEN 1 ELSE 0 END AS pulled FROM accounts a
       WHERE a.id > ? AND a.id <= ? AND ${reachable} ORDER BY a.id LIMIT ?`,
      [planned_until, last_account, limit],
    );
  }

  async change(tx: Tx, id: number, change: Partial<RecoveryEntity>): Promise<void> {
    const { set, values } = assignments({ ...change });
    await tx.execute(`UPDATE recoveries ${set} WHERE id = ?`, [...values, id]);
  }

  /** False when somebody else has ended it. */
  async finish(tx: Tx, id: number, end: Partial<RecoveryEntity> & { finished_at: number }): Promise<boolean> {
    const [open] = await tx.rows(
      `UPDATE recoveries SET state = 'done' WHERE id = ? AND state = 'pulling' RETURNING id`,
      [id],
    );
    if (open) await this.change(tx, id, end);
    return open !== undefined;
  }
}
