import type { PlaceLimits } from './places.js';

/** What is limited apart from each other, so that much of one takes nothing from another. */
export const limitNames = ['sign_in', 'link', 'labs', 'requests', 'keys'] as const;
export type LimitName = (typeof limitNames)[number];

/**
 * How much of each is worked on at a time in this process, how much waits, and the share of one caller. Upstream is
 * called for the first three: its own budget is below these, and what waits for it waits there.
 */
export const places: Readonly<Record<LimitName, PlaceLimits>> = {
  sign_in: { atOnce: 64, waiting: 1_000, share: 64 },
  link: { atOnce: 32, waiting: 500, share: 64 },
  labs: { atOnce: 16, waiting: 500, share: 16 },
  requests: { atOnce: 16, waiting: 1_000, share: 64 },
  keys: { atOnce: 64, waiting: 1_000, share: 256 },
};

export type CallerKind = 'account' | 'key';

/** Which limit a route falls under, by its template; null for what is open to everybody. */
export function callerKindOf(route: string): CallerKind | null {
  if (route.startsWith('/v1/')) return 'account';
  return route.startsWith('/admin/v1/') ? 'key' : null;
}

/** The limit of a route, by its template. */
export function limitOf(route: string, caller: CallerKind): LimitName {
  if (route.endsWith('/sign-in-token')) return 'sign_in';
  if (route.endsWith('/link-token')) return 'link';
  if (/^\/(?:admin\/)?v1\/labs\//.test(route)) return 'labs';
  return caller === 'key' ? 'keys' : 'requests';
}
