import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { AccountEntity } from '../../accounts/accounts/account.entity.js';
import { AutoIncrementKey, IntColumn, oneOf, TextColumn } from '../../storage/database/columns.js';
import { LeaseColumns } from '../../storage/work/lease-columns.js';

/**
 * pending: waits for `due_at` · running: under a lease, resumed by another worker when it runs out · done: every page
 * of the window is stored · failed: given up, `error_code` says why.
 */
export const taskStatuses = ['pending', 'running', 'done', 'failed'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

export const taskOrigins = ['schedule', 'connection', 'historical', 'reread', 'operator', 'recovery'] as const;
export type TaskOrigin = (typeof taskOrigins)[number];

/** One window to pull, with its frozen end and the cursor of the next page. */
@Entity('sync_tasks')
@Check('sync_tasks_status', oneOf('status', taskStatuses))
@Index('sync_tasks_due', ['priority', 'due_at', 'id'], { where: 'due_at IS NOT NULL' })
@Index('sync_tasks_account_id', ['account_id', 'id'])
@Index('sync_tasks_status_id', ['status', 'id'])
@Index('sync_tasks_account_created_at', ['account_id', 'created_at', 'id'])
@Index('sync_tasks_account_ended', ['account_id', 'status', 'finished_at', 'id'], { where: 'finished_at IS NOT NULL' })
@Index('sync_tasks_failed', ['status', 'finished_at'], { where: `status = 'failed'` })
@Index('sync_tasks_not_done', ['account_id', 'resource', 'id'], { where: `status <> 'done'` })
@Index('sync_tasks_dedupe_key', ['dedupe_key'], { unique: true })
@Index('sync_tasks_recovery', ['recovery_id', 'status', 'pages'], { where: 'recovery_id IS NOT NULL' })
export class PullTaskEntity extends LeaseColumns {
  @AutoIncrementKey() id: number;
  @ForeignKey(() => AccountEntity, { name: 'sync_tasks_account' })
  @IntColumn()
  account_id: number;
  /** Empty for every source. */
  @TextColumn() provider: string;
  @TextColumn() resource: string;
  @TextColumn() origin: TaskOrigin;
  /** Smaller goes first. */
  @IntColumn() priority: number;
  @IntColumn() window_start: number;
  @IntColumn() window_end: number;
  @TextColumn() status: TaskStatus;
  @TextColumn({ nullable: true }) next_cursor: string | null;
  /** An earlier cursor; meeting it again means upstream goes round in circles (cursor-guard.ts). */
  @TextColumn({ nullable: true }) anchor_cursor: string | null;
  /** The digest of what the page held. */
  @TextColumn({ nullable: true }) anchor_content: string | null;
  /** Empty pages in a row, and pages that came again. */
  @IntColumn({ default: 0 }) empty_pages: number;
  @IntColumn({ default: 0 }) repeated_pages: number;
  @IntColumn() pages: number;
  /** Records received, and how many of them changed the store. */
  @IntColumn() records: number;
  @IntColumn() written: number;
  /** Points and objects that could not be stored, for want of a time, a value or an id. */
  @IntColumn() rejected: number;
  /** Newest record time seen, for the share done. */
  @IntColumn({ nullable: true }) reached: number | null;
  /** Number of claims. */
  @IntColumn() turns: number;
  /** Tries since the last page that worked. */
  @IntColumn() attempts: number;
  /** Number of restarts of the window because of an unusable cursor. */
  @IntColumn() restarts: number;
  /** Time from which it may be claimed; null if nothing is left to do. */
  @IntColumn({ nullable: true }) due_at: number | null;
  @TextColumn({ nullable: true }) error_code: string | null;
  @IntColumn() created_at: number;
  @IntColumn({ nullable: true }) started_at: number | null;
  @IntColumn({ nullable: true }) finished_at: number | null;
  /**
   * Lets a waiting task absorb an equal request. Cleared when the task is claimed; the one of a stream's regular pull,
   * of which there is never more than one, when it ends.
   */
  @TextColumn({ nullable: true }) dedupe_key: string | null;
  /** The recovery whose pull this is, or has become. */
  @IntColumn({ nullable: true }) recovery_id: number | null;
}
