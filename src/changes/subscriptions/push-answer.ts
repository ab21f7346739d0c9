import { isTlsFailure } from '../../platform/platform/amqp.js';
import { DAY_MS, parseHttpDate } from '../../platform/platform/time.js';

/** Why a push failed. */
export const pushErrors = [
  /** The response is not a 2xx, and none of the cases below. */
  'status',
  /** The response is a redirect, which is not followed. */
  'redirect',
  /** 410: the receiver refuses all further pushes. */
  'gone',
  'timeout',
  /** The connection failed, or the name could not be resolved at the moment. */
  'connection',
  /** The name does not exist. */
  'name_unknown',
  /** The certificate was not accepted. */
  'tls',
  /** A broker has no stream or queue for it, or no such exchange. */
  'unroutable',
  /** A broker could not store it, for example because the stream or queue is full. */
  'broker_refused',
  /** A broker does not accept the login, or does not let it publish there. */
  'login_refused',
  /** The address is not public and not allowed. */
  'address_refused',
  /** The key in PUSH_SIGNING_KEYS that the secret is derived from is not configured. */
  'signing_key_missing',
  /** PAGERDUTY_ROUTING_KEY is not configured. */
  'routing_key_missing',
  /** The change is no longer in the feed. */
  'expired',
] as const;
export type PushError = (typeof pushErrors)[number];

export interface PushAnswer {
  /** Null if it arrived. */
  readonly error: PushError | null;
  /** Null without a response. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Pause requested by the receiver. */
  readonly retryAfterMs?: number | undefined;
}

/** Limits Retry-After, so that one wrong header cannot stop pushes forever. */
const MAX_RETRY_AFTER_MS = DAY_MS;

export function errorOfStatus(status: number): PushError | null {
  if (status >= 200 && status < 300) return null;
  if (status === 410) return 'gone';
  return status >= 300 && status < 400 ? 'redirect' : 'status';
}

/** `Retry-After` as seconds or a date, in milliseconds from `now`; undefined if it cannot be read. */
export function retryAfterOf(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const date = parseHttpDate(header);
  const wish = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : date === null ? undefined : date - now;
  return wish === undefined ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, wish));
}

/** The error of a request without a response. */
export function errorOfFailure(error: unknown): PushError {
  const { name, code: given } = error as { name?: string; code?: unknown };
  const code = typeof given === 'string' ? given : '';
  if (name === 'AddressRefused') return 'address_refused';
  if (code === 'ENOTFOUND') return 'name_unknown';
  return isTlsFailure(code) ? 'tls' : 'connection';
}
