import { type BackoffPolicy, backoffDelay } from '../platform/backoff.js';
import { CodedError } from '../platform/errors.js';
import { WireShapeError } from '../platform/json-reader.js';
import { HOUR_MS } from '../platform/time.js';
import { UpstreamError } from '../upstream-transport/upstream-error.js';

/**
 * What a failed attempt means for its message.
 *
 * - Waiting for others (upstream down or throttling, the store not taking writes): tried again for as long as it
 *   takes; the attempt does not count. The pause grows with the age of the message.
 * - Pointless to repeat (data that cannot be used): dead at once.
 * - Upstream does not know the user: dead after a few attempts, since a user made a moment ago may not show yet.
 * - Anything else: 12 attempts over about six hours, then dead.
 */

/** Upstream does not know the user of the event, or the event names none. */
export class UnknownUser extends Error {
  override readonly name = 'UnknownUser';
}

export type Failure =
  | { readonly status: 'retry'; readonly reason: string; readonly delayMs: number; readonly counts: boolean }
  | { readonly status: 'dead'; readonly reason: string };

export interface FailedAttempt {
  /** This one included. */
  readonly attempts: number;
  /** Since the first receipt, in milliseconds. */
  readonly ageMs: number;
}

const mostAttempts = 12;
const mostAttemptsForUser = 5;
const policy: BackoffPolicy = { baseMs: 5_000, capMs: HOUR_MS, factor: 3, jitter: 0.2 };
const shortestWaitMs = 5_000;
const longestWaitMs = 600_000;

export function judgeFailure(error: unknown, attempt: FailedAttempt, random: () => number = Math.random): Failure {
  if (isWaiting(error)) return waiting(error, attempt, random);
  const reason = reasonOf(error);
  if (error instanceof WireShapeError || reason === 'account_id_not_allowed') return { status: 'dead', reason };
  const most = error instanceof UnknownUser ? mostAttemptsForUser : mostAttempts;
  if (attempt.attempts >= most) return { status: 'dead', reason };
  return { status: 'retry', reason, delayMs: backoffDelay(policy, attempt.attempts, random), counts: true };
}

function isWaiting(error: unknown): error is CodedError {
  return (
    (error instanceof UpstreamError && error.isTransient) ||
    (error instanceof CodedError && (error.code === 'storage_unavailable' || error.code === 'shutting_down'))
  );
}

function waiting(error: CodedError, { ageMs }: FailedAttempt, random: () => number): Failure {
  const asked = (error.retryAfterSeconds ?? 0) * 1000;
  const grown = Math.min(longestWaitMs, Math.max(shortestWaitMs, ageMs / 2));
  const delayMs = Math.round(Math.max(asked, grown) * (1 + policy.jitter * random()));
  return { status: 'retry', reason: error.code, delayMs, counts: false };
}

/** A code of ours; never a text of the error. */
function reasonOf(error: unknown): string {
  if (error instanceof WireShapeError) return 'unreadable_data';
  if (error instanceof UnknownUser) return 'unknown_user';
  return error instanceof CodedError ? error.code : 'internal';
}
