/**
 * Delays that grow by `factor` from `baseMs` up to `capMs`. `jitter` (0..1) is the share by which chance may shorten
 * them.
 */
export interface BackoffPolicy {
  baseMs: number;
  capMs: number;
  factor: number;
  jitter: number;
}

/** Milliseconds (an integer) to wait after attempt number `attempt` (from 1) failed; at least 0 and at most the cap. */
export function backoffDelay(policy: BackoffPolicy, attempt: number, random: () => number = Math.random): number {
  const exponent = Math.max(0, attempt - 1);
  const full = Math.min(policy.capMs, policy.baseMs * policy.factor ** exponent);
  return Math.round(full * (1 - policy.jitter * random()));
}
