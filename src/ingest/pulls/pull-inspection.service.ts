import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { orNotFound } from '../../platform/platform/errors.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import { HistoricalPullsRepository, type ShownPull } from '../streams/historical-pulls.repository.js';
import { PullStreams } from '../streams/pull-streams.service.js';
import { estimatedEnd, ListedPulls } from './listed-pulls.service.js';
import { type TaskStatus } from './pull-task.entity.js';
import { type ShownTask, type TaskTotals } from './pull-tasks.reader.js';
import type { PullListQuery, TaskListQuery } from './sync.query.js';

/** The state of all pulls at one instant. Times in epoch milliseconds. */
export interface SyncProgress {
  readonly tasks: Readonly<Record<TaskStatus, number>>;
  /** 0 to 1, by windows; failed tasks count as done. */
  readonly shareDone: number;
  readonly pages: number;
  readonly records: number;
  readonly written: number;
  /** Null if nothing is left or the rate is not known yet. */
  readonly estimatedEnd: number | null;
  readonly lagMs: number;
}

/** Tasks, progress and upstream's historical pulls, for operators. */
@Injectable()
export class PullInspection {
  constructor(
    private readonly listedPulls: ListedPulls,
    private readonly pulls: HistoricalPullsRepository,
    private readonly streams: PullStreams,
    private readonly accounts: AccountsService,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    metrics.storeGauge('sync_lag_seconds', 'Age of the oldest incomplete window or overdue pull', [], async (gauge) => {
      gauge.set((await this.lagMs()) / 1_000);
    });
  }

  /** Newest first; empty for an unknown account. */
  async listTasks({ account_id, status, cursor, limit }: TaskListQuery): Promise<Page<ShownTask>> {
    const [beforeId] = cursor === undefined ? [] : decodeCursor(cursor, ['number']);
    const account = await this.refOf(account_id);
    const rows = account === null ? [] : await this.listedPulls.page({ account, status, beforeId, limit: limit + 1 });
    return pageOf(rows, limit, (task) => [task.id]);
  }

  /** Throws `not_found`. */
  async getTask(id: number): Promise<ShownTask> {
    return orNotFound(await this.listedPulls.find(id), 'There is no such task.');
  }

  async progress(): Promise<SyncProgress> {
    const [totals, recent, lagMs] = await Promise.all([
      this.listedPulls.totals(),
      this.listedPulls.recent(),
      this.lagMs(),
    ]);
    const tasks = { pending: 0, running: 0, done: 0, failed: 0 };
    for (const { status, tasks: count } of totals) tasks[status] = count;
    const all = sum(totals, 'tasks');
    const open = tasks.pending + tasks.running;
    const behind = totals.reduce((so, row) => so + (row.status === 'failed' ? row.tasks : row.share), 0);
    return {
      tasks,
      shareDone: open === 0 ? 1 : behind / all,
      pages: sum(totals, 'pages'),
      records: sum(totals, 'records'),
      written: sum(totals, 'written'),
      estimatedEnd: estimatedEnd(this.clock.now(), open === 0 ? 0 : all - behind, recent),
      lagMs,
    };
  }

  /**
   * Lag of the pulls in milliseconds: the time since the next complete window of the most overdue stream was due, or
   * since the longest waiting task was due, whichever is longer.
   */
  async lagMs(): Promise<number> {
    const [due, late] = await Promise.all([this.listedPulls.oldestDue(), this.streams.lagMs()]);
    return Math.max(late, due === null ? 0 : this.clock.now() - due);
  }

  /** By account (oldest first), provider and resource. */
  async listPulls({ account_id, provider, status, stuck, cursor, limit }: PullListQuery): Promise<Page<ShownPull>> {
    const after = cursor === undefined ? undefined : decodeCursor(cursor, ['number', 'string', 'string']);
    const account = await this.refOf(account_id);
    const filter = { provider, status, stuck, now: this.clock.now(), after, limit: limit + 1 };
    const rows = account === null ? [] : await this.pulls.page({ account, ...filter });
    return pageOf(rows, limit, (pull) => [pull.account_id, pull.provider, pull.resource]);
  }

  /** Undefined without an account filter, null for an unknown account. */
  private async refOf(accountId: string | undefined): Promise<number | null | undefined> {
    if (accountId === undefined) return undefined;
    return (await this.accounts.find(accountId))?.id ?? null;
  }
}

function sum(totals: readonly TaskTotals[], name: 'tasks' | 'pages' | 'records' | 'written'): number {
  return totals.reduce((so, row) => so + row[name], 0);
}
