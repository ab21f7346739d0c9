import { HOUR_MS } from '../../platform/platform/time.js';
import { MAX_POLL_DELAY_MS, MIN_POLL_DELAY_MS } from '../streams/tuning.js';
import { isLastWord } from './pull-facts.js';

/** A pull still open after this long is stuck; polling more often does not help. */
const STUCK_MS = 7 * 24 * HOUR_MS;

export interface OpenSince {
  readonly status: string;
  readonly scheduled_at: number | null;
}

/**
 * Milliseconds until an account's sources are polled again. While an upstream pull is open, half the age of the
 * youngest, between 30 s and 15 min, so polls are frequent at first and rare later. Null if the regular time suffices.
 */
export function nextPollDelay(pulls: readonly OpenSince[], now: number): number | null {
  const ages = pulls
    .filter(({ status }) => !isLastWord({ status }))
    .map(({ scheduled_at }) => Math.max(0, now - (scheduled_at ?? now)))
    .filter((age) => age < STUCK_MS);
  if (ages.length === 0) return null;
  return Math.min(MAX_POLL_DELAY_MS, Math.max(MIN_POLL_DELAY_MS, Math.round(Math.min(...ages) / 2)));
}
