import type { WebhookConfig } from '../../platform/config/config.js';
import { type AmqpFault, amqpFaultOf, connectAmqp } from '../../platform/platform/amqp.js';
import { CHECK_TIMEOUT_MS } from '../alarms/tuning.js';
import { type Check, place } from './check.js';

const broker = place('broker');

const reasons: Readonly<Record<AmqpFault, string>> = {
  login_refused: 'refuses the user, the password or the virtual host of WEBHOOK_AMQP_URL',
  queue_missing: 'has no queue of the name in WEBHOOK_AMQP_QUEUE',
  queue_refused: 'refuses access to WEBHOOK_AMQP_QUEUE',
  certificate_refused: 'has a certificate that is not trusted; NODE_EXTRA_CA_CERTS names further authorities',
  closed: 'closes the connection',
  unreachable: 'cannot be reached',
};

/** Connects to the broker and looks at its queue, without consuming. */
export async function brokerCheck({ amqpServer: server, amqpQueue: queue }: WebhookConfig): Promise<Check> {
  if (!server || queue === undefined) return broker.skipped('WEBHOOK_AMQP_URL is not set.');
  try {
    const connection = await connectAmqp(server, { timeout: CHECK_TIMEOUT_MS });
    try {
      const channel = await connection.createChannel();
      channel.on('error', () => undefined);
      const { messageCount, consumerCount } = await channel.checkQueue(queue);
      const consumers = consumerCount === 1 ? '1 process consumes' : `${consumerCount} processes consume`;
      return broker.ok(`${consumers} the queue on ${server.host}; ${messageCount} messages wait in it.`);
    } finally {
      connection.close().catch(() => undefined);
    }
  } catch (error) {
    return broker.bad(`${server.host} ${reasons[amqpFaultOf(error)]}.`);
  }
}
