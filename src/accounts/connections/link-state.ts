import type { LinkAttemptEntity } from './link-attempt.entity.js';
import { isPhoneProvider } from './provider-facts.js';

/**
 * open: no outcome reported, token valid · expired: no outcome reported, token expired · success, exit, error: as
 * reported.
 */
export const linkStates = ['open', 'success', 'exit', 'error', 'expired'] as const;
export type LinkState = (typeof linkStates)[number];

/**
 * Upstream's prose gives a token 60 minutes, its schema 10 (docs/upstream/linking-and-tokens.md#life-of-a-link-token):
 * attempts expire after the shorter time ...
 */
export const TOKEN_LIFE_MS = 10 * 60_000;

/** ... and connections confirm them within the longer. */
export const CONNECTION_WINDOW_MS = 60 * 60_000;

/** True if a connection to this provider can result from a link attempt. */
export function comesByLink(provider: string): boolean {
  return !isPhoneProvider(provider);
}

/** Computed, not stored: an attempt expires without a write, and a connection may still confirm it afterwards. */
export function linkState(
  { outcome, expires_at }: Pick<LinkAttemptEntity, 'outcome' | 'expires_at'>,
  now: number,
): LinkState {
  if (outcome !== null) return outcome;
  return expires_at > now ? 'open' : 'expired';
}
