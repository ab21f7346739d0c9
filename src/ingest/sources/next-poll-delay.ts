import { HOUR_MS } from '../../platform/platform/time.js';
import { isLastWord } from './pull-facts.js';

const MIN_DELAY_MS = 30_000;
const MAX_DELAY_MS = 15 * 60_000;
/** A pull still open after this long is stuck; polling more often does not help. */
const STUCK_MS = 7 * 24 * HOUR_MS;

/** Changes visible in upstream's ingestion state are found sooner (ingestion-page.ts). */
export const POLL_INTERVAL_MS = 24 * HOUR_MS;
/** Delay after a poll that was not possible. */
export const REFUSED_PAUSE_MS = 6 * HOUR_MS;

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
  return Math.min(MAX_DELAY_MS, Math.max(MIN_DELAY_MS, Math.round(Math.min(...ages) / 2)));
}
