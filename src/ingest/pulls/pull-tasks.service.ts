import { Injectable } from '@nestjs/common';
import type { TimeRange } from '../../platform/platform/time.js';
import type { TaskStatus } from './pull-task.entity.js';
import {
  PullTasksReader,
  type PullTotals,
  type ShownTask,
  type TaskFilter,
  type TaskTotals,
  type Throughput,
  type UndoneTask,
} from './pull-tasks.reader.js';

export { summaryParts } from './page-fetcher.js';
export { type TaskOrigin, type TaskStatus, taskOrigins, taskStatuses } from './pull-task.entity.js';
export type { PullTotals, ShownTask, TaskTotals, Throughput, UndoneTask } from './pull-tasks.reader.js';

export interface TaskProgress {
  readonly status: TaskStatus;
  readonly window_start: number;
  readonly window_end: number;
  readonly reached: number | null;
}

/** Pull tasks, read. `account` is `accounts.id`. */
@Injectable()
export class PullTasks {
  constructor(private readonly tasks: PullTasksReader) {}

  find(id: number): Promise<ShownTask | null> {
    return this.tasks.find(id);
  }

  /** Newest first. */
  page(filter: TaskFilter): Promise<ShownTask[]> {
    return this.tasks.page(filter);
  }

  /** Tasks of an account that wait, run or were given up, and whose window overlaps a range. */
  undone(account: number, range: TimeRange): Promise<UndoneTask[]> {
    return this.tasks.undone(account, range);
  }

  /** The states of tasks by id; those whose row is gone are left out. */
  statuses(ids: readonly number[]): Promise<Map<number, TaskStatus>> {
    return this.tasks.statuses(ids);
  }

  /** Every unfinished task, and the ended ones among the newest. */
  totals(): Promise<TaskTotals[]> {
    return this.tasks.totals();
  }

  /** The latest tasks done: how many, and when the first of them was; null without any. */
  recent(): Promise<{ finished: number; since: number } | null> {
    return this.tasks.recent();
  }

  /** When the task that waits longest was due, or will be; null when none waits. Those of recoveries are never late. */
  oldestDue(): Promise<number | null> {
    return this.tasks.oldestDue();
  }

  /** What the latest pulls that ended well took, by resource. */
  throughput(): Promise<Throughput[]> {
    return this.tasks.throughput();
  }

  /** The tasks of a recovery by their state. */
  totalsOfRecovery(recoveryId: number): Promise<PullTotals[]> {
    return this.tasks.totalsOfRecovery(recoveryId);
  }

  hasOpenPulls(recoveryId: number): Promise<boolean> {
    return this.tasks.hasOpenPulls(recoveryId);
  }
}

/** How much of its window a task has behind it, 0 to 1. Pages come by time, so the newest record tells. */
export function shareDone(task: TaskProgress): number {
  if (task.status === 'done') return 1;
  const length = task.window_end - task.window_start;
  if (task.reached === null || length <= 0) return 0;
  return Math.min(1, Math.max(0, (task.reached - task.window_start) / length));
}

/**
 * When `remaining` tasks are done if it goes on as for the last `finished`, which took since `since`; null if unknown.
 */
export function estimatedEnd(
  now: number,
  remaining: number,
  recent: { finished: number; since: number } | null,
): number | null {
  if (remaining === 0 || !recent || recent.finished === 0 || recent.since >= now) return null;
  return Math.round(now + (remaining * (now - recent.since)) / recent.finished);
}
