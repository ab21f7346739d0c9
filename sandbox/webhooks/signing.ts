import { createHmac } from 'node:crypto';

export type HeaderFamily = 'svix' | 'webhook';

export interface SignedContent {
  id: string;
  /** Time of the attempt in integer seconds since the epoch. */
  timestamp: number;
  body: string;
}

const PREFIX = 'whsec_';

/**
 * docs/upstream/webhooks.md#signature: HMAC-SHA256 over `id.timestamp.body` with the decoded secret, as `v1,<base64>`.
 */
export function sign(secret: string, content: SignedContent): string {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  const signed = `${content.id}.${content.timestamp}.${content.body}`;
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

/** Headers of one attempt, one signature per secret that is still valid. */
export function signatureHeaders(
  family: HeaderFamily,
  secrets: readonly string[],
  content: SignedContent,
): Record<string, string> {
  return {
    [`${family}-id`]: content.id,
    [`${family}-timestamp`]: String(content.timestamp),
    [`${family}-signature`]: secrets.map((secret) => sign(secret, content)).join(' '),
  };
}

/** `whsec_` and base64 of a key long enough to sign with. */
export function isSecret(text: string): boolean {
  const key = text.slice(PREFIX.length);
  return text.startsWith(PREFIX) && /^[A-Za-z0-9+/]+={0,2}$/.test(key) && Buffer.from(key, 'base64').length >= 16;
}
