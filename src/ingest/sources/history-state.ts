import type { HistoricalPull } from '../pulls/coverage.service.js';
import type { TaskStatus } from '../pulls/pull-tasks.service.js';
import { notPulled } from './pull-facts.js';

/**
 * complete: all upstream found is stored, or upstream found nothing · pending: upstream has not ended, or we have not
 * stored it all · failed: upstream or we gave up · not_pulled: upstream says that it does not pull it · not_synced: the
 * resource is not among SYNC_RESOURCES, so that we do not fetch what upstream pulled · unknown: upstream has no record
 * of a pull.
 */
export const historyStates = ['complete', 'pending', 'failed', 'not_pulled', 'not_synced', 'unknown'] as const;
export type HistoryState = (typeof historyStates)[number];

const stateByTask: Readonly<Record<TaskStatus, HistoryState>> = {
  pending: 'pending',
  running: 'pending',
  failed: 'failed',
  done: 'complete',
};

/**
 * The history state of a source and resource. `complete` needs evidence from both sides: upstream reports that its
 * pull succeeded, and it found nothing or its complete range is stored. Statuses not known count as pending. `task`
 * is the state of our task for what the pull brought; null when there is none.
 */
export function historyState(
  { status, days_with_data }: Pick<HistoricalPull, 'status' | 'days_with_data'>,
  task: TaskStatus | null,
  isSynced = true,
): HistoryState {
  if (status === 'failure') return 'failed';
  if (status === notPulled) return 'not_pulled';
  if (status === 'success' && days_with_data === 0) return 'complete';
  if (!isSynced && task === null) return 'not_synced';
  if (status !== 'success') return 'pending';
  return task === null ? 'pending' : stateByTask[task];
}
