import { createHmac, type KeyObject, randomBytes, randomUUID } from 'node:crypto';

declare const kind: unique symbol;

/**
 * Our number of an account: `accounts.id`, called `account_ref` where the row may be gone. Never given out again.
 * In lines of the log `account_ref` is the account's `log_ref` instead (log-output/account-refs.ts).
 */
export type AccountId = number & { readonly [kind]: 'AccountId' };

/** The customer's id of an account: `accounts.account_id`; upstream's `client_user_id`, unless a pseudonym is. */
export type ExternalAccountId = string & { readonly [kind]: 'ExternalAccountId' };

/** The 8-4-4-4-12 form of any version, in either case. */
export const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A name in one of upstream's open lists: of a provider, a lab, a source type. */
export const slugPattern = /^[a-z0-9_-]{1,64}$/;

/** A random uuid (version 4), lower case. */
export function newId(): string {
  return randomUUID();
}

/** A random name of an account for the log, of which nothing follows. */
export function newLogRef(): string {
  return `a_${randomBytes(8).toString('hex')}`;
}

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

const MAX_EXTERNAL_ID_LENGTH = 255;

/** Control characters, and halves of characters that would all be stored as the same mark. */
const unstorable = /[\p{Cc}\p{Cs}]/u;

/**
 * True for what can be a customer's account id: 1 to 255 characters that every store keeps apart from any other text.
 */
export function isExternalAccountId(value: unknown): value is ExternalAccountId {
  if (typeof value !== 'string' || unstorable.test(value)) return false;
  return value.length >= 1 && value.length <= MAX_EXTERNAL_ID_LENGTH;
}

const pseudonymPrefix = 'anon_';
const pseudonymPattern = /^anon_[0-9a-f]{64}$/;

/** Pseudonym sent to upstream instead of an account id: deterministic, and only computable with the secret. */
export function pseudonymOf(accountId: string, key: KeyObject): string {
  return `${pseudonymPrefix}${createHmac('sha256', key).update(accountId).digest('hex')}`;
}

/** True for the form of {@link pseudonymOf}, which no account id may have. */
export function isPseudonym(text: string): boolean {
  return pseudonymPattern.test(text);
}
