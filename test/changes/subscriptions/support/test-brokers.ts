import { randomBytes } from 'node:crypto';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect as connectToNats, type NatsConnection } from '@nats-io/transport-node';
import { type Channel, type ChannelModel, connect as connectToAmqp } from 'amqplib';

export interface Stored {
  readonly id: string;
  /** Subject or routing key. */
  readonly route: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A broker of this machine with a stream or queue of the test. */
export interface TestBroker {
  /** URL of a subscription. */
  url(port: number): string;
  /** Makes the stream or queue; `most`: messages that it takes. */
  open(most?: number): Promise<void>;
  /** Everything that it has stored since, in order. */
  stored(): Promise<Stored[]>;
  /** Removes the stream or queue. */
  close(): Promise<void>;
  end(): Promise<void>;
}

export const natsPort = 4222;
export const amqpPort = 5672;

export class TestNats implements TestBroker {
  private readonly name = `test_${randomBytes(6).toString('hex')}`;

  private constructor(
    private readonly connection: NatsConnection,
    private readonly manager: JetStreamManager,
  ) {}

  static async connect(): Promise<TestNats> {
    const connection = await connectToNats({ servers: `127.0.0.1:${natsPort}` });
    return new TestNats(connection, await jetstreamManager(connection));
  }

  url(port: number): string {
    return `nats://127.0.0.1:${port}?prefix=${this.name}`;
  }

  async open(most = -1): Promise<void> {
    const limit = { max_msgs: most, discard: 'new' as const };
    await this.manager.streams.add({ name: this.name, subjects: [`${this.name}.>`], storage: 'memory', ...limit });
  }

  async stored(): Promise<Stored[]> {
    const { state } = await this.manager.streams.info(this.name);
    const all: Stored[] = [];
    for (let seq = state.first_seq; state.messages > 0 && seq <= state.last_seq; seq++) {
      const message = await this.manager.streams.getMessage(this.name, { seq });
      if (!message) continue;
      const headers = Object.fromEntries(message.header.keys().map((key) => [key, message.header.get(key)]));
      const route = message.subject.slice(this.name.length + 1);
      all.push({ id: message.header.get('Nats-Msg-Id'), route, headers, text: message.string() });
    }
    return all;
  }

  async close(): Promise<void> {
    await this.manager.streams.delete(this.name).catch(() => undefined);
  }

  end(): Promise<void> {
    return this.connection.close();
  }
}

export class TestRabbit implements TestBroker {
  private readonly name = `test_${randomBytes(6).toString('hex')}`;
  private readonly taken: Stored[] = [];

  private constructor(
    private readonly connection: ChannelModel,
    private readonly channel: Channel,
  ) {}

  static async connect(): Promise<TestRabbit> {
    const connection = await connectToAmqp(`amqp://guest:guest@127.0.0.1:${amqpPort}`);
    const rabbit = new TestRabbit(connection, await connection.createChannel());
    await rabbit.channel.assertExchange(rabbit.name, 'topic', { durable: false });
    return rabbit;
  }

  url(port: number): string {
    return `amqp://127.0.0.1:${port}/?exchange=${this.name}&prefix=${this.name}`;
  }

  async open(most?: number): Promise<void> {
    const limit = most === undefined ? {} : { 'x-max-length': most, 'x-overflow': 'reject-publish' };
    await this.channel.assertQueue(this.name, { durable: false, arguments: limit });
    await this.channel.bindQueue(this.name, this.name, '#');
  }

  async stored(): Promise<Stored[]> {
    for (;;) {
      const message = await this.channel.get(this.name, { noAck: true });
      if (message === false) return [...this.taken];
      const { fields, properties, content } = message;
      const headers = properties.headers as Record<string, string>;
      const route = fields.routingKey.slice(this.name.length + 1);
      this.taken.push({ id: String(properties.messageId), route, headers, text: content.toString() });
    }
  }

  async close(): Promise<void> {
    this.taken.length = 0;
    await this.channel.deleteQueue(this.name);
  }

  async end(): Promise<void> {
    await this.channel.deleteExchange(this.name);
    await this.connection.close();
  }
}
