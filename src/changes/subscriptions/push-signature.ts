import { createHmac, type KeyObject } from 'node:crypto';

/*
 * Signatures of pushes by Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 over `id.timestamp.body`,
 * one item for each live secret, so that a receiver with either of the two verifies.
 *
 * Secrets are derived and stored nowhere: the secret of a subscription is the HMAC of its id and the number of the
 * secret, under a key of PUSH_SIGNING_KEYS. A table or a backup holds only that number and the mark of the key.
 */

/** Names the secret of a subscription without containing it. */
export interface SecretName {
  readonly subscription: string;
  /** Counts up with each rotation. */
  readonly number: number;
  /** {@link markOf} of the key it is derived from. */
  readonly keyMark: string;
}

export interface Signed {
  readonly id: string;
  /** Time of the attempt, in epoch milliseconds. */
  readonly at: number;
  readonly body: string;
}

const MARK_LENGTH = 16;

/** Tells keys apart; nothing about the key follows from it. */
export function markOf(key: KeyObject): string {
  return createHmac('sha256', key).update('mark').digest('hex').slice(0, MARK_LENGTH);
}

/** The 32 bytes of a secret; null if its key is not configured. */
export function secretBytes({ subscription, number, keyMark }: SecretName, keys: readonly KeyObject[]): Buffer | null {
  const key = keys.find((each) => markOf(each) === keyMark);
  return key ? createHmac('sha256', key).update(`secret.${subscription}.${number}`).digest() : null;
}

/** The form in which libraries of Standard Webhooks take a secret. */
export function secretText(bytes: Buffer): string {
  return `whsec_${bytes.toString('base64')}`;
}

export function signatureHeaders({ id, at, body }: Signed, secrets: readonly Buffer[]): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000));
  const items = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': items.join(' ') };
}
