import { type BackoffPolicy, backoffDelay } from '../../platform/platform/backoff.js';
import { CodedError } from '../../platform/platform/errors.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { KEY_REFUSED_PAUSE_MS, MAX_QUEUE_PAUSE_MS } from '../database/tuning.js';
import { endsBefore, isGuilty, type LeasedRow } from './lease.js';

/**
 * Consequence of an error. `wait`: upstream or the store was unavailable; retries are unlimited, and the attempt does
 * not count. `retry`: a few more attempts may help. `final`: no retry helps.
 */
export interface Judgement {
  readonly then: 'wait' | 'retry' | 'final';
  /** Error code for operators. */
  readonly code: string;
  /** Pause requested by upstream. */
  readonly retryAfterMs?: number | undefined;
  /** Upstream would refuse all other work too, so the queue pauses. */
  readonly everybody?: boolean;
  /** Overrides the queue's pause and number of attempts. */
  readonly retry?: RetryPolicy;
}

export interface RetryPolicy {
  readonly pause: BackoffPolicy;
  /** Attempts until the row is buried, including those that killed the process. */
  readonly mostAttempts: number;
  /**
   * True for work that cannot be what ends a process, such as pushes to an endpoint: it is never buried because its
   * holders died, only tried later.
   */
  readonly isHarmless?: boolean;
}

/**
 * For something that upstream announced and that no other event may bring: growing pauses, then four attempts a day for
 * 30 days. The row is then given up, which its room lists and the alarms count.
 */
export const monthOfPatience: RetryPolicy = {
  pause: { baseMs: 30_000, capMs: 6 * HOUR_MS, factor: 2, jitter: 0.2 },
  mostAttempts: 130,
};

/** Next state of a row. `pauseMs`: the queue pauses this long. */
export type Verdict =
  | {
      readonly then: 'defer';
      readonly code: string;
      readonly delayMs: number;
      readonly counts: boolean;
      readonly pauseMs: number;
    }
  | { readonly then: 'bury'; readonly code: string };

/** All holders ended without an outcome: the process died or the lease expired. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}

export const abandonedCode = 'abandoned';

const storeCodes: readonly string[] = ['storage_unavailable', 'shutting_down'];

/** Default consequence of an error. */
export function classify(error: unknown): Judgement {
  if (error instanceof UpstreamError) return classifyUpstream(error);
  if (!(error instanceof CodedError)) return { then: 'retry', code: 'internal' };
  return { then: storeCodes.includes(error.code) ? 'wait' : 'final', code: error.code };
}

/**
 * Like `classify`, for work that is not requested again: also waits after an unreadable response, because a newer
 * version may be able to read it.
 */
export function classifyPatiently(error: unknown): Judgement {
  const judgement = classify(error);
  return judgement.code === 'upstream_contract' ? { ...judgement, then: 'wait' } : judgement;
}

function classifyUpstream(error: UpstreamError): Judgement {
  const { code, retryAfterMs, concernsEverybody: everybody } = error;
  if (error.isTransient) return { then: 'wait', code, retryAfterMs, everybody };
  if (error.isUnauthorized)
    return { then: 'wait', code: 'upstream_unauthorized', retryAfterMs: KEY_REFUSED_PAUSE_MS, everybody };
  return { then: error.isRefusal ? 'final' : 'retry', code };
}

/** True if the row was tried more often than allowed, or is what ends its holders. */
export function isSpent(
  held: Pick<LeasedRow, 'attempts' | 'lease_owner'>,
  { mostAttempts, isHarmless = false }: RetryPolicy,
): boolean {
  if (isHarmless) return false;
  return held.attempts > mostAttempts || isGuilty(endsBefore(held));
}

/** Milliseconds before attempt number `tries + 1`. */
export function pauseFor({ pause }: RetryPolicy, tries: number, random?: () => number): number {
  return backoffDelay(pause, tries, random);
}

/**
 * Next state of a claimed row. A pause that upstream requested for all calls is used as it is; otherwise the pause
 * grows, and is never shorter than the one that upstream requested.
 */
export function verdictOn(
  judgement: Judgement,
  row: Pick<LeasedRow, 'attempts' | 'waits'>,
  usual: RetryPolicy,
  random?: () => number,
): Verdict {
  const { then, code, retryAfterMs, everybody = false, retry = usual } = judgement;
  if (then === 'final' || (then === 'retry' && row.attempts >= retry.mostAttempts)) return { then: 'bury', code };
  const counts = then === 'retry';
  const grown = pauseFor(retry, counts ? row.attempts : row.waits + 1, random);
  const named = everybody && retryAfterMs !== undefined;
  const delayMs = named ? Math.max(1, retryAfterMs) : Math.max(retryAfterMs ?? 0, grown);
  return { then: 'defer', code, delayMs, counts, pauseMs: everybody ? Math.min(delayMs, MAX_QUEUE_PAUSE_MS) : 0 };
}
