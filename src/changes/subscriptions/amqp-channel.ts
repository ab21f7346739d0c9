import { AmqpServer } from '../../platform/config/amqp-server.js';
import { Secret } from '../../platform/config/secret.js';
import { ACCESS_REFUSED, connectAmqp, NOT_FOUND } from '../../platform/platform/amqp.js';
import { attributes, type BrokerChannel, type Connecting } from './broker-channel.js';
import type { PushError } from './push-answer.js';

/**
 * Opens a channel to RabbitMQ with publisher confirms. A message that no queue takes comes back before its
 * confirmation.
 */
export async function openAmqp({ address, login, lookup, timeoutMs }: Connecting): Promise<BrokerChannel> {
  const { exchange, prefix } = address;
  const identity = { user: login?.user ?? 'guest', password: login?.password ?? new Secret('guest') };
  const connection = await connectAmqp(new AmqpServer({ ...address, ...identity }), { lookup, timeout: timeoutMs });
  let isOpen = true;
  let closedBy: Error & { code?: unknown } = new Error('closed');
  const closed = (error?: Error): void => {
    isOpen = false;
    closedBy = error ?? closedBy;
  };
  connection.on('error', closed);
  connection.on('close', closed);
  const channel = await connection.createConfirmChannel();
  channel.on('error', closed);
  const returned = new Set<string>();
  channel.on('return', ({ properties }) => void returned.add(String(properties.messageId)));
  const refusal = (): PushError | Error => {
    if (closedBy.code === NOT_FOUND) return 'unroutable';
    if (closedBy.code === ACCESS_REFUSED) return 'login_refused';
    return isOpen ? 'broker_refused' : closedBy;
  };
  const close = (): void => {
    isOpen = false;
    connection.close().catch(() => undefined);
  };
  channel.on('close', close);
  return {
    publish: ({ id, route, body, contentType, headers, event }) =>
      new Promise((resolve, reject) => {
        const settled = (error: unknown): void => {
          const outcome = error ? refusal() : returned.delete(id) ? 'unroutable' : null;
          if (outcome instanceof Error) reject(outcome);
          else resolve(outcome);
        };
        channel.publish(
          exchange,
          `${prefix}.${route}`,
          Buffer.from(body),
          {
            ...{ messageId: id, mandatory: true, persistent: true, contentType },
            headers: { ...headers, ...attributes(event, 'cloudEvents_') },
          },
          settled,
        );
      }),
    get isOpen() {
      return isOpen;
    },
    close,
  };
}
