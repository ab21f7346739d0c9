import { Webhook } from 'standardwebhooks';
import { AccountEntity } from '../../../src/accounts/accounts/account.entity.js';
import { BrokerClient } from '../../../src/changes/subscriptions/broker.client.js';
import { PushWorker } from '../../../src/changes/subscriptions/push.worker.js';
import { PushLanesWorker } from '../../../src/changes/subscriptions/push-lanes.worker.js';
import type { PushDto, PushTestDto, SubscriptionDto } from '../../../src/changes/subscriptions/subscriptions.dto.js';
import type { NewChange } from '../../../src/storage/change-log/change.js';
import { noteChanges } from '../../../src/storage/change-log/note-changes.js';
import { SequencerWorker } from '../../../src/storage/change-log/sequencer.worker.js';
import { HOUR } from '../../support/environment.js';
import { FakeClock } from '../../support/fake-clock.js';
import { listens } from '../../support/listens.js';
import { TestApp } from '../../support/test-app.js';
import { BrokerProxy } from './support/broker-proxy.js';
import { amqpPort, natsPort, type Stored, type TestBroker, TestNats, TestRabbit } from './support/test-brokers.js';

type Shown = SubscriptionDto & { secret: string };

const key = 'a-key-of-pushes-for-tests-only-0123456789';
const people = ['anna', 'ben', 'cleo'] as const;
type Person = (typeof people)[number];

let app: TestApp;
const ids = new Map<string, number>();

beforeAll(async () => {
  const logins = `amqp://nobody:wrong@localhost:${amqpPort}`;
  const env = { PUSH_SIGNING_KEYS: key, PUSH_ALLOWED_NETWORKS: '127.0.0.1', PUSH_BROKER_LOGINS: logins };
  app = await TestApp.create({ env, clock: new FakeClock(new Date().getTime()), webhooks: false });
  for (const person of people) {
    await app.admin('POST', '/accounts', { account_id: person });
    ids.set(person, (await app.table(AccountEntity, 'account_id').byId(person)).id);
  }
});

afterAll(() => app.close());

beforeEach(() => app.run(SequencerWorker));

afterEach(async () => {
  const { body } = await app.admin<{ data: SubscriptionDto[] }>('GET', '/subscriptions');
  for (const { subscription_id } of body.data) await app.admin('DELETE', `/subscriptions/${subscription_id}`);
});

async function subscribe(url: string, more: object = {}): Promise<Shown> {
  const made = await app.admin<Shown>('POST', '/subscriptions', { url, kinds: ['summary', 'order'], ...more });
  expect([made.status, made.body]).toEqual([201, expect.objectContaining({ state: 'active' })]);
  return made.body;
}

const shown = async ({ subscription_id }: Shown): Promise<SubscriptionDto> =>
  (await app.admin<SubscriptionDto>('GET', `/subscriptions/${subscription_id}`)).body;
const pushes = async ({ subscription_id }: Shown): Promise<PushDto[]> =>
  (await app.admin<{ data: PushDto[] }>('GET', `/subscriptions/${subscription_id}/pushes?limit=200`)).body.data;
const tested = async ({ subscription_id }: Shown): Promise<PushTestDto> =>
  (await app.admin<PushTestDto>('POST', `/subscriptions/${subscription_id}/test`)).body;

const change = (person: Person, subject: string, more: Partial<NewChange> = {}): NewChange => ({
  ...{ kind: 'summary', action: 'created', account: ids.get(person) ?? 0, subject, resource: 'sleep' },
  ...more,
});

async function note(...changes: NewChange[]): Promise<void> {
  await app.store.lane.run((tx) => noteChanges(tx, changes, app.clock.now()));
  await app.run(SequencerWorker);
}

async function later(ms: number): Promise<void> {
  app.clock.advance(ms);
  await app.run(PushWorker);
  await app.run(PushLanesWorker);
}

interface Body {
  readonly type: string;
  readonly data: { readonly subject: string; readonly account_id: string };
}
const bodyOf = ({ text }: Stored): Body => JSON.parse(text) as Body;

