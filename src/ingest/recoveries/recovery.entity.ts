import { Check, Entity, Index } from 'typeorm';
import { AutoIncrementKey, IntColumn, oneOf, TextColumn } from '../../storage/database/columns.js';

/** The states are described in recovery.worker.ts. */
export const recoveryStates = ['planning', 'pulling', 'done'] as const;
export type RecoveryState = (typeof recoveryStates)[number];

/** An outage that is being made up for: its window, and how far planning and pulling are. */
@Entity('recoveries')
@Check('recoveries_state', oneOf('state', recoveryStates))
@Index('recoveries_open', ['window_start', 'asked_end', 'resources'], { unique: true, where: 'finished_at IS NULL' })
export class RecoveryEntity {
  @AutoIncrementKey() id: number;
  @TextColumn() state: RecoveryState;
  @IntColumn() window_start: number;
  /** The end asked for, or the time of asking where that was earlier. */
  @IntColumn() window_end: number;
  @IntColumn() asked_end: number;
  /** Names of the catalogue in their order, joined by commas. */
  @TextColumn() resources: string;
  /** Accounts there were when it was asked for, and those planned so far. */
  @IntColumn() accounts_total: number;
  @IntColumn() accounts_planned: number;
  /** Accounts up to this number are planned; those after `last_account` came later. */
  @IntColumn() planned_until: number;
  @IntColumn() last_account: number;
  @IntColumn() pulls_expected: number;
  /** Its tasks so far; how many of them waited already, and requests that tasks of another recovery answer. */
  @IntColumn() pulls_planned: number;
  @IntColumn() pulls_joined: number;
  @IntColumn() pulls_shared: number;
  /** As they were in the end; counted from the tasks before. */
  @IntColumn() pulls_done: number;
  @IntColumn() pulls_failed: number;
  @IntColumn() pages: number;
  @IntColumn() created_at: number;
  @IntColumn({ nullable: true }) planned_at: number | null;
  @IntColumn({ nullable: true }) finished_at: number | null;
}
