import { isErasedError } from '../../accounts/erasure-guard/open-accounts.js';
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
const MAX_RESTARTS = 2;

/** Statuses with which upstream refuses an expired or unknown cursor. */
const cursorStatuses: ReadonlySet<number | undefined> = new Set([400, 404, 422]);

/**
 * Next step after an error of a call for an account. Upstream being busy or down does not count as a failure, nor does
 * a refused key, which only an operator can fix. Unreadable responses and our own faults get a few tries. Everything
 * else is final.
 */
export function judgeCall(error: unknown): Judgement {
  if (isErasedError(error)) return { then: 'final', code: 'account_gone' };
  const usual = classify(error);
  if (!(error instanceof UpstreamError)) return usual.then === 'wait' ? usual : { then: 'retry', code: 'internal' };
  if (usual.then === 'final' && error.isNotFound) return { then: 'final', code: 'unknown_user' };
  return usual.then === 'final' && error.status === 404 ? { ...usual, then: 'retry' } : usual;
}

/** A rejected or endless cursor restarts the window. `sentCursor`: the call carried a cursor from upstream. */
function judgePull(error: unknown, sentCursor: boolean): Judgement | Restart {
  if (error instanceof EndlessPages) {
    return { then: error.code === 'too_many_pages' ? 'final' : 'restart', code: error.code };
  }
  const isRejected = error instanceof UpstreamError && cursorStatuses.has(error.status);
  const isCursor = sentCursor && isRejected && classify(error).then === 'final';
  return isCursor ? { then: 'restart', code: 'cursor_rejected' } : judgeCall(error);
}

type TaskFacts = Pick<PullTaskEntity, 'restarts'> & Pick<LeasedRow, 'attempts' | 'waits'>;

/** Next step for a claimed pull after `error`. Its window restarts at most twice. */
export function verdictOnPull(
  error: unknown,
  task: TaskFacts,
  sentCursor: boolean,
  random?: () => number,
): Verdict | Restart {
  const judgement = judgePull(error, sentCursor);
  if (judgement.then !== 'restart') return verdictOn(judgement, task, pullRetry, random);
  return task.restarts < MAX_RESTARTS ? judgement : { then: 'bury', code: judgement.code };
}
