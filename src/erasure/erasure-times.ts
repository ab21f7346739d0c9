import { DAY_MS, HOUR_MS } from '../platform/time.js';

const LEASE_MS = 600_000;

/** Upstream keeps the data of a deleted user for seven days, in which it can be brought back (supplement 1.2). */
const GRACE_MS = 8 * DAY_MS;

/** Where a lease taken or renewed at `now` ends; longer than any one step takes. */
export function leaseEnd(now: number): number {
  return now + LEASE_MS;
}

/** When to look whether all is still gone: a day after upstream's grace, on the hour, so that one look serves many. */
export function checkAt(now: number): number {
  return Math.ceil((now + GRACE_MS) / HOUR_MS) * HOUR_MS;
}
