import type { TaskStatus } from '../pulls/pull-task.entity.js';

/**
 * complete: all upstream found is stored, or upstream found nothing · pending: upstream has not ended, or we have not
 * stored it all · failed: upstream or we gave up · unknown: upstream has no record of a pull.
 */
export const historyStates = ['complete', 'pending', 'failed', 'unknown'] as const;
export type HistoryState = (typeof historyStates)[number];

export interface TaskStatusOfPull {
  /** Upstream's open word. */
  readonly status: string;
  readonly days_with_data: number | null;
  /** State of our task for what the pull brought; null when there is none. */
  readonly task: TaskStatus | null;
}

const ofTask: Readonly<Record<TaskStatus, HistoryState>> = {
  pending: 'pending',
  running: 'pending',
  failed: 'failed',
  done: 'complete',
};

/**
 * Whether the history of a source and resource is complete. Needs proof from both sides: upstream's word that its pull
 * succeeded, and that it found nothing or that everything of its range is stored. Words not known count as pending.
 */
export function historyState(pull: TaskStatusOfPull | null): HistoryState {
  if (!pull) return 'unknown';
  if (pull.status === 'failure') return 'failed';
  if (pull.status !== 'success') return 'pending';
  if (pull.days_with_data === 0) return 'complete';
  return pull.task === null ? 'pending' : ofTask[pull.task];
}
