import { Injectable } from '@nestjs/common';
import type { TaskStatus } from './pull-task.entity.js';
import { PullTasksReader } from './pull-tasks.reader.js';

export type { UndoneTask } from './pull-tasks.reader.js';

export interface TaskProgress {
  readonly status: TaskStatus;
  readonly window_start: number;
  readonly window_end: number;
  readonly reached: number | null;
}

/** Reads pull tasks. `account` is `accounts.id`. */
@Injectable()
export class ListedPulls extends PullTasksReader {}

/** Completed share of a task's window, 0 to 1: up to its newest record, because pages are ordered by time. */
export function shareDone(task: TaskProgress): number {
  if (task.status === 'done') return 1;
  const length = task.window_end - task.window_start;
  if (task.reached === null || length <= 0) return 0;
  return Math.min(1, Math.max(0, (task.reached - task.window_start) / length));
}

/** When `remaining` tasks will be done at the rate of the last `finished` ones, done since `since`; null if unknown. */
export function estimatedEnd(
  now: number,
  remaining: number,
  recent: { finished: number; since: number } | null,
): number | null {
  if (remaining === 0 || !recent || recent.finished === 0 || recent.since >= now) return null;
  return Math.round(now + (remaining * (now - recent.since)) / recent.finished);
}
