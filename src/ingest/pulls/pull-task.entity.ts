import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { AccountEntity } from '../../accounts/accounts/account.entity.js';
import { AutoIncrementKey, IntColumn, oneOf, TextColumn } from '../../storage/database/columns.js';
import { LeaseColumns } from '../../storage/work/lease-columns.js';

/**
 * pending: waits for `due_at` · running: leased; another worker continues when the lease expires · done: every page of
 * the window is stored · failed: given up; see `error_code`.
 */
export const taskStatuses = ['pending', 'running', 'done', 'failed'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

export const taskOrigins = ['schedule', 'connection', 'historical', 'reread', 'operator', 'recovery'] as const;
export type TaskOrigin = (typeof taskOrigins)[number];

/** One window to pull, with its fixed end and the cursor of the next page. */
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
  /** Empty means every source. */
  @TextColumn() provider: string;
  @TextColumn() resource: string;
  @TextColumn() origin: TaskOrigin;
  /** Smaller goes first. */
  @IntColumn() priority: number;
  @IntColumn() window_start: number;
  @IntColumn() window_end: number;
  @TextColumn() status: TaskStatus;
  @TextColumn({ nullable: true }) next_cursor: string | null;
  /** An earlier cursor. If upstream returns it again, the pages form a loop (cursor-guard.ts). */
  @TextColumn({ nullable: true }) anchor_cursor: string | null;
  /** Digest of the page's content. */
  @TextColumn({ nullable: true }) anchor_content: string | null;
  /** Consecutive empty pages, and repeated pages. */
  @IntColumn({ default: 0 }) empty_pages: number;
  @IntColumn({ default: 0 }) repeated_pages: number;
  @IntColumn() pages: number;
  /** Records received, and those of them that were new or changed. */
  @IntColumn() records: number;
  @IntColumn() written: number;
  /** Samples and summaries that could not be stored, e.g. without a time, value or id. */
  @IntColumn() rejected: number;
  /** Newest record time so far; shows the completed share. */
  @IntColumn({ nullable: true }) reached: number | null;
  /** Number of claims. */
  @IntColumn() turns: number;
  /** Attempts since the last successful page. */
  @IntColumn() attempts: number;
  /** Number of restarts of the window because of an unusable cursor. */
  @IntColumn() restarts: number;
  /** Time from which the task may be claimed; null once it has ended. */
  @IntColumn({ nullable: true }) due_at: number | null;
  @TextColumn({ nullable: true }) error_code: string | null;
  @IntColumn() created_at: number;
  @IntColumn({ nullable: true }) started_at: number | null;
  @IntColumn({ nullable: true }) finished_at: number | null;
  /**
   * Lets a waiting task absorb an identical request. Cleared when the task is claimed; for a stream's regular pull,
   * when it ends, so that there is never more than one.
   */
  @TextColumn({ nullable: true }) dedupe_key: string | null;
  /** Recovery that requested this pull or took it over. */
  @IntColumn({ nullable: true }) recovery_id: number | null;
}
