import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { WebhookConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { recentlyUsed } from '../../platform/platform/recently-used.js';
import type { Checks } from './identity-provider.js';

export const BEGUN_SECONDS = 600;
/** Remembered states of sign-ins that have come back. */
const MAX_USED = 10_000;

export interface Begun extends Checks {
  /** Page of the console to return to. */
  readonly page: string;
}

/*
 * A sign-in that a browser has begun is kept in one cookie for each, so that two tabs do not disturb each other:
 *
 *   state . expiry . page . signature
 *
 * The signature proves that this deployment began it, and nonce and verifier follow from the state and the key, so that
 * no one can make the service call the identity provider with a cookie of his own. A state is good for one return.
 */
@Injectable()
export class BegunSignIns {
  private readonly used = recentlyUsed<string, true>(MAX_USED);

  constructor(
    private readonly config: WebhookConfig,
    private readonly clock: Clock,
  ) {}

  begin(page: string): { readonly begun: Begun; readonly cookie: string } {
    const state = randomBytes(32).toString('base64url');
    const expiresAt = this.clock.now() + BEGUN_SECONDS * 1_000;
    const [key] = this.config.secrets.current;
    if (key === undefined) throw new TypeError('No webhook secret is configured.');
    const text = [state, expiresAt.toString(36), Buffer.from(page).toString('base64url')].join('.');
    return { begun: { ...checksOf(key, state), page }, cookie: `${text}.${derived(key, 'cookie', text)}` };
  }

  /** The sign-in of a cookie, once; null if it was not begun here, is over or has come back already. */
  take(cookie: string, returnedState: string | null): Begun | null {
    const [state = '', expiry = '', page = '', signature = ''] = cookie.split('.');
    const text = [state, expiry, page].join('.');
    const key = this.config.secrets.current.find((one) => isEqual(derived(one, 'cookie', text), signature));
    const isOver = Number.parseInt(expiry, 36) <= this.clock.now();
    if (key === undefined || isOver || state !== returnedState || this.used.has(state)) return null;
    this.used.set(state, true);
    return { ...checksOf(key, state), page: Buffer.from(page, 'base64url').toString('utf8') };
  }
}

function checksOf(key: KeyObject, state: string): Checks {
  return { state, nonce: derived(key, 'nonce', state), verifier: derived(key, 'verifier', state) };
}

/** 43 characters, as a verifier of PKCE needs at least (RFC 7636 section 4.1). */
function derived(key: KeyObject, use: 'cookie' | 'nonce' | 'verifier', text: string): string {
  return createHmac('sha256', key).update(`console sign-in ${use}\n${text}`).digest('base64url');
}

function isEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
