import { Injectable } from '@nestjs/common';
import { assignments, insertion } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import type { ReplayEntity } from './replay.entity.js';

/** Initial columns of a replay. */
export type NewReplay = Omit<
  ReplayEntity,
  'id' | 'applied' | 'ignored' | 'retrying' | 'failed' | 'cancelled_at' | 'finished_at'
>;

@Injectable()
export class ReplaysRepository {
  constructor(private readonly reader: Reader) {}

  /** Null if a replay with the same filter is open. */
  async insert(tx: Tx, replay: NewReplay): Promise<ReplayEntity | null> {
    const { row, values } = insertion({ ...replay, applied: 0, ignored: 0, retrying: 0, failed: 0 });
    const sql = `INSERT INTO message_replays ${row} ON CONFLICT DO NOTHING RETURNING *`;
    const [made] = await tx.rows<ReplayEntity>(sql, values);
    return made ?? null;
  }

  async openWith(tx: Tx, filter: string | null): Promise<ReplayEntity | null> {
    const [open] = await tx.rows<ReplayEntity>(
      'SELECT * FROM message_replays WHERE filter = ? AND cancelled_at IS NULL AND finished_at IS NULL',
      [filter],
    );
    return open ?? null;
  }

  find(id: number): Promise<ReplayEntity | null> {
    return this.reader.row('SELECT * FROM message_replays WHERE id = ?', [id]);
  }

  /** Newest first. */
  page(beforeId: number, limit: number): Promise<ReplayEntity[]> {
    return this.reader.rows('SELECT * FROM message_replays WHERE id < ? ORDER BY id DESC LIMIT ?', [beforeId, limit]);
  }

  async anyOpen(): Promise<boolean> {
    return (
      (await this.reader.few('SELECT 1 AS open FROM message_replays WHERE finished_at IS NULL LIMIT 1')).length > 0
    );
  }

  /** The oldest open replay, locked until the transaction ends; null if there is none or another process has it. */
  async next(tx: Tx): Promise<ReplayEntity | null> {
    const [row] = await tx.rows<ReplayEntity>(
      `SELECT * FROM message_replays WHERE finished_at IS NULL ORDER BY id LIMIT 1 ${tx.skipLocked}`,
    );
    return row ?? null;
  }

  async change(tx: Tx, id: number, change: Partial<ReplayEntity>): Promise<void> {
    const { set, values } = assignments({ ...change });
    await tx.execute(`UPDATE message_replays ${set} WHERE id = ?`, [...values, id]);
  }

  /** Has no effect on a replay that has ended. */
  async cancel(tx: Tx, id: number, now: number): Promise<void> {
    await tx.execute(
      'UPDATE message_replays SET cancelled_at = ? WHERE id = ? AND cancelled_at IS NULL AND finished_at IS NULL',
      [now, id],
    );
  }
}
