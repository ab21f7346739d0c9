import { type BackoffPolicy, backoffDelay } from '../../platform/platform/backoff.js';
import type { Clock } from '../../platform/platform/clock.js';
import type { ThisProcess } from '../../platform/platform/this-process.js';
import { HOUR_MS, parseHttpDate } from '../../platform/platform/time.js';
import { isForPerson, type Priority } from './budget.js';
import { MAX_THROTTLED_PAUSE_MS, THROTTLED_PAUSE_MS } from './tuning.js';
import { type UpstreamError } from './upstream-error.js';

export interface RetryRule {
  /** Total attempts, including the first. */
  tries: number;
  backoff: BackoffPolicy;
}

export interface RetrySituation {
  rule: RetryRule;
  attempt: number;
  /** The call may be sent twice without a second effect. */
  repeatable: boolean;
  priority: Priority;
  remainingMs: number;
  random: () => number;
}

/** Upper limit of a wait requested by upstream, so that one wrong header cannot stop work for days. */
const MAX_RETRY_AFTER_MS = HOUR_MS;

export interface RetryHeaders {
  readonly retryAfter: string | undefined;
  readonly rateLimitReset: string | undefined;
  /** When upstream responded, by its own clock. */
  readonly date: string | undefined;
}

/**
 * Wait requested by upstream, in milliseconds: `Retry-After` in seconds or as a date, else `X-RateLimit-Reset` in epoch
 * seconds (docs/upstream/errors-and-limits.md#retry). Times count from the response's `Date`, because upstream's clock
 * may differ from ours; without one, from `now`. Undefined if neither header can be read.
 */
export function readRetryAfter({ retryAfter, rateLimitReset, date }: RetryHeaders, now: number): number | undefined {
  const answered = (date === undefined ? null : parseHttpDate(date)) ?? now;
  const wish = fromRetryAfter(retryAfter, answered) ?? fromReset(rateLimitReset, answered);
  return wish === undefined ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, Math.ceil(wish)));
}

/**
 * Decides which calls a 429 pauses. Upstream does not say (docs/upstream/errors-and-limits.md#rate-limits), so it first
 * pauses only calls of the same operation for the same account. If another account gets a 429 during the pause, or the
 * call was for no account, it pauses the operation for all callers in all processes, which learn of it within 15
 * seconds. Other operations continue.
 */
export class Throttle {
  /** End of the pause by operation, on the monotonic clock. */
  private readonly everybody = new Map<string, number>();
  private readonly single = new Map<string, { readonly account: number; readonly end: number }>();

  constructor(
    private readonly clock: Clock,
    private readonly thisProcess: ThisProcess,
  ) {}

  /** Records a 429. Returns true if it applies to all callers. */
  saw(operation: string, account: number | undefined, retryAfterMs = THROTTLED_PAUSE_MS): boolean {
    const now = this.clock.monotonic();
    const end = now + Math.min(MAX_THROTTLED_PAUSE_MS, retryAfterMs);
    const paused = this.single.get(operation);
    const isSecond = paused !== undefined && paused.end > now && paused.account !== account;
    if (account === undefined || isSecond || this.pauseOf(operation) > 0) {
      this.everybody.set(operation, Math.max(end, this.everybody.get(operation) ?? 0));
      this.thisProcess.pause(operation, this.clock.now() + end - now);
      return true;
    }
    this.single.set(operation, { account, end });
    return false;
  }

  /** Milliseconds until the operation may be called for an account, or for any account if none is given. */
  pauseOf(operation: string, account?: number): number {
    const paused = this.single.get(operation);
    const own = account !== undefined && paused?.account === account ? paused.end : 0;
    const heard = Math.min(MAX_THROTTLED_PAUSE_MS, this.thisProcess.heardOf(operation) - this.clock.now());
    return Math.max(0, heard, Math.max(own, this.everybody.get(operation) ?? 0) - this.clock.monotonic());
  }
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
 * Milliseconds until the next attempt, or null if there should be none. Only interactive calls wait as long as upstream
 * requested; background work gets the error immediately and retries later from its own row.
 */
export function retryDelay(error: UpstreamError, situation: RetrySituation): number | null {
  const { rule, attempt, priority } = situation;
  if (!situation.repeatable || !error.isTransient || attempt >= rule.tries) return null;
  if (error.reason === 'circuit_open' || error.reason === 'deadline') return null;
  const asked = error.kind === 'throttled' || error.retryAfterMs !== undefined;
  if (asked && !isForPerson(priority)) return null;
  const delay = (error.retryAfterMs ?? 0) + backoffDelay(rule.backoff, attempt, situation.random);
  return delay < situation.remainingMs ? delay : null;
}
