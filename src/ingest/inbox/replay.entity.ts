import { Entity, Index } from 'typeorm';
import { AutoIncrementKey, IntColumn, TextColumn } from '../../storage/database/columns.js';

/** A replay of many messages. States: replay-turn.ts. */
@Entity('message_replays')
@Index('message_replays_open', ['filter'], { unique: true, where: 'cancelled_at IS NULL AND finished_at IS NULL' })
export class ReplayEntity {
  @AutoIncrementKey() id: number;
  /** The conditions as JSON; null for a replay by ids. */
  @TextColumn({ nullable: true }) filter: string | null;
  /** Messages that matched when it was requested, with and without a body. */
  @IntColumn() matched: number;
  @IntColumn() without_body: number;
  /** Messages up to this `seq` have been queued; those after `last_seq` arrived after the request. */
  @IntColumn() after_seq: number;
  @IntColumn() last_seq: number;
  @IntColumn() replayed: number;
  /** Outcomes of the first attempts. */
  @IntColumn() applied: number;
  @IntColumn() ignored: number;
  /** Messages that wait for another attempt, whose outcome is not counted. */
  @IntColumn() retrying: number;
  @IntColumn() failed: number;
  @IntColumn() created_at: number;
  @IntColumn({ nullable: true }) cancelled_at: number | null;
  @IntColumn({ nullable: true }) finished_at: number | null;
}
