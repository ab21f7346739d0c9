import { Check, Entity, Index } from 'typeorm';
import { AutoIncrementKey, IntColumn, oneOf, TextColumn } from '../../storage/database/columns.js';

/** See recovery.worker.ts. */
export const recoveryStates = ['planning', 'pulling', 'done'] as const;
export type RecoveryState = (typeof recoveryStates)[number];

/** A recovery: the window of the outage, and the progress of planning and pulling. */
@Entity('recoveries')
@Check('recoveries_state', oneOf('state', recoveryStates))
@Index('recoveries_open', ['window_start', 'asked_end', 'resources'], { unique: true, where: 'finished_at IS NULL' })
export class RecoveryEntity {
  @AutoIncrementKey() id: number;
  @TextColumn() state: RecoveryState;
  @IntColumn() window_start: number;
  /** The requested end, or the time of the request if that was earlier. */
  @IntColumn() window_end: number;
  @IntColumn() asked_end: number;
  /** Catalogue names, sorted and joined by commas. */
  @TextColumn() resources: string;
  /** Number of accounts at the time of the request, and of those planned so far. */
  @IntColumn() accounts_total: number;
  @IntColumn() accounts_planned: number;
  /** Accounts up to this id are planned; those after `last_account` were created after the request. */
  @IntColumn() planned_until: number;
  @IntColumn() last_account: number;
  @IntColumn() pulls_expected: number;
  /** Its tasks so far; those of them that were already waiting; and pulls left to another recovery. */
  @IntColumn() pulls_planned: number;
  @IntColumn() pulls_joined: number;
  @IntColumn() pulls_shared: number;
  /** Final counts; until the end, they are counted from the tasks. */
  @IntColumn() pulls_done: number;
  @IntColumn() pulls_failed: number;
  @IntColumn() pages: number;
  @IntColumn() created_at: number;
  @IntColumn({ nullable: true }) planned_at: number | null;
  @IntColumn({ nullable: true }) finished_at: number | null;
}
