import { Injectable } from '@nestjs/common';
import { externalIdColumn, joinAccount } from '../../accounts/accounts/account-sql.js';
import type { TimeRange } from '../../platform/platform/time.js';
import { Conditions } from '../../storage/database/conditions.js';
import { placeholders } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Queryable } from '../../storage/database/tx.js';
import { MAX_RECENT_TASKS, MAX_TASKS_COUNTED, MAX_TASKS_TIMED } from '../streams/tuning.js';
import type { PullTaskEntity, TaskStatus } from './pull-task.entity.js';
import { timelyPriorities } from './pull-tasks.repository.js';

/** A task with the account's own id, for operators. */
export type ShownTask = PullTaskEntity & { readonly account: string };

export interface TaskFilter {
  readonly account?: number | undefined;
  readonly status?: TaskStatus | undefined;
  /** Only tasks with a smaller id. */
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

/** Totals of the tasks with one status. */
export interface TaskTotals {
  readonly status: TaskStatus;
  readonly tasks: number;
  readonly pages: number;
  readonly records: number;
  readonly written: number;
  /** Sum of the tasks' completed shares. */
  readonly share: number;
}

/** One of our pulls that is open or failed. */
export type UndoneTask = Pick<
  PullTaskEntity,
  'id' | 'provider' | 'resource' | 'status' | 'origin' | 'window_start' | 'window_end' | 'error_code'
> &
  Pick<PullTaskEntity, 'turns' | 'due_at' | 'created_at' | 'finished_at'>;

/** Cost of the latest pulls of a resource. */
export interface Throughput {
  readonly resource: string;
  readonly pulls: number;
  readonly pages: number;
  readonly windowMs: number;
  /** Pages and duration of the pulls that took one turn. */
  readonly timedPages: number;
  readonly timedMs: number;
}

/** Totals of a recovery's tasks with one status. */
export interface PullTotals {
  readonly status: TaskStatus;
  readonly pulls: number;
  readonly pages: number;
}

const withAccount = `SELECT t.*, ${externalIdColumn} AS account FROM sync_tasks t ${joinAccount('t.account_id')}`;
const behind = `CASE WHEN status = 'done' THEN 1.0
  WHEN reached IS NULL OR window_end <= window_start OR reached <= window_start THEN 0.0
  WHEN reached >= window_end THEN 1.0
  ELSE CAST(reached - window_start AS double precision) / (window_end - window_start) END`;
const totals = `status, COUNT(*) AS tasks, CAST(SUM(pages) AS bigint) AS pages, CAST(SUM(records) AS bigint) AS records,
  CAST(SUM(written) AS bigint) AS written, CAST(SUM(${behind}) AS double precision) AS share`;

const undone = `id, provider, resource, status, origin, window_start, window_end, error_code, turns, due_at,
  created_at, finished_at`;

@Injectable()
export class PullTasksReader {
  constructor(private readonly reader: Reader) {}

  find(id: number): Promise<ShownTask | null> {
    return this.reader.row(`${withAccount} WHERE t.id = ?`, [id]);
  }

  /** Newest first. */
  page({ account, status, beforeId, limit }: TaskFilter): Promise<ShownTask[]> {
    const conditions = new Conditions()
      .add('t.account_id = ?', account)
      .add('t.status = ?', status)
      .add('t.id < ?', beforeId);
    return this.reader.rows(`${withAccount} ${conditions.where} ORDER BY t.id DESC LIMIT ?`, [
      ...conditions.values,
      limit,
    ]);
  }

  /** Open and failed tasks of an account whose window overlaps a range. */
  undone(account: number, { start, end }: TimeRange): Promise<UndoneTask[]> {
    return this.reader.rows(
      `SELECT ${undone} FROM sync_tasks WHERE account_id = ? AND status <> 'done' AND window_end > ? AND window_start < ?
       ORDER BY id`,
      [account, start, end],
    );
  }

  async statuses(ids: readonly number[], source: Queryable = this.reader): Promise<Map<number, TaskStatus>> {
    if (ids.length === 0) return new Map();
    const rows = await source.rows<{ id: number; status: TaskStatus }>(
      `SELECT id, status FROM sync_tasks WHERE id IN (${placeholders(ids.length)})`,
      ids,
    );
    return new Map(rows.map(({ id, status }) => [id, status]));
  }

  /** Totals of every unfinished task, and of the ended ones among the newest. */
  async totals(): Promise<TaskTotals[]> {
    const newest = await this.reader.row<{ id: number | null }>('SELECT MAX(id) AS id FROM sync_tasks');
    return this.reader.rows(
      `SELECT ${totals} FROM sync_tasks WHERE status IN ('pending', 'running') GROUP BY status
       UNION ALL
       SELECT ${totals} FROM sync_tasks WHERE id > ? AND status IN ('done', 'failed') GROUP BY status`,
      [(newest?.id ?? 0) - MAX_TASKS_COUNTED],
    );
  }

  /** The number of the latest finished tasks, and when the first of them finished. */
  async recent(): Promise<{ finished: number; since: number } | null> {
    const [row] = await this.reader.rows<{ finished: number; since: number | null }>(
      `SELECT COUNT(*) AS finished, MIN(finished_at) AS since FROM
         (SELECT finished_at FROM sync_tasks WHERE status = 'done' ORDER BY id DESC LIMIT ?) AS latest`,
      [MAX_RECENT_TASKS],
    );
    return row && row.since !== null ? { finished: row.finished, since: row.since } : null;
  }

  /** Earliest due time of an unclaimed task, past or future; null if there is none. Excludes recoveries. */
  async oldestDue(): Promise<number | null> {
    const oldest = timelyPriorities.map(
      () => 'SELECT MIN(due_at) AS due FROM sync_tasks WHERE priority = ? AND due_at > 0 AND lease_owner IS NULL',
    );
    const row = await this.reader.row<{ due: number | null }>(
      `SELECT MIN(due) AS due FROM (${oldest.join(' UNION ALL ')}) AS each_priority`,
      timelyPriorities,
    );
    return row?.due ?? null;
  }

  /** By resource, from the latest successful pulls. */
  throughput(): Promise<Throughput[]> {
    return this.reader.rows(
      `SELECT resource, COUNT(*) AS pulls, CAST(SUM(pages) AS bigint) AS pages,
         CAST(SUM(window_end - window_start) AS bigint) AS "windowMs",
         CAST(SUM(CASE WHEN turns = 1 THEN pages ELSE 0 END) AS bigint) AS "timedPages",
         CAST(SUM(CASE WHEN turns = 1 THEN finished_at - started_at ELSE 0 END) AS bigint) AS "timedMs"
       FROM (SELECT * FROM sync_tasks WHERE status = 'done' ORDER BY id DESC LIMIT ?) AS latest GROUP BY resource`,
      [MAX_TASKS_TIMED],
    );
  }

  /** Totals of a recovery's pulls, by status. */
  totalsOfRecovery(recoveryId: number): Promise<PullTotals[]> {
    return this.reader.rows(
      `SELECT status, COUNT(*) AS pulls, CAST(SUM(pages) AS bigint) AS pages FROM sync_tasks
       WHERE recovery_id = ? GROUP BY status`,
      [recoveryId],
    );
  }

  async hasOpenPulls(recoveryId: number): Promise<boolean> {
    const sql = `SELECT id FROM sync_tasks WHERE recovery_id = ? AND status IN ('pending', 'running') LIMIT 1`;
    return (await this.reader.row(sql, [recoveryId])) !== null;
  }
}
