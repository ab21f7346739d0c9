import { createHash, randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';
import type { TestDatabase } from './test-store.js';

/** The time at which every test starts. */
export const START = Date.parse('2026-11-20T12:00:00Z');

export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;

export const appSecret = 'an-app-token-secret-for-tests-only-0123456789';
export const webhookSecret = `whsec_${Buffer.from('a-webhook-secret-for-tests-1').toString('base64')}`;
export const upstreamKey = 'sk_us_sandbox';
/** An address without a listener. */
export const nowhere = 'http://127.0.0.1:9';

/** Admin keys by role; each key is named after its role. */
export const adminKeys = {
  monitor: 'monitor-key',
  viewer: 'viewer-key',
  reader: 'reader-key',
  operator: 'operator-key',
  backend: 'backend-key',
  feed: 'feed-key',
} as const;
export type AdminRole = keyof typeof adminKeys;

export type Environment = Readonly<Record<string, string | undefined>>;

/** True if a path or template is for the customer's app; the other authenticated routes are for keys. */
export const isForApp = (path: string): boolean => /^\/v1\/(?:me|labs)(?:[/?]|$)/.test(path);

/** The environment of a Pulsekeep under test that never calls upstream. */
export function environment<T extends string | undefined = string>(
  more: Readonly<Record<string, T>> = {},
): Record<string, string | T> {
  const keys = Object.entries(adminKeys).map(([role, key]) => `${role}:${role}:${sha256(key)}`);
  return {
    PORT: '0',
    DRAIN_SECONDS: '0',
    UPSTREAM_BASE_URL: nowhere,
    UPSTREAM_API_KEY: upstreamKey,
    UPSTREAM_REGION: 'us',
    UPSTREAM_ENVIRONMENT: 'sandbox',
    UPSTREAM_REQUESTS_PER_SECOND: '10000',
    // The clock stands still, so quotas are never refilled.
    ACCOUNT_REQUESTS_PER_MINUTE: '1000000',
    WEBHOOK_SECRETS: webhookSecret,
    APP_JWT_SECRET: appSecret,
    APP_LINK_REDIRECT_ORIGINS: 'https://app.example.com',
    ADMIN_API_KEYS: keys.join(','),
    // Independent of this machine's disk.
    DISK_LOW_BYTES: '0',
    SYNC_RESOURCES: 'sleep,mindfulness_minutes,blood_pressure',
    LOG_LEVEL: 'debug',
    ...more,
  };
}

/** The environment of a Pulsekeep with a database and an upstream, in this process or another one. */
export function environmentOn<T extends string | undefined = string>(
  { config }: Pick<TestDatabase, 'config'>,
  upstreamUrl: string,
  more: Readonly<Record<string, T>> = {},
): Record<string, string | T> {
  const url = config.kind === 'sqlite' ? `sqlite:${config.path}` : config.url.reveal();
  return environment<string | T>({ DATABASE_URL: url, UPSTREAM_BASE_URL: upstreamUrl, ...more });
}

/** The customer's own access token for one account, valid for ten minutes. */
export function accessToken(accountId: string, atMs = START): Promise<string> {
  const now = Math.floor(atMs / SECOND);
  return new SignJWT({})
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(accountId)
    .setIssuedAt(now)
    .setExpirationTime(now + 600)
    .sign(new TextEncoder().encode(appSecret));
}

/** An id that no other test uses. */
export function newAccountId(prefix = 'user'): string {
  return `${prefix}-${randomBytes(4).toString('hex')}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
