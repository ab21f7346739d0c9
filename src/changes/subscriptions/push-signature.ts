import { createHmac, type KeyObject } from 'node:crypto';

/*
 * Signatures of pushes according to Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 over
 * `id.timestamp.body`, one signature for each live secret, so that a receiver can verify with either.
 *
 * Secrets are derived, never stored: the secret of a subscription is the HMAC of its id and the number of the secret,
 * with a key of PUSH_SIGNING_KEYS. Tables and backups contain only that number and the mark of the key.
 */

/** Identifies the secret of a subscription without containing it. */
export interface SecretName {
  readonly subscription: string;
  /** Increases with each rotation. */
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

/** Identifies a key without revealing anything about it. */
export function markOf(key: KeyObject): string {
  return createHmac('sha256', key).update('mark').digest('hex').slice(0, MARK_LENGTH);
}

/** The 32 bytes of a secret; null if its key is not configured. */
export function secretBytes({ subscription, number, keyMark }: SecretName, keys: readonly KeyObject[]): Buffer | null {
  const key = keys.find((each) => markOf(each) === keyMark);
  return key ? createHmac('sha256', key).update(`secret.${subscription}.${number}`).digest() : null;
}

/** The secret in the format that Standard Webhooks libraries expect. */
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
