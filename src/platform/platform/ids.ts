import { createHmac, type KeyObject, randomBytes, randomUUID } from 'node:crypto';

declare const kind: unique symbol;

/**
 * Our number for an account: `accounts.id`, called `account_ref` where the row may be gone. Never reused. In log lines,
 * `account_ref` is the account's `log_ref` instead (account-refs.ts).
 */
export type AccountId = number & { readonly [kind]: 'AccountId' };

/**
 * The customer's id for an account: `accounts.account_id`. Upstream's `client_user_id` is this id or a pseudonym of it.
 */
export type ExternalAccountId = string & { readonly [kind]: 'ExternalAccountId' };

/** The 8-4-4-4-12 form of any version, in upper or lower case. */
export const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A name in one of upstream's open lists: a provider, a lab, a source type. */
export const slugPattern = /^[a-z0-9_-]{1,64}$/;

/** A random UUID (version 4) in lower case. */
export function newId(): string {
  return randomUUID();
}

/** A random name for an account in the log, which reveals nothing. */
export function newLogRef(): string {
  return `a_${randomBytes(8).toString('hex')}`;
}

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

const MAX_EXTERNAL_ID_LENGTH = 255;

/** Control characters and lone surrogates; the latter would all be stored as the same replacement character. */
const unstorable = /[\p{Cc}\p{Cs}]/u;

/**
 * True for a valid account id of a customer: 1 to 255 characters that every database stores unambiguously. Not `.` and
 * `..`: clients remove them from a path, so no route could be called about such an account.
 */
export function isExternalAccountId(value: unknown): value is ExternalAccountId {
  if (typeof value !== 'string' || unstorable.test(value) || value === '.' || value === '..') return false;
  return value.length >= 1 && value.length <= MAX_EXTERNAL_ID_LENGTH;
}

const pseudonymPrefix = 'anon_';
const pseudonymPattern = /^anon_[0-9a-f]{64}$/;

/** Pseudonym sent to upstream instead of an account id: deterministic, and computable only with the secret. */
export function pseudonymOf(accountId: string, key: KeyObject): string {
  return `${pseudonymPrefix}${createHmac('sha256', key).update(accountId).digest('hex')}`;
}

/** True for the form of {@link pseudonymOf}, which no account id may have. */
export function isPseudonym(text: string): boolean {
  return pseudonymPattern.test(text);
}
