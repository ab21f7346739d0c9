import { randomBytes } from 'node:crypto';
import { type ChannelModel, type ConfirmChannel, connect, type Options } from 'amqplib';

export const rabbit = { port: 5672, login: 'guest:guest' };

/** A queue of the RabbitMQ of this machine, to which the test publishes as upstream does. */
export class UpstreamBroker {
  private constructor(
    readonly queue: string,
    private readonly connection: ChannelModel,
    private readonly channel: ConfirmChannel,
  ) {}

  static async connect(): Promise<UpstreamBroker> {
    const connection = await connect(`amqp://${rabbit.login}@127.0.0.1:${rabbit.port}`);
    const broker = new UpstreamBroker(
      `test_${randomBytes(6).toString('hex')}`,
      connection,
      await connection.createConfirmChannel(),
    );
    await broker.open();
    return broker;
  }

  async open(options: Options.AssertQueue = {}): Promise<void> {
    await this.channel.assertQueue(this.queue, { durable: true, ...options });
  }

  /** Resolves once the broker has the message. The routing key is the event type, so it goes through an exchange. */
  async publish(type: string, body: string | Buffer, options: Options.Publish = {}): Promise<void> {
    const exchange = `${this.queue}_events`;
    await this.channel.assertExchange(exchange, 'topic', { durable: false, autoDelete: true });
    await this.channel.bindQueue(this.queue, exchange, '#');
    this.channel.publish(exchange, type, Buffer.from(body), {
      contentType: 'application/json',
      mandatory: true,
      ...options,
    });
    await this.channel.waitForConfirms();
  }

  /** Messages that wait in the queue, without those that were delivered and not acknowledged. */
  async waiting(): Promise<number> {
    return (await this.channel.checkQueue(this.queue)).messageCount;
  }

  async remove(): Promise<void> {
    await this.channel.deleteQueue(this.queue);
  }

  async end(): Promise<void> {
    await this.remove();
    await this.connection.close();
  }
}
