import type { Ids } from '../engine/random.js';
import type { Settings } from '../engine/settings.js';
import type { Timeline } from '../engine/timeline.js';
import { MINUTE } from '../engine/times.js';

export interface LinkTokenRequest {
  user_id: string;
  provider?: string | null;
  redirect_url?: string | null;
  filter_on_providers?: string[] | null;
  on_error?: 'redirect' | null;
  on_close?: 'redirect' | null;
}

export interface LinkToken extends LinkTokenRequest {
  token: string;
  expiresAt: number;
  consumed: boolean;
}

/**
 * One-time link tokens: short-lived, and used up only by a successful connection
 * (docs/upstream/linking-and-tokens.md#single-use).
 */
export class LinkTokens {
  private tokens = new Map<string, LinkToken>();

  constructor(
    private readonly timeline: Timeline,
    private readonly ids: Ids,
    private readonly settings: Settings,
  ) {}

  /** For a restart (state.ts). */
  keep(): Map<string, LinkToken> {
    return this.tokens;
  }

  restore(kept: Map<string, LinkToken>): void {
    this.tokens = kept;
  }

  create(request: LinkTokenRequest): LinkToken {
    const expiresAt = this.timeline.now() + this.settings.link_token_minutes * MINUTE;
    const token = { ...request, token: this.ids.token('link'), expiresAt, consumed: false };
    this.tokens.set(token.token, token);
    return token;
  }

  /** The token, or the `error_type` if it is refused. */
  check(text: string): LinkToken | 'invalid_token' | 'token_expired' | 'token_consumed' {
    const token = this.tokens.get(text);
    if (token === undefined) return 'invalid_token';
    if (token.consumed) return 'token_consumed';
    return token.expiresAt <= this.timeline.now() ? 'token_expired' : token;
  }
}

/**
 * Where the hosted page finally sends the browser (docs/upstream/linking-and-tokens.md#redirect); null without a
 * `redirect_url`.
 */
export function redirectTarget(token: LinkTokenRequest, error: { type: string; text: string } | null): string | null {
  if (token.redirect_url === undefined || token.redirect_url === null) return null;
  const target = new URL(token.redirect_url);
  target.searchParams.set('state', error === null ? 'success' : 'error');
  if (error !== null) {
    target.searchParams.set('error_type', error.type);
    target.searchParams.set('error', error.text);
  }
  return target.toString();
}
