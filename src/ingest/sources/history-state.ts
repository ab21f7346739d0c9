import type { TaskStatus } from '../pulls/pull-task.entity.js';
import { type HistoricalPull } from '../streams/coverage.service.js';
import { isCounted } from '../streams/proof.js';
import { notPulled } from './pull-facts.js';

/**
 * complete: upstream counted days with data, and the complete range is stored · pending: upstream has not finished, or
 * we have not stored everything · failed: upstream or we gave up · not_pulled: upstream reported that it does not pull
 * it · not_synced: the resource is not in SYNC_RESOURCES, so we do not fetch what upstream pulled · unknown: upstream
 * has no record of a pull, or its record does not show whether there is a history.
 */
export const historyStates = ['complete', 'pending', 'failed', 'not_pulled', 'not_synced', 'unknown'] as const;
export type HistoryState = (typeof historyStates)[number];

const stateByTask: Readonly<Record<Exclude<TaskStatus, 'done'>, HistoryState>> = {
  pending: 'pending',
  running: 'pending',
  failed: 'failed',
};

/**
 * The history state of a source and resource. `complete` needs evidence from both sides: upstream counted days with
 * data, and its complete range is stored. Neither an event alone nor `days_with_data: 0` proves anything about the past
 * (proof.ts). Unknown statuses count as pending. `task` is the status of our task that fetches the data; null if there
 * is none.
 */
export function historyState(
  pull: Pick<HistoricalPull, 'provider' | 'status' | 'days_with_data'>,
  task: TaskStatus | null,
  isSynced = true,
): HistoryState {
  const { provider, status, days_with_data } = pull;
  if (status === 'failure') return 'failed';
  if (status === notPulled) return 'not_pulled';
  if (!isSynced && task === null) return 'not_synced';
  if (status !== 'success') return 'pending';
  if (task === null) return days_with_data === 0 ? 'unknown' : 'pending';
  if (task !== 'done') return stateByTask[task];
  return isCounted(provider, pull) ? 'complete' : 'unknown';
}
