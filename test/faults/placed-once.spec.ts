import { type Sandbox, startSandbox } from '../../sandbox/server.js';
import { OrderCalls } from '../../src/labs/placing/order-calls.js';
import { newId } from '../../src/platform/platform/ids.js';
import { UpstreamClient } from '../../src/upstream/client/upstream.client.js';
import { adminCall, childEnvironment, operatorKey } from '../support/child-env.js';
import { ChildPulsekeep } from '../support/child-pulsekeep.js';
import { webhookSecret } from '../support/environment.js';
import { type OrderView, orderBody, place, placedUpstream } from '../support/ordering.js';
import { TestApp } from '../support/test-app.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';
import { until } from '../support/until.js';

const account_id = 'patient-1';
const crowd = 40;

interface Answered {
  status: number;
  body: OrderView;
}

/** One order upstream, and everybody who was told of an order was told of that one. */
async function expectOne(sandbox: Sandbox, answers: readonly Answered[]): Promise<void> {
  const { orders } = await sandbox.control.truthOrders();
  expect(orders).toHaveLength(1);
  const told = answers.filter(({ status }) => status === 201).map(({ body }) => body.order_id);
  expect(told.length).toBeGreaterThan(0);
  expect(new Set(told)).toEqual(new Set([orders[0]?.id]));
  const others = answers.filter(({ status }) => status !== 201).map(({ status, body }) => `${status} ${body.code}`);
  expect(others.filter((other) => other !== '409 placement_in_progress')).toEqual([]);
}

describe('a process that places orders', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let running: ChildPulsekeep[] = [];
  let body: Record<string, unknown>;
  let key: string;

  beforeEach(async () => {
    sandbox = await startSandbox({ webhookSecret });
    database = await testDatabase();
    body = { ...(await orderBody(sandbox.control)), account_id };
    key = newId();
    running = [];
  });

  afterEach(async () => {
    await Promise.all(running.map((child) => child.kill()));
    await sandbox.close();
    await database.drop();
  });

  async function start(): Promise<ChildPulsekeep> {
    const env = childEnvironment(database, sandbox.url, { UPSTREAM_TIMEOUT_MS: '2000' });
    const child = await ChildPulsekeep.start(env);
    running.push(child);
    return child;
  }

  async function ask(child: ChildPulsekeep): Promise<Answered> {
    const response = await fetch(`${child.url}/admin/v1/orders/place`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${operatorKey}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as OrderView };
  }

  const acceptance = { path: '/v3/order', method: 'POST', delay_ms: 60_000, times: 1 } as const;

  it.each(['slow_after', 'slow'] as const)(
    'and is killed while upstream is %s: a repeat after the restart returns the one order',
    async (kind) => {
      const first = await start();
      await adminCall(first.url, 'POST', '/accounts', { account_id });
      await sandbox.control.fault({ ...acceptance, kind });
      const lost = ask(first).catch(() => 'no answer');
      await until(async () => (await sandbox.control.faults()).faults.some(({ struck }) => struck > 0));
      if (kind === 'slow_after') {
        await until(async () => (await placedUpstream(sandbox.control)).orders === 1);
      }
      await first.kill();
      expect(await lost).toBe('no answer');

      const second = await start();
      const answers: Answered[] = [];
      await until(async () => {
        answers.push(await ask(second));
        return answers.at(-1)?.status === 201;
      });
      await expectOne(sandbox, answers);
      expect(await ask(second)).toMatchObject({ status: 201, body: { replayed: true } });
    },
  );

  const onPostgres = process.env['TEST_DATABASE_URL'] ? it : it.skip;

  onPostgres('beside another one places one order for forty equal requests to both', async () => {
    const children = [await start(), await start()] as const;
    await adminCall(children[0].url, 'POST', '/accounts', { account_id });
    await sandbox.control.fault({ ...acceptance, kind: 'slow_after' });
    const asked = Array.from({ length: crowd }, (_, i) => ask(children[i % 2 === 0 ? 0 : 1]));
    await Promise.race(asked);
    await sandbox.control.clearFaults();
    const answers = await Promise.all(asked);
    expect((await placedUpstream(sandbox.control)).calls).toBe(1);
    await expectOne(sandbox, answers);
    for (const child of children) {
      expect(await ask(child)).toMatchObject({ status: 201, body: { replayed: true } });
    }
  });
});

