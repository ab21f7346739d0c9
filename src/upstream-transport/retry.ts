import { type BackoffPolicy, backoffDelay } from '../platform/backoff.js';
import { HOUR_MS, parseHttpDate } from '../platform/time.js';
import type { Priority } from './budget.js';
import { type UpstreamError } from './upstream-error.js';

export interface RetryRule {
  /** Tries in all, the first included. */
  tries: number;
  backoff: BackoffPolicy;
}

export interface RetrySituation {
  rule: RetryRule;
  /** Tries made so far. */
  attempt: number;
  /** The call may be sent twice without a second effect. */
  repeatable: boolean;
  priority: Priority;
  remainingMs: number;
  random: () => number;
}

/** Upstream asking for a longer wait gets this much, so that one odd header cannot stop work for days. */
const MAX_RETRY_AFTER_MS = HOUR_MS;

/**
 * What upstream asked for, in milliseconds: `Retry-After` as seconds or date, else `X-RateLimit-Reset` as epoch seconds
 * (docs/upstream/errors-and-limits.md#retry). Undefined when neither can be read.
 */
export function readRetryAfter(
  headers: { retryAfter: string | undefined; rateLimitReset: string | undefined },
  now: number,
): number | undefined {
  const wish = fromRetryAfter(headers.retryAfter, now) ?? fromReset(headers.rateLimitReset, now);
  return wish === undefined ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, Math.ceil(wish)));
}

const decimalPattern = /^\d{1,15}(\.\d{1,9})?$/;

function fromRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (decimalPattern.test(text.trim())) return Number(text) * 1000;
  const date = parseHttpDate(text);
  return date === null ? undefined : date - now;
}

function fromReset(text: string | undefined, now: number): number | undefined {
  return text !== undefined && decimalPattern.test(text.trim()) ? Number(text) * 1000 - now : undefined;
}

/**
 * Milliseconds to wait before the call is sent again, or null when it should not be. Only a person is made to wait for
 * as long as upstream asked: all other work is given the error at once and comes back later by its own row.
 */
export function retryDelay(error: UpstreamError, situation: RetrySituation): number | null {
  const { rule, attempt, priority } = situation;
  if (!situation.repeatable || !error.isTransient || attempt >= rule.tries) return null;
  if (error.reason === 'circuit_open' || error.reason === 'deadline') return null;
  const asked = error.kind === 'throttled' || error.retryAfterMs !== undefined;
  if (asked && priority !== 'interactive') return null;
  const delay = (error.retryAfterMs ?? 0) + backoffDelay(rule.backoff, attempt, situation.random);
  return delay < situation.remainingMs ? delay : null;
}
