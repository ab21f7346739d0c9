// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { gzipSync } from 'node:zlib';
import { SampleEntity } from '../../../src/health/records/record.entity.js';
import { BrokerWorker } from '../../../src/ingest/inbox/broker.worker.js';
import { BrokerSession } from '../../../src/ingest/inbox/broker-session.js';
import { AlarmsWorker } from '../../../src/operations/alarms/alarms.worker.js';
import type { OverviewDto } from '../../../src/operations/overview/overview.dto.js';
import { ReadinessService } from '../../../src/operations/probes/readiness.service.js';
import { AmqpServer } from '../../../src/platform/config/amqp-server.js';
import { type Certificate, selfSigned } from '../../support/certificate.js';
import { listens } from '../../support/listens.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { TestApp } from '../../support/test-app.js';
import { TlsFront } from '../../support/tls-front.js';
import { until } from '../../support/until.js';
import { countOf, deliver, emptyInbox, messagesOf, processed, withoutTable } from './support/deliveries.js';
import { rabbit, UpstreamBroker } from './support/upstream-broker.js';

const MAX_BYTES = 20_000;
const isThere = listens(rabbit.port);
const certificate = selfSigned();

async function appOn(url: string, queue = 'events', more: Record<string, string> = {}): Promise<TestApp> {
  const env = { WEBHOOK_AMQP_URL: url, WEBHOOK_AMQP_QUEUE: queue, WEBHOOK_MAX_BYTES: String(MAX_BYTES), ...more };
  return TestApp.create({ env, webhooks: false });
}

const tick = async (app: TestApp): Promise<void> => app.get(BrokerWorker).loop?.runUntilIdle();
const reason = (app: TestApp): unknown => {
  const lines = app.logs.map((line) => JSON.parse(line) as Record<string, unknown>);
  return lines.findLast(({ event }) => event === 'inbox.broker_not_consuming')?.['reason'];
};
const isConsumed = async (app: TestApp): Promise<readonly unknown[]> => [
  app.get(ReadinessService).broker(),
  (await app.admin<OverviewDto>('GET', '/overview')).body.inbox.broker_consumed,
  await app.metric('broker_consuming'),
];
const alarms = async (app: TestApp): Promise<string[]> => {
  await app.run(AlarmsWorker);
  return (await app.admin<{ data: { code: string }[] }>('GET', '/alarms')).body.data.map(({ code }) => code);
};

