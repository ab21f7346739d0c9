import { type BackoffPolicy, backoffDelay } from '../platform/backoff.js';
import { CodedError } from '../platform/errors.js';
import { HOUR_MS } from '../platform/time.js';
import { judge, type Verdict } from '../pulls/failure-policy.js';
import { UpstreamError } from '../upstream-transport/upstream-error.js';

export const refusalCodes = ['account_gone', 'foreign_user', 'foreign_workout', 'stream_too_large'] as const;
export type RefusalCode = (typeof refusalCodes)[number];

/** A stream that is not to be stored, whatever upstream answers next time. */
export class SeriesRefused extends Error {
  override readonly name = 'StreamRefused';

  constructor(readonly code: RefusalCode) {
    super(`the stream is refused: ${code}`);
  }
}

/** The event may be ahead of the workout; two hours later it is not. */
const absence: BackoffPolicy = { baseMs: 60_000, capMs: HOUR_MS, factor: 2, jitter: 0.2 };
const mostAbsences = 8;

/**
 * What to do about a stream that could not be had after `failures` failures before: as with any pull, but a workout
 * upstream does not know yet is asked for again for two hours, and what can never be stored is given up at once.
 */
export function judgeFetch(error: unknown, failures: number, random?: () => number): Verdict {
  if (error instanceof SeriesRefused) return { then: 'fail', code: error.code };
  if (error instanceof UpstreamError && error.status === 404) {
    const delayMs = backoffDelay(absence, failures + 1, random);
    const code = 'unknown_workout';
    return failures + 1 >= mostAbsences ? { then: 'fail', code } : { then: 'defer', code, delayMs, pauseMs: 0 };
  }
  if (error instanceof UpstreamError && error.reason === 'too_large') return { then: 'fail', code: 'stream_too_large' };
  return judge(error, { failures, restarts: 0 }, false, random);
}

/** The store itself does not work: nothing is known about the stream. */
export function isStorageFailure(error: unknown): boolean {
  return error instanceof CodedError && error.code === 'storage_unavailable';
}
