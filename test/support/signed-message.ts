import { createHmac } from 'node:crypto';
import { webhookSecret } from './environment.js';

export interface SignedMessage {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A delivery as upstream signs it now. */
export function signedMessage(
  id: string,
  event: object | string,
  secret = webhookSecret,
  at = Date.now(),
): SignedMessage {
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  const timestamp = String(Math.floor(at / 1000));
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    headers: {
      'content-type': 'application/json',
      'svix-id': id,
      'svix-timestamp': timestamp,
      'svix-signature': `v1,${signature}`,
    },
    body,
  };
}