// A newcomer's machine need not have RabbitMQ on 127.0.0.1:5672.
(isThere ? describe : describe.skip)('messages of the broker', () => {
  let broker: UpstreamBroker;
  let network: TcpProxy;
  let app: TestApp;
  let user: string;

  beforeAll(async () => {
    broker = await UpstreamBroker.connect();
    network = await TcpProxy.to('127.0.0.1', rabbit.port);
    app = await appOn(`amqp://${rabbit.login}@127.0.0.1:${network.port}/`, broker.queue);
    user = (await app.as<{ user_id: string }>('anna', 'POST', '/me/sign-in-token', {})).body.user_id;
  });

  beforeEach(async () => {
    await broker.open();
    await tick(app);
    // What a test before this one left unacknowledged would come again once its connection is cut.
    await until(async () => (await broker.waiting()) === 0);
    await acknowledged();
    await emptyInbox(app);
  });

  afterAll(async () => {
    await app.close();
    await network.close();
    await broker.end();
  });

  const type = 'daily.data.steps.created';
  const steps = (value: number, more: object = {}): string => {
    const point = {
      timestamp: '2026-01-05T10:00:00+00:00',
      start: '2026-01-05T09:00:00+00:00',
      end: '2026-01-05T10:00:00+00:00',
    };
    const data = { source: { provider: 'oura', type: 'ring' }, data: [{ ...point, unit: 'count', value }] };
    return JSON.stringify({ event_type: type, user_id: user, client_user_id: 'anna', data, ...more });
  };
  const stored = async (count: number): Promise<void> =>
    until(async () => (await messagesOf(app).all()).length >= count);
  /** Ends the connection, and returns once this process has noticed. */
  const cut = async (): Promise<void> => {
    network.reset();
    await until(async () => (await app.metric('broker_consuming')) === 0);
  };
  /** Resolves once the broker has every acknowledgement: its answer on the same channel comes after them. */
  const acknowledged = async (): Promise<void> => {
    const session = app.get(BrokerWorker)['session'];
    if (!session) throw new Error('Nothing is consumed.');
    await Promise.all(session['taking']);
    await session['channel'].checkQueue(broker.queue);
  };
  const values = async (): Promise<number[]> => (await app.table(SampleEntity).all()).map(({ value }) => Number(value));
  const changes = (): Promise<number> => countOf(app, 'pending_changes');

  it('enter by the inbox, plain and compressed, and are acknowledged once they are durable [webhooks#messages-of-the-broker]', async () => {
    await broker.publish(type, steps(100), { messageId: 'a' });
    const packed = gzipSync(steps(200));
    // The sign of compression is a property in AMQP; a header of the same name and none at all are understood too.
    await broker.publish(type, packed, { messageId: 'b', contentEncoding: 'gzip' });
    await broker.publish(type, packed, { messageId: 'c', headers: { 'Content-Encoding': 'gzip' } });
    await broker.publish(type, packed, { messageId: 'd', timestamp: Math.floor(app.clock.now() / 1_000) - 60 });
    await stored(4);
    const all = await messagesOf(app).all();
    expect(all.map(({ size }) => size)).toEqual([100, 200, 200, 200].map((value) => steps(value).length));
    expect(all.map(({ sent_at, received_at }) => received_at - sent_at)).toEqual([0, 0, 0, expect.any(Number)]);
    await processed(app);
    expect((await messagesOf(app).all()).map(({ status }) => status)).toEqual(['done', 'done', 'done', 'done']);
    expect(await values()).toEqual([200]);
    expect(await isConsumed(app)).toEqual(['consuming', true, 1]);
    await acknowledged();
    await cut();
    expect(await broker.waiting()).toBe(0);
  });

  it('are stored once under one id, and each on its own without an id, which changes nothing twice', async () => {
    await broker.publish(type, steps(300), { messageId: 'a' });
    await broker.publish(type, steps(300), { messageId: 'a' });
    await broker.publish('labtest.order.updated', steps(300), { messageId: 'a' });
    await broker.publish(type, steps(301), { messageId: 'a' });
    await stored(3);
    await broker.publish(type, steps(302));
    await broker.publish(type, steps(303));
    await broker.publish(type, steps(302));
    await stored(6);
    await processed(app);
    expect(await messagesOf(app).all()).toHaveLength(6);
    // A value that changed back is news, although the bytes are the same.
    expect(await values()).toEqual([302]);
  });

  it('change nothing twice while webhooks bring them too', async () => {
    expect(await deliver(app, steps(400), { id: 'msg_both' })).toBe(204);
    await processed(app);
    const before = await changes();
    await broker.publish(type, steps(400), { messageId: 'msg_both' });
    await broker.publish(type, steps(400), { messageId: 'another' });
    await broker.publish(type, steps(400));
    await stored(3);
    await processed(app);
    expect((await messagesOf(app).all()).map(({ message_id }) => message_id.slice(0, 5)).toSorted()).toEqual([
      'amqp_',
      'amqp_',
      'msg_b',
    ]);
    expect([await values(), await changes()]).toEqual([[400], before]);
  });

  it('are delivered again and stored once if the connection dies between commit and acknowledgement', async () => {
    network.silence('to_server');
    await broker.publish(type, steps(500), { messageId: 'killed' });
    await stored(1);
    await cut();
    network.mend();
    await until(async () => (await broker.waiting()) === 1);
    await tick(app);
    await until(async () => (await broker.waiting()) === 0);
    await until(async () => (await app.metric('messages_duplicate_total')) > 0);
    expect(await messagesOf(app).all()).toHaveLength(1);
  });

  it('that cannot be used are dead here, and never come again', async () => {
    const packed = gzipSync(steps(1));
    const damaged = Buffer.concat([packed.subarray(0, 40), Buffer.alloc(20, 7)]);
    const cases: [string, string | Buffer, string][] = [
      ['damaged', damaged, 'dead damaged_gzip'],
      ['bomb', gzipSync(Buffer.alloc(50_000_000, 32)), 'dead too_large'],
      ['large', steps(1, { padding: 'x'.repeat(MAX_BYTES) }), 'dead too_large'],
      ['nested', '['.repeat(200), 'dead nested_too_deep'],
      ['not-json', '<xml/>', 'ignored not_json'],
      ['empty', '', 'ignored not_json'],
      ['no-type', '{}', 'ignored no_event_type'],
      ['foreign', '{"event_type":"something.else"}', 'ignored unknown_event'],
    ];
    for (const [messageId, body] of cases) {
      await broker.publish(type, body, { messageId: `msg_${messageId}`, contentEncoding: 'gzip' });
    }
    await stored(cases.length);
    await processed(app);
    const found = await messagesOf(app).all();
    const outcomes = new Map(found.map(({ message_id, status, reason: why }) => [message_id, `${status} ${why}`]));
    expect(cases.map(([id]) => outcomes.get(`msg_${id}`))).toEqual(cases.map(([, , outcome]) => outcome));
    await acknowledged();
    await cut();
    expect(await broker.waiting()).toBe(0);
    await tick(app);
    expect([await broker.waiting(), (await messagesOf(app).all()).length]).toEqual([0, cases.length]);
    expect(await alarms(app)).toContain('dead_messages');
  });

  it('that were too large are applied by a replay once they may be', async () => {
    const { queue } = broker;
    const url = `amqp://${rabbit.login}@127.0.0.1:${network.port}/`;
    await broker.publish(type, gzipSync(steps(600, { padding: 'x'.repeat(MAX_BYTES) })), { messageId: 'msg_large' });
    await stored(1);
    await processed(app);
    const larger = { WEBHOOK_AMQP_URL: url, WEBHOOK_AMQP_QUEUE: queue, WEBHOOK_MAX_BYTES: String(2 * MAX_BYTES) };
    const other = await app.another({ env: larger });
    expect((await other.admin('POST', '/messages/msg_large/replay')).status).toBeLessThan(300);
    await processed(other);
    expect(await values()).toEqual([600]);
  });

  it('wait without acknowledgement while the store refuses them, and the broker keeps them', async () => {
    const mend = await withoutTable(app, 'message_bodies');
    await broker.publish(type, steps(700), { messageId: 'held' });
    await until(async () => (await app.metric('messages_received_total', { outcome: 'storage_unavailable' })) > 0);
    const before = await app.metric('messages_received_total', { outcome: 'storage_unavailable' });
    await tick(app);
    await until(async () => (await app.metric('messages_received_total', { outcome: 'storage_unavailable' })) > before);
    expect(await countOf(app, 'messages')).toBe(0);
    await mend();
    await tick(app);
    await stored(1);
    await acknowledged();
    await cut();
    expect(await broker.waiting()).toBe(0);
    await tick(app);
  });

  it('come again after the broker, the network or the queue was away, and the alarm says so meanwhile', async () => {
    network.cut();
    await until(async () => (await app.metric('broker_consuming')) === 0);
    await tick(app);
    expect(reason(app)).toBe('unreachable');
    expect(await isConsumed(app)).toEqual(['not_consuming', false, 0]);
    app.clock.advance(59_000);
    expect(await alarms(app)).not.toContain('broker_not_consuming');
    app.clock.advance(2_000);
    await tick(app);
    expect(await alarms(app)).toContain('broker_not_consuming');
    await broker.publish(type, steps(800), { messageId: 'later' });
    network.mend();
    await tick(app);
    await stored(1);
    expect(await alarms(app)).not.toContain('broker_not_consuming');

    await broker.remove();
    await until(async () => (await app.metric('broker_consuming')) === 0);
    expect(reason(app)).toBe('queue_missing');
    await tick(app);
    expect(await isConsumed(app)).toEqual(['not_consuming', false, 0]);
    await broker.open();
    await broker.publish(type, steps(801), { messageId: 'again' });
    await tick(app);
    await stored(2);
  });

  it('are neither lost nor doubled by a quorum queue that lets them come back once', async () => {
    const own = await UpstreamBroker.connect();
    await own.remove();
    await own.open({ arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': 1 } });
    const url = `amqp://${rabbit.login}@127.0.0.1:${rabbit.port}/`;
    const first = await appOn(url, own.queue);
    await tick(first);
    const mend = await withoutTable(first, 'message_bodies');
    await own.publish(type, steps(900), { messageId: 'quorum' });
    for (let round = 1; round <= 3; round++) {
      const refused = { outcome: 'storage_unavailable' };
      await until(async () => (await first.metric('messages_received_total', refused)) >= round);
      await tick(first);
    }
    await first.get(BrokerWorker).onModuleDestroy();
    await mend();
    await first.close();
    await until(async () => (await own.waiting()) === 1);
    const second = await appOn(url, own.queue);
    await tick(second);
    await until(async () => (await countOf(second, 'messages')) === 1);
    await second.get(BrokerWorker).onModuleDestroy();
    expect([await countOf(second, 'messages'), await own.waiting()]).toEqual([1, 0]);
    await second.close();
    await own.end();
  });

  it('in hand are stored and acknowledged when the process stops, and the rest stays with the broker', async () => {
    const own = await UpstreamBroker.connect();
    const stopping = await appOn(`amqp://${rabbit.login}@127.0.0.1:${rabbit.port}/`, own.queue);
    await tick(stopping);
    const count = 200;
    for (let turn = 0; turn < count; turn++) await own.publish(type, steps(turn), { messageId: `m${turn}` });
    await until(async () => (await countOf(stopping, 'messages')) > 0);
    await Promise.all([
      stopping.get(BrokerWorker).onModuleDestroy(),
      own.publish(type, steps(0), { messageId: 'last' }),
    ]);
    const messages = await countOf(stopping, 'messages');
    expect(messages + (await own.waiting())).toBe(count + 1);
    await stopping.close();
    await own.end();
  });

  it('are consumed again after the broker closed the channel, as for a consumer timeout', async () => {
    const server = AmqpServer.read(`amqp://${rabbit.login}@127.0.0.1:${rabbit.port}/`);
    if (!server) throw new Error('not an address');
    const own = await UpstreamBroker.connect();
    await own.publish(type, '{}');
    const ended = await new Promise((resolve) => {
      const session = BrokerSession.start(server, own.queue, {
        take: async (message) => {
          // A second acknowledgement of one message closes the channel with the code of a consumer timeout (406).
          (await session)['channel'].ack(message);
          return true;
        },
        ended: resolve,
      });
    });
    expect(ended).toBe('closed');
    await own.end();
  });

  // There is no certificate without openssl.
  (certificate ? it : it.skip)('are consumed over TLS only if the certificate is trusted', async () => {
    const front = await TlsFront.of(rabbit.port, certificate as Certificate);
    const other = await appOn(`amqps://${rabbit.login}@localhost:${front.port}/`, broker.queue);
    await tick(other);
    expect(reason(other)).toBe('certificate_refused');
    await other.close();
    await front.close();
  });

  it.each([
    ['login_refused', 'amqp://guest:a-marked-password@127.0.0.1:5672/', 'events'],
    ['login_refused', `amqp://${rabbit.login}@127.0.0.1:5672/no-such-host`, 'events'],
    ['queue_missing', `amqp://${rabbit.login}@127.0.0.1:5672/`, 'no-such-queue'],
  ])('name why they are not consumed: %s', async (expected, url, queue) => {
    const other = await appOn(url, queue);
    await tick(other);
    expect(reason(other)).toBe(expected);
    expect(other.logs.join('')).not.toContain('marked');
    expect(await isConsumed(other)).toEqual(['not_consuming', false, 0]);
    await other.close();
  });
});

describe('a service whose broker is away', () => {
  it('starts, serves and accepts webhooks, says so, and logs no password', async () => {
    const nobody = await TcpProxy.to('127.0.0.1', 1);
    const app = await appOn(`amqp://someone:a-marked-password@127.0.0.1:${nobody.port}/`);
    await tick(app);
    expect(reason(app)).toBe('unreachable');
    expect(await deliver(app, {})).toBe(204);
    expect(await isConsumed(app)).toEqual(['not_consuming', false, 0]);
    expect(app.logs.join('')).not.toMatch(/marked|someone/);
    await app.close();
    await nobody.close();
  });

  it('is not meant to consume without the variables', async () => {
    const app = await TestApp.create({ webhooks: false });
    expect(await isConsumed(app)).toEqual([undefined, null, 0]);
    await app.close();
  });
});