describe('an order in one process', () => {
  it('is placed with one call by forty equal requests at once', async () => {
    const pulsekeep = await TestApp.create();
    await pulsekeep.admin('POST', '/accounts', { account_id });
    const body = { ...(await orderBody(pulsekeep.sandbox.control)), account_id };
    await pulsekeep.sandbox.control.fault({ kind: 'slow_after', path: '/v3/order', method: 'POST', delay_ms: 60_000 });
    const key = newId();
    const asked = Array.from({ length: crowd }, () => place(pulsekeep, key, body));
    // Upstream still holds the answer of the only call: this one is told to wait.
    expect((await Promise.race(asked)).status).toBe(409);
    await pulsekeep.sandbox.control.clearFaults();
    const answers = await Promise.all(asked);
    expect((await placedUpstream(pulsekeep.sandbox.control)).calls).toBe(1);
    await expectOne(pulsekeep.sandbox, answers);
    const waiting = answers.find(({ status }) => status === 409);
    expect(waiting?.headers['retry-after']).toBe('5');
    await pulsekeep.close();
  });
});

describe('a process that ends between two steps of placing', () => {
  let pulsekeep: TestApp;
  let key: string;
  let body: Record<string, unknown>;
  let sent: Record<string, unknown>;

  beforeEach(async () => {
    pulsekeep = await TestApp.create();
    const { body: account } = await pulsekeep.admin<{ user_id: string }>('POST', '/accounts', { account_id });
    const order = await orderBody(pulsekeep.sandbox.control);
    body = { ...order, account_id };
    sent = { ...order, user_id: account.user_id };
    key = newId();
  });

  afterEach(() => pulsekeep.close());

  /** What the process had done when it ended; the one that follows has its tables and its clock, a lease later. */
  async function endAfter(step: 'key stored' | 'upstream answered'): Promise<TestApp> {
    const { app } = pulsekeep.pulsekeep;
    const account = (await pulsekeep.store.reader.row<{ id: number }>('SELECT id FROM accounts'))?.id ?? 0;
    const calls = app.get(OrderCalls, { strict: false });
    const claim = await calls.claim({ account, idempotencyKey: key, body: sent });
    if (claim.kind !== 'call') throw new Error('there is nothing to call');
    if (step === 'upstream answered') {
      const client = app.get(UpstreamClient);
      await client.createOrder(claim.body, claim.callId, { priority: 'interactive' });
    }
    await pulsekeep.pulsekeep.stop();
    pulsekeep.clock.advance(120_000);
    return TestApp.create({ database: pulsekeep.database, upstream: pulsekeep.sandbox, clock: pulsekeep.clock });
  }

  it.each(['key stored', 'upstream answered'] as const)('after %s leaves a key that gives one order', async (step) => {
    await pulsekeep.sandbox.control.configureWebhooks({ paused: true });
    const next = await endAfter(step);
    const answer = await place(next, key, body);
    expect([answer.status, answer.body.replayed]).toEqual([201, false]);
    await pulsekeep.sandbox.control.configureWebhooks({ paused: false });
    await next.settle();
    const again = await place(next, key, body);
    await expectOne(pulsekeep.sandbox, [answer, again]);
    await next.close();
  });

  it('after the response of upstream may get the order by an event before a repeat', async () => {
    const next = await endAfter('upstream answered');
    await next.settle();
    await pulsekeep.sandbox.control.clearCalls();
    const answer = await place(next, key, body);
    expect([answer.status, answer.body.replayed]).toEqual([201, true]);
    expect((await placedUpstream(pulsekeep.sandbox.control)).calls).toBe(0);
    await expectOne(pulsekeep.sandbox, [answer]);
    await next.close();
  });
});
