import { estimatedEnd } from '../pulls/listed-pulls.service.js';
import { type PullTotals } from '../pulls/pull-tasks.reader.js';
import type { RecoveryEntity } from './recovery.entity.js';

/** Progress of a recovery. Times in epoch milliseconds. */
export interface RecoveryProgress {
  readonly pending: number;
  readonly running: number;
  readonly done: number;
  readonly failed: number;
  readonly pages: number;
  /** 0 to 1, by pulls; failed pulls count as done. */
  readonly share: number;
  readonly estimatedEnd: number | null;
}

export function endedOf(totals: readonly PullTotals[]): Omit<RecoveryProgress, 'share' | 'estimatedEnd'> {
  const counts = { pending: 0, running: 0, done: 0, failed: 0, pages: 0 };
  for (const { status, pulls, pages } of totals) {
    counts[status] = pulls;
    counts.pages += pages;
  }
  return counts;
}

/** Progress of a recovery with these totals of its pulls, or from the counts in its row once it is done. */
export function progressOf(recovery: RecoveryEntity, totals: readonly PullTotals[], now: number): RecoveryProgress {
  if (recovery.state === 'done') {
    const { pulls_done: done, pulls_failed: failed, pages } = recovery;
    return { pending: 0, running: 0, done, failed, pages, share: 1, estimatedEnd: null };
  }
  const counts = endedOf(totals);
  const ended = counts.done + counts.failed;
  const all =
    recovery.state === 'planning' ? Math.max(recovery.pulls_expected, recovery.pulls_planned) : recovery.pulls_planned;
  const share = all === 0 ? Number(recovery.state === 'pulling') : ended / all;
  return {
    ...counts,
    share,
    estimatedEnd: estimatedEnd(now, all - ended, { finished: ended, since: recovery.created_at }),
  };
}
