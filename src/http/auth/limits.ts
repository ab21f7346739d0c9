import type { PlaceLimits } from './places.js';

/** Kinds of requests with separate limits, so that a flood of one kind does not take slots from another. */
export const limitNames = [
  'sign_in',
  'link',
  'labs',
  'results',
  'requests',
  'keys_upstream',
  'keys',
  'feed',
  'streams',
  'snapshots',
] as const;
export type LimitName = (typeof limitNames)[number];

/**
 * Limits of each kind in this process. `requests` waits for upstream only at the first use of an account, and `keys`
 * only for `GET /admin/v1/doctor`; `feed` and `streams` wait for changes, and each of `snapshots` holds a few megabytes
 * until its client has read it. The upstream call budget is smaller than the number of slots of the other kinds, so
 * their calls queue for it.
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

export type CallerKind = 'account' | 'key';

/** Routes of services that follow the change feed. */
const feedRoutes = /^\/v1\/(?:changes|snapshots|consumers)(?:\/|$)/;

/** Kind of caller of a route, given its template; null for a route without credentials. */
export function callerKindOf(route: string): CallerKind | null {
  if (route.startsWith('/v1/accounts/')) return 'key';
  if (feedRoutes.test(route)) return 'key';
  if (route.startsWith('/v1/')) return 'account';
  return route.startsWith('/admin/v1/') ? 'key' : null;
}

/** Routes for keys, by method and template, whose handlers wait for upstream or an endpoint. */
const keysUpstream: readonly RegExp[] = [
  /^(?:POST \S+\/accounts|PATCH \S+\/accounts\/:\w+|POST \S+\/relink)$/,
  /^POST \S+\/(?:orders|orders\/place|cancel|refresh)$/,
  /\/result(?:\/pdf|\/changes)?$|\.pdf$|\/places$/,
  /^POST \S+\/lab-reports$/,
  /\/appointment$/,
  /\/unmatched-results\/:id(?:\/\w+)?$/,
  /^DELETE \S+\/sources\/:provider$/,
  /^POST \S+\/subscriptions\/:\w+\/test$/,
  /^POST \S+\/sources\/:provider\/disconnect$/,
];

/** Routes for people whose handlers wait for upstream. */
const ownChanges: ReadonlySet<string> = new Set(['DELETE /v1/me/sources/:provider', 'PATCH /v1/me']);

/** Not for event streams, which are `streams`. */
export function limitOf(method: string, route: string, caller: CallerKind): LimitName {
  if (route.endsWith('/sign-in-token')) return 'sign_in';
  if (route.endsWith('/link-token') || ownChanges.has(`${method} ${route}`)) return 'link';
  if (/^\/(?:admin\/)?v1\/labs\//.test(route)) return 'labs';
  if (route === '/v1/snapshots') return 'snapshots';
  if (feedRoutes.test(route)) return 'feed';
  if (caller === 'account') return /\/result$|\.pdf$|\/places$|\/lab-reports$/.test(route) ? 'results' : 'requests';
  return keysUpstream.some((pattern) => pattern.test(`${method} ${route}`)) ? 'keys_upstream' : 'keys';
}
