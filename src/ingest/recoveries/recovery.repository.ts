import { Injectable } from '@nestjs/common';
import { assignments, insertion } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import type { RecoveryEntity } from './recovery.entity.js';

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

@Injectable()
export class RecoveryRepository {
  constructor(private readonly reader: Reader) {}

  find(id: number): Promise<RecoveryEntity | null> {
    return this.reader.row('SELECT * FROM recoveries WHERE id = ?', [id]);
  }

  /** Newest first. */
  page(beforeId: number, limit: number): Promise<RecoveryEntity[]> {
    return this.reader.rows('SELECT * FROM recoveries WHERE id < ? ORDER BY id DESC LIMIT ?', [beforeId, limit]);
  }

  open(): Promise<RecoveryEntity[]> {
    return this.reader.few('SELECT * FROM recoveries WHERE finished_at IS NULL ORDER BY id');
  }

  endedSince(time: number): Promise<RecoveryEntity[]> {
    return this.reader.few('SELECT * FROM recoveries WHERE finished_at >= ? ORDER BY id', [time]);
  }

  /** Null if an identical recovery is open. */
  async insert(tx: Tx, recovery: NewRecovery): Promise<RecoveryEntity | null> {
    const zero = { accounts_planned: 0, planned_until: 0, pulls_planned: 0, pulls_joined: 0, pulls_shared: 0 };
    const begun = { ...zero, pulls_done: 0, pulls_failed: 0, pages: 0, state: 'planning' };
    const { row, values } = insertion({ ...recovery, ...begun });
    const sql = `INSERT INTO recoveries ${row} ON CONFLICT DO NOTHING RETURNING *`;
    const [made] = await tx.rows<RecoveryEntity>(sql, values);
    return made ?? null;
  }

  async findOpen(
    tx: Tx,
    wanted: Pick<NewRecovery, 'window_start' | 'asked_end' | 'resources'>,
  ): Promise<RecoveryEntity | null> {
    const [open] = await tx.rows<RecoveryEntity>(
      `SELECT * FROM recoveries
       WHERE window_start = ? AND asked_end = ? AND resources = ? AND finished_at IS NULL`,
      [wanted.window_start, wanted.asked_end, wanted.resources],
    );
    return open ?? null;
  }

  /** The oldest recovery still being planned, locked until the transaction ends; null if there is no unlocked one. */
  async nextToPlan(tx: Tx): Promise<RecoveryEntity | null> {
    const [row] = await tx.rows<RecoveryEntity>(
      `SELECT * FROM recoveries WHERE finished_at IS NULL AND state = 'planning' ORDER BY id LIMIT 1 ${tx.skipLocked}`,
    );
    return row ?? null;
  }

  async change(tx: Tx, id: number, change: Partial<RecoveryEntity>): Promise<void> {
    const { set, values } = assignments({ ...change });
    await tx.execute(`UPDATE recoveries ${set} WHERE id = ?`, [...values, id]);
  }

  /** False if another process ended it. */
  async finish(tx: Tx, id: number, end: Partial<RecoveryEntity> & { finished_at: number }): Promise<boolean> {
    const [open] = await tx.rows(
      `UPDATE recoveries SET state = 'done' WHERE id = ? AND state = 'pulling' RETURNING id`,
      [id],
    );
    if (open) await this.change(tx, id, end);
    return open !== undefined;
  }
}
