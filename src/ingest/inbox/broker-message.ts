import { createHash, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { ConsumeMessage } from 'amqplib';
import { isGzip } from '../events/named-ids.js';
import type { Delivery } from './inbox.repository.js';

const unpack = promisify(gunzip);

/** Ids of this form are of upstream's webhook engine, and unique (docs/upstream/webhooks.md#headers). */
const engineId = /^msg_[\x21-\x7e]{1,251}$/;

/**
 * The JSON of a body, which the broker may send compressed, by its bytes: a header can be missing, and JSON never
 * begins like gzip (docs/upstream/webhooks.md#messages-of-the-broker). `too_large`: longer than `maxBytes`.
 */
export async function plainBody(body: Buffer, maxBytes: number): Promise<Buffer | 'too_large' | 'damaged_gzip'> {
  if (!isGzip(body)) return body.length > maxBytes ? 'too_large' : body;
  try {
    return await unpack(body, { maxOutputLength: maxBytes });
  } catch (error) {
    return (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'damaged_gzip';
  }
}

/**
 * A message of the broker as a delivery. A body that cannot be unpacked stays as it came; the inbox worker finds that
 * out again, and the message is dead.
 */
export async function deliveryOf(message: ConsumeMessage, receivedAt: number, maxBytes: number): Promise<Delivery> {
  const plain = await plainBody(message.content, maxBytes);
  const body = typeof plain === 'string' ? message.content : plain;
  const { timestamp } = message.properties as { timestamp?: unknown };
  const sentAt = Number(timestamp) * 1_000;
  return {
    messageId: idOf(message, body),
    receivedAt,
    sentAt: sentAt > 0 && sentAt <= receivedAt ? sentAt : receivedAt,
    body,
  };
}

/**
 * The same for every delivery of a message with an id. Other ids than those of the engine may repeat between users and
 * event types, so the event type (the routing key) and the body are part of it. Without an id, each delivery counts as
 * a message of its own: equal bytes may be news, if the value has changed twice.
 */
function idOf({ properties, fields }: ConsumeMessage, body: Buffer): string {
  const { messageId } = properties as { messageId?: unknown };
  if (typeof messageId !== 'string' || messageId === '') return `amqp_${randomUUID()}`;
  if (engineId.test(messageId)) return messageId;
  const digest = createHash('sha256')
    .update(`${JSON.stringify([messageId, fields.routingKey])}\n`)
    .update(body);
  return `amqp_${digest.digest('hex')}`;
}
