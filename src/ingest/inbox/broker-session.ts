import { setTimeout as delay } from 'node:timers/promises';
import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import type { AmqpServer } from '../../platform/config/amqp-server.js';
import { type AmqpFault, amqpFaultOf, connectAmqp } from '../../platform/platform/amqp.js';
import { BROKER_LEAVE_MS, BROKER_TIMEOUT_MS, MAX_PREFETCHED } from '../streams/tuning.js';

export interface BrokerHandlers {
  /** Stores a message. Resolves with true once it is durable, or with false if the session ended first. */
  take(message: ConsumeMessage, isOpen: () => boolean): Promise<boolean>;
  /** The session ended, and not by `close`. */
  ended(fault: AmqpFault): void;
}

/** One connection that consumes one queue, until it is lost or closed. It does not connect again. */
export class BrokerSession {
  isOpen = true;
  private readonly taking = new Set<Promise<void>>();

  private constructor(
    private readonly connection: ChannelModel,
    private readonly channel: Channel,
    private readonly handlers: BrokerHandlers,
  ) {}

  /** Rejects if the queue cannot be consumed; see `amqpFaultOf`. */
  static async start(server: AmqpServer, queue: string, handlers: BrokerHandlers): Promise<BrokerSession> {
    const connection = await connectAmqp(server, { timeout: BROKER_TIMEOUT_MS });
    let isStarted = false;
    try {
      const channel = await connection.createChannel();
      const ended = (fault: AmqpFault): void => {
        if (isStarted) handlers.ended(fault);
      };
      const session = new BrokerSession(connection, channel, { ...handlers, ended });
      for (const emitter of [channel, connection]) {
        emitter.on('error', (error) => session.end(amqpFaultOf(error)));
        emitter.on('close', (error?: Error) => session.end(error ? amqpFaultOf(error) : 'unreachable'));
      }
      await channel.prefetch(MAX_PREFETCHED);
      await channel.consume(queue, (message) => session.arrived(message), { consumerTag });
      isStarted = true;
      return session;
    } catch (error) {
      connection.close().catch(() => undefined);
      throw error;
    }
  }

  /** Takes no further messages, acknowledges those that can still be stored, and disconnects. */
  async close(): Promise<void> {
    if (!this.isOpen) return;
    await answered(this.channel.cancel(consumerTag));
    await Promise.all(this.taking);
    this.isOpen = false;
    await answered(this.channel.close());
    await answered(this.connection.close());
  }

  private end(fault: AmqpFault): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.connection.close().catch(() => undefined);
    this.handlers.ended(fault);
  }

  private arrived(message: ConsumeMessage | null): void {
    // The broker ended the consumer, because the queue is gone.
    if (message === null) return this.end('queue_missing');
    const taking = this.handlers
      .take(message, () => this.isOpen)
      .then((isDurable) => {
        // Without this channel, the broker delivers the message again.
        if (isDurable && this.isOpen) this.channel.ack(message);
      });
    this.taking.add(taking);
    void taking.finally(() => this.taking.delete(taking));
  }
}

/** Unique in its channel. */
const consumerTag = 'pulsekeep';

async function answered(call: Promise<unknown>): Promise<void> {
  await Promise.race([call.catch(() => undefined), delay(BROKER_LEAVE_MS, undefined, { ref: false })]);
}
