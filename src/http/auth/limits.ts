import type { LimitName, RouteFacts } from '../server/route-facts.js';
import type { PlaceLimits } from './places.js';

/**
 * Limits of each kind of requests in this process. `requests` waits for upstream only at the first use of an account,
 * and `keys` only for `GET /admin/v1/doctor`; `feed` and `streams` wait for changes, and each of `snapshots` holds a
 * few megabytes until its client has read it. The upstream call budget is smaller than the number of slots of the other
 * kinds, so their calls queue for it.
 */
export const places: Readonly<Record<LimitName, PlaceLimits>> = {
  sign_in: { atOnce: 64, waiting: 1_000, share: 64 },
  link: { atOnce: 32, waiting: 500, share: 64 },
  labs: { atOnce: 16, waiting: 500, share: 16 },
  results: { atOnce: 16, waiting: 500, share: 16 },
  requests: { atOnce: 16, waiting: 1_000, share: 64 },
  keys_upstream: { atOnce: 64, waiting: 1_000, share: 250 },
  keys: { atOnce: 64, waiting: 1_000, share: 250 },
  feed: { atOnce: 2_000, waiting: 8_000, share: 2_000 },
  streams: { atOnce: 64, waiting: 500, share: 32 },
  snapshots: { atOnce: 64, waiting: 100, share: 16 },
};

/**
 * Turns at reading for pages of the feed, positions, and parts of snapshots and exports. A caller has one at a time, so
 * the few connections of the store stay free for others. Many may wait, because streams wait for a turn, too.
 */
export const turns: PlaceLimits = { atOnce: 4, waiting: 10_000, share: 0 };

/** The limit of a route; null for a route without credentials. Not for event streams, which are `streams`. */
export function limitOf({ caller, limit }: RouteFacts): LimitName | null {
  if (caller === undefined) return null;
  return limit ?? (caller === 'key' ? 'keys' : 'requests');
}
