import { type BackoffPolicy, backoffDelay } from '../../platform/platform/backoff.js';
import { CodedError } from '../../platform/platform/errors.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { endsBefore, type LeasedRow, MOST_ENDS } from './lease.js';

/**
 * What an error says about the work it ended. `wait`: nothing; others could not serve it, so it is tried again for as
 * long as it takes, and the try does not count. `retry`: a few more tries may help. `final`: none will.
 */
export interface Judgement {
  readonly then: 'wait' | 'retry' | 'final';
  /** A code of ours, for whoever operates it. */
  readonly code: string;
  /** How long upstream asked to be left alone. */
  readonly retryAfterMs?: number | undefined;
  /** Upstream would treat all other work alike, so it is left alone for a while. */
  readonly everybody?: boolean;
  /** A pause and a number of tries of its own. */
  readonly retry?: RetryPolicy;
}

export interface RetryPolicy {
  readonly pause: BackoffPolicy;
  /** Tries until the row is buried, those that killed the process included. */
  readonly mostAttempts: number;
}

/** What becomes of a row. `pauseMs`: for so long no other row need be tried. */
export type Verdict =
  | {
      readonly then: 'defer';
      readonly code: string;
      readonly delayMs: number;
      /** Whether the try counts. */
      readonly counts: boolean;
      readonly pauseMs: number;
    }
  | { readonly then: 'bury'; readonly code: string };

/** Every try of a row ended without a word: its process died, or its lease ran out. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}

export const abandonedCode = 'abandoned';

const longestPauseMs = 60_000;
/** Nobody mends a refused key faster. */
const keyRefusedMs = 60_000;
const storeCodes: readonly string[] = ['storage_unavailable', 'shutting_down'];

/** What an error says unless the work knows better. */
export function classify(error: unknown): Judgement {
  if (error instanceof UpstreamError) return classifyUpstream(error);
  if (!(error instanceof CodedError)) return { then: 'retry', code: 'internal' };
  return { then: storeCodes.includes(error.code) ? 'wait' : 'final', code: error.code };
}

/**
 * As `classify`, for work that nobody asks for again: an answer that cannot be read is waited for as well, since a
 * newer version of the program may read it.
 */
export function classifyPatiently(error: unknown): Judgement {
  const judgement = classify(error);
  return judgement.code === 'upstream_contract' ? { ...judgement, then: 'wait' } : judgement;
}

function classifyUpstream(error: UpstreamError): Judgement {
  const { code, retryAfterMs, concernsEverybody: everybody } = error;
  if (error.isTransient) return { then: 'wait', code, retryAfterMs, everybody };
  if (error.isUnauthorized)
    return { then: 'wait', code: 'upstream_unauthorized', retryAfterMs: keyRefusedMs, everybody };
  return { then: error.isRefusal ? 'final' : 'retry', code };
}

/** True for a claimed row whose holders ended without a word, too often in a row or at all its tries. */
export function isSpent(held: Pick<LeasedRow, 'attempts' | 'lease_owner'>, { mostAttempts }: RetryPolicy): boolean {
  return held.attempts > mostAttempts || endsBefore(held) >= MOST_ENDS;
}

/** Milliseconds until try number `tries + 1`. */
export function pauseFor({ pause }: RetryPolicy, tries: number, random?: () => number): number {
  return backoffDelay(pause, tries, random);
}

/**
 * What becomes of a claimed row after a judgement. Where upstream named a time for all, it is kept to; elsewhere the
 * pause grows, and is never shorter than what upstream asked for.
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
  return { then: 'defer', code, delayMs, counts, pauseMs: everybody ? Math.min(delayMs, longestPauseMs) : 0 };
}
