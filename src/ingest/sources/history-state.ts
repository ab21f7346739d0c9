import { type HistoricalPull, isCounted } from '../pulls/coverage.service.js';
import type { TaskStatus } from '../pulls/listed-pulls.service.js';
import { notPulled } from './pull-facts.js';

/**
 * complete: upstream counted days with data, and all of its range is stored · pending: upstream has not ended, or we
 * have not stored it all · failed: upstream or we gave up · not_pulled: upstream says that it does not pull it ·
 * not_synced: the resource is not among SYNC_RESOURCES, so that we do not fetch what upstream pulled · unknown:
 * upstream has no record of a pull, or none that says whether the history is there.
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
 * data, and its complete range is stored. An event alone and `days_with_data: 0` say nothing about the past (proof.ts).
 * Statuses not known count as pending. `task` is the state of our task for what the pull brought; null when there is
 * none.
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
