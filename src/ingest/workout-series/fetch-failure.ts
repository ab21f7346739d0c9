import { HOUR_MS } from '../../platform/platform/time.js';
import { type Judgement, monthOfPatience, type RetryPolicy } from '../../storage/work/retry.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { judgeCall } from '../pulls/failure-policy.js';

export type RefusalCode = 'account_gone' | 'foreign_user' | 'foreign_workout' | 'stream_too_large';

/** The series must never be stored. */
export class SeriesRefused extends Error {
  override readonly name = 'SeriesRefused';

  constructor(readonly code: RefusalCode) {
    super(`the series is refused: ${code}`);
  }
}

export const seriesRetry: RetryPolicy = {
  pause: { baseMs: 1_000, capMs: HOUR_MS / 4, factor: 2, jitter: 0.2 },
  mostAttempts: monthOfPatience.mostAttempts,
};

/**
 * Next step after an error: as for any pull, except that a workout unknown to upstream is retried for 30 days, because
 * the event may arrive before it, and a series that can never be stored is final.
 */
export function judgeFetch(error: unknown): Judgement {
  if (error instanceof SeriesRefused) return { then: 'final', code: error.code };
  if (error instanceof UpstreamError && error.status === 404) {
    return { then: 'retry', code: 'unknown_workout', retry: monthOfPatience };
  }
  if (error instanceof UpstreamError && error.reason === 'too_large') {
    return { then: 'final', code: 'stream_too_large' };
  }
  return judgeCall(error);
}