describe.each([
  { name: 'NATS JetStream', port: natsPort, connect: () => TestNats.connect(), prefix: 'ce-' },
  { name: 'RabbitMQ', port: amqpPort, connect: () => TestRabbit.connect(), prefix: 'cloudEvents_' },
])('pushes to $name', ({ port, connect, prefix }) => {
  const isThere = listens(port);
  let broker: TestBroker | null = null;
  let proxy: BrokerProxy;

  beforeAll(async () => {
    if (isThere) broker = await connect();
  });
  afterAll(() => broker?.end());
  beforeEach(async () => {
    proxy = await BrokerProxy.start(port);
    app.get(BrokerClient).timeoutMs = 5_000;
  });
  afterEach(async () => {
    await broker?.close();
    await proxy.close();
  });

  /** A test that needs the broker, which a newcomer's machine need not have. */
  const withBroker = (title: string, test: (broker: TestBroker) => Promise<void>): void => {
    (isThere ? it : it.skip)(title, () => test(broker as TestBroker));
  };

  withBroker('arrive once, in order, signed, with the attributes of CloudEvents', async (of) => {
    await of.open();
    const subscription = await subscribe(of.url(proxy.port));
    await note(
      change('anna', 'a1'),
      change('ben', 'b1', { action: 'changed', resource: 'workouts' }),
      change('anna', 'a2', { kind: 'order', resource: undefined }),
    );
    await later(0);
    const stored = await of.stored();
    const by = (person: Person): string[] =>
      stored
        .filter((one) => bodyOf(one).data.account_id === person)
        .map((one) => `${one.route} ${bodyOf(one).data.subject}`);
    expect([by('anna'), by('ben')]).toEqual([['summary.sleep a1', 'order a2'], ['summary.workouts b1']]);
    const log = await pushes(subscription);
    expect(log.map(({ change_id, state }) => [change_id, state]).toSorted()).toEqual(
      stored.map(({ id }) => [id, 'delivered']).toSorted(),
    );
    const one = stored.find(({ route }) => route === 'summary.workouts');
    expect(one?.headers).toMatchObject({
      [`${prefix}specversion`]: '1.0',
      [`${prefix}id`]: one?.id,
      [`${prefix}type`]: 'pulsekeep.summary.changed',
      [`${prefix}source`]: `urn:pulsekeep:feed:${one?.id.split('-')[0]}`,
      [`${prefix}time`]: new Date(app.clock.now()).toISOString(),
      'webhook-id': one?.id,
    });
    const machine = jest.spyOn(Date, 'now').mockReturnValue(app.clock.now());
    new Webhook(subscription.secret).verify(one?.text ?? '', { ...one?.headers });
    machine.mockRestore();
    expect(await tested(subscription)).toMatchObject({ delivered: true, error: null });
    expect((await of.stored()).at(-1)).toMatchObject({ route: 'test', id: expect.stringMatching(/^test-/) });
  });

  withBroker('wait for a broker that has no place for them, then arrive in order', async (of) => {
    const subscription = await subscribe(of.url(proxy.port));
    await note(change('anna', 'a1'), change('anna', 'a2'));
    await later(0);
    expect(await shown(subscription)).toMatchObject({ last_error: 'unroutable', behind: 2, state: 'active' });
    await of.open();
    await later(HOUR);
    expect((await of.stored()).map((one) => bodyOf(one).data.subject)).toEqual(['a1', 'a2']);
    expect(await shown(subscription)).toMatchObject({ last_error: null, behind: 0 });
  });

  withBroker('wait while it is full, refuses connections, or takes them and says nothing', async (of) => {
    await of.open(1);
    const subscription = await subscribe(of.url(proxy.port));
    await note(change('anna', 'a1'));
    await later(0);
    await note(change('anna', 'a2'));
    await later(0);
    expect(await shown(subscription)).toMatchObject({ last_error: 'broker_refused', behind: 1 });
    proxy.isUp = false;
    proxy.kill();
    await later(HOUR);
    expect(await shown(subscription)).toMatchObject({ last_error: 'connection', behind: 1 });
    proxy.isUp = true;
    proxy.isPaused = true;
    app.get(BrokerClient).timeoutMs = 200;
    await later(HOUR);
    expect(await shown(subscription)).toMatchObject({ last_error: 'timeout', behind: 1 });
    proxy.isPaused = false;
    app.get(BrokerClient).timeoutMs = 5_000;
    await of.close();
    await of.open();
    await later(HOUR);
    expect((await of.stored()).map((one) => bodyOf(one).data.subject)).toEqual(['a2']);
  });

  withBroker('never have what waited for a person who was erased meanwhile', async (of) => {
    const person = `dora-${port}`;
    await app.admin('POST', '/accounts', { account_id: person });
    await app.run(SequencerWorker);
    const { id: account } = await app.table(AccountEntity, 'account_id').byId(person);
    const subscription = await subscribe(of.url(proxy.port));
    await note(change('anna', 'a1'), { ...change('anna', 'd1'), account }, { ...change('anna', 'd2'), account });
    await later(0);
    expect(await shown(subscription)).toMatchObject({ last_error: 'unroutable', behind: 3 });
    await app.admin('DELETE', `/accounts/${person}`);
    await app.settle();
    await of.open();
    await later(12 * HOUR);
    const stored = await of.stored();
    expect(stored.map((one) => bodyOf(one).data.subject)).toEqual(['a1']);
    expect(await shown(subscription)).toMatchObject({ behind: 0, accounts_waiting: 0, state: 'active' });
    expect((await pushes(subscription)).map(({ state }) => state)).toEqual(['delivered']);
  });

  withBroker('are all there, in order, behind a broker that died 20 times', async (of) => {
    await of.open();
    const subscription = await subscribe(of.url(proxy.port));
    const sent: Record<Person, string[]> = { anna: [], ben: [], cleo: [] };
    for (let round = 0; round < 20; round++) {
      const changes = people.flatMap((person) => [0, 1, 2].map((turn) => change(person, `${person}-${round}-${turn}`)));
      for (const person of people) sent[person].push(...[0, 1, 2].map((turn) => `${person}-${round}-${turn}`));
      await note(...changes);
      const running = later(HOUR);
      // At a different moment each time: while it connects, publishes, or after it.
      for (let turn = 0; turn < round * 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      proxy.kill();
      await running;
    }
    for (let round = 0; round < 10 && (await shown(subscription)).behind > 0; round++) await later(12 * HOUR);
    await later(12 * HOUR);
    const seen = new Set<string>();
    // A consumer skips ids that it has processed.
    const first = (await of.stored()).filter(({ id }) => !seen.has(id) && seen.add(id));
    for (const person of people) {
      const own = first.map(bodyOf).filter(({ data }) => data.account_id === person);
      expect(own.map(({ data }) => data.subject)).toEqual(sent[person]);
    }
    expect(await shown(subscription)).toMatchObject({ behind: 0, accounts_waiting: 0, state: 'active' });
  });
});

describe('a subscription of a broker', () => {
  it('is refused with a wrong address', async () => {
    const refusal = async (url: string): Promise<string> => {
      const { status, body } = await app.admin<{ errors?: { message: string }[] }>('POST', '/subscriptions', { url });
      return `${status} ${body.errors?.[0]?.message}`;
    };
    expect(await refusal('nats://user:secret@127.0.0.1')).toContain('PUSH_BROKER_LOGINS');
    expect(await refusal('amqp://127.0.0.1/')).toContain('?exchange=NAME');
    expect(await refusal('nats://127.0.0.1/stream')).toContain('must have no path');
    expect(await refusal('nats://127.0.0.1?prefix=a..b')).toContain('prefix must be words');
    expect(await refusal('amqps://mq.example.com/?exchange=e&x=1')).toContain('only these parameters');
    expect(await refusal('nats://10.1.2.3')).toContain('PUSH_ALLOWED_NETWORKS');
    expect(await refusal('kafka://127.0.0.1')).toContain('or one of NATS or RabbitMQ');
    expect((await subscribe('nats+tls://mq.example.com?prefix=a.b')).url).toBe('nats+tls://mq.example.com?prefix=a.b');
  });

  it('connects to no name that leads to an address which is not allowed', async () => {
    const env = { PUSH_SIGNING_KEYS: key, PUSH_ALLOWED_NETWORKS: '10.0.0.0/8' };
    const other = await app.another({ env });
    for (const url of [
      'nats://localhost',
      'amqp://localhost/?exchange=e',
      'nats+tls://localhost',
      'amqps://localhost/?exchange=e',
    ]) {
      const { body } = await other.admin<Shown>('POST', '/subscriptions', { url });
      const answer = await other.admin<PushTestDto>('POST', `/subscriptions/${body.subscription_id}/test`);
      expect([url, answer.body.error]).toEqual([url, 'address_refused']);
    }
  });

  (listens(amqpPort) ? it : it.skip)('names a login that the broker refuses, and no password', async () => {
    const subscription = await subscribe(`amqp://localhost:${amqpPort}/?exchange=e`);
    expect(await tested(subscription)).toMatchObject({ delivered: false, error: 'login_refused' });
    expect(app.logs.join('')).not.toContain('wrong');
  });
});
