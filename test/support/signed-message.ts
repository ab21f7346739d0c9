import { createHmac } from 'node:crypto';
import { webhookSecret } from './environment.js';

export interface SignedMessage {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** The headers that upstream would send (docs/upstream/webhooks.md#headers). */
export function signedHeaders(
  id: string,
  at: number,
  body: string | Buffer,
  secret = webhookSecret,
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return { 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': `v1,${signature}` };
}

/** A delivery signed by upstream now. */
export function signedMessage(
  id: string,
  event: object | string,
  secret = webhookSecret,
  at = Date.now(),
): SignedMessage {
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  return { headers: { 'content-type': 'application/json', ...signedHeaders(id, at, body, secret) }, body };
}
