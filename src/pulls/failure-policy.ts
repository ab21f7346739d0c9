import { type BackoffPolicy, backoffDelay } from '../platform/backoff.js';
import { CursorRepeated } from '../upstream/cursor-guard.js';
import { UpstreamError } from '../upstream-transport/upstream-error.js';
import type { PullTaskEntity } from './pull-task.entity.js';

export type Verdict =
  | { readonly then: 'defer'; readonly code: string; readonly delayMs: number; readonly pauseMs: number }
  | { readonly then: 'restart'; readonly code: string }
  | { readonly then: 'fail'; readonly code: string };

const backoff: BackoffPolicy = { baseMs: 1_000, capMs: 15 * 60_000, factor: 2, jitter: 0.2 };
const pauseCapMs = 60_000;
const mostRestarts = 2;
const mostFailures = 5;

/** Statuses with which upstream refuses a cursor that expired or was never its own. */
const cursorStatuses: ReadonlySet<number | undefined> = new Set([400, 404, 422]);

type TaskFacts = Pick<PullTaskEntity, 'failures' | 'restarts'>;

/**
 * What to do with a task after `error`. Upstream being busy or down says nothing about the task: it waits, for as long
 * as it takes. So does a refused key, which only an operator can mend. A cursor that is no use begins the window again,
 * twice at most. What cannot be read, and faults of our own, get a few tries. Everything else is given up at once.
 * `sentCursor`: the call carried a cursor of upstream.
 */
export function judge(error: unknown, task: TaskFacts, sentCursor: boolean, random?: () => number): Verdict {
  const delayMs = backoffDelay(backoff, task.failures + 1, random);
  if (error instanceof CursorRepeated) return again('cursor_repeated', task);
  if (!(error instanceof UpstreamError)) return fewTries('internal', task, delayMs);
  const { kind, code, status, retryAfterMs } = error;
  switch (kind) {
    case 'throttled':
    case 'unavailable': {
      const wait = retryAfterMs === undefined ? delayMs : Math.max(1, retryAfterMs);
      const everybody = kind === 'throttled' || error.reason === 'circuit_open';
      return { then: 'defer', code, delayMs: wait, pauseMs: everybody ? Math.min(wait, pauseCapMs) : 0 };
    }
    case 'contract':
      return fewTries(code, task, delayMs);
    case 'rejected':
      if (status === 401) return { then: 'defer', code: 'upstream_unauthorized', delayMs, pauseMs: pauseCapMs };
      if (sentCursor && cursorStatuses.has(status)) return again('cursor_rejected', task);
      if (error.isNotFound) return { then: 'fail', code: 'unknown_user' };
      return status === 404 ? fewTries(code, task, delayMs) : { then: 'fail', code };
  }
}

function again(code: string, task: TaskFacts): Verdict {
  return task.restarts < mostRestarts ? { then: 'restart', code } : { then: 'fail', code };
}

function fewTries(code: string, task: TaskFacts, delayMs: number): Verdict {
  const isLast = task.failures + 1 >= mostFailures;
  return isLast ? { then: 'fail', code } : { then: 'defer', code, delayMs, pauseMs: 0 };
}
