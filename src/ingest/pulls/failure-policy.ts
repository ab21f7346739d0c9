import { isErasedError } from '../../accounts/erasure-guard/erasure-guard.service.js';
import type { LeasedRow } from '../../storage/work/lease.js';
import { classify, type Judgement, type RetryPolicy, type Verdict, verdictOn } from '../../storage/work/retry.js';
import { EndlessPages } from '../../upstream/client/cursor-guard.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import type { PullTaskEntity } from './pull-task.entity.js';

export interface Restart {
  readonly then: 'restart';
  readonly code: string;
}

export const pullRetry: RetryPolicy = {
  pause: { baseMs: 1_000, capMs: 15 * 60_000, factor: 2, jitter: 0.2 },
  mostAttempts: 5,
};
const mostRestarts = 2;

/** Statuses with which upstream refuses a cursor that expired or was never its own. */
const cursorStatuses: ReadonlySet<number | undefined> = new Set([400, 404, 422]);

/**
 * Consequence of an error for a pull. Upstream being busy or down does not count, nor does a refused key, which only
 * an operator can fix. Unreadable responses and our own faults get a few tries. A rejected or endless cursor restarts
 * the window. Everything else is final. `sentCursor`: the call carried one of upstream's cursors.
 */
export function judgePull(error: unknown, sentCursor: boolean): Judgement | Restart {
  if (isErasedError(error)) return { then: 'final', code: 'account_gone' };
  if (error instanceof EndlessPages) {
    return { then: error.code === 'too_many_pages' ? 'final' : 'restart', code: error.code };
  }
  const usual = classify(error);
  if (!(error instanceof UpstreamError)) return usual.then === 'wait' ? usual : { then: 'retry', code: 'internal' };
  if (usual.then !== 'final') return usual;
  if (sentCursor && cursorStatuses.has(error.status)) return { then: 'restart', code: 'cursor_rejected' };
  if (error.isNotFound) return { then: 'final', code: 'unknown_user' };
  return error.status === 404 ? { ...usual, then: 'retry' } : usual;
}

type TaskFacts = Pick<PullTaskEntity, 'restarts'> & Pick<LeasedRow, 'attempts' | 'waits'>;

/** Next state of a claimed pull after `error`. Its window is restarted at most twice. */
export function verdictOnPull(
  error: unknown,
  task: TaskFacts,
  sentCursor: boolean,
  random?: () => number,
): Verdict | Restart {
  const judgement = judgePull(error, sentCursor);
  if (judgement.then !== 'restart') return verdictOn(judgement, task, pullRetry, random);
  return task.restarts < mostRestarts ? judgement : { then: 'bury', code: judgement.code };
}
