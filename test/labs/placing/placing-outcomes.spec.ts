import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FaultRule } from '../../../sandbox/engine/faults.js';
import { newId } from '../../../src/platform/platform/ids.js';
import { newAccountId } from '../../support/environment.js';
import { orderBody, place, placedUpstream } from '../../support/ordering.js';
import { TestApp } from '../../support/test-app.js';
import { until } from '../../support/until.js';

const hour = 3600;

let app: TestApp;
let account_id: string;
let body: Record<string, unknown>;

async function open(env: Record<string, string> = {}): Promise<void> {
  app = await TestApp.create({ env });
  account_id = newAccountId();
  await app.admin('POST', '/accounts', { account_id });
  body = { ...(await orderBody(app.sandbox.control)), account_id };
}

afterEach(() => app.close());

interface Row {
  [column: string]: string | number | null;
}

const rows = (sql: string): Promise<Row[]> => app.store.reader.rows<Row>(sql);
const states = async (): Promise<unknown[]> =>
  (await rows('SELECT state FROM idempotency_keys')).map((row) => row['state']);

const places = { path: '^/v3/order$', method: 'POST' } as const;
/** The next look for an order at upstream is refused. */
const hideOrders = (): Promise<unknown> =>
  app.sandbox.control.fault({ kind: 'status', status: 403, path: '^/v3/orders$', method: 'GET', times: 1 });

/** No answer to a placed order comes through, and it is not found when it is looked for at once. */
async function loseAnswers(kind: FaultRule['kind'] = 'drop_after'): Promise<void> {
  await app.sandbox.control.fault({ kind, ...places });
  await hideOrders();
}
const upstreamIsBack = (): Promise<void> => app.sandbox.control.clearFaults();

/** One order upstream, one row of it here, and the placement that names it. */
async function expectOneOrder(orderId: string): Promise<void> {
  expect((await placedUpstream(app.sandbox.control)).orders).toBe(1);
  expect(await rows('SELECT order_id FROM orders')).toEqual([{ order_id: orderId }]);
  expect(await rows('SELECT state, outcome_id, lease_owner FROM idempotency_keys')).toEqual([
    { state: 'done', outcome_id: orderId, lease_owner: null },
  ]);
}

describe('an order whose response is lost', () => {
  beforeEach(() => open());

  it('is reported as unknown, and returned by the same request once upstream responds again', async () => {
    await app.sandbox.control.configureWebhooks({ paused: true });
    await loseAnswers();
    const key = newId();
    const lost = await place(app, key, body);
    expect(lost).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
    expect(lost.body.detail).toContain('same key and body');
    expect(lost.headers['retry-after']).toBe('1');
    expect(await states()).toEqual(['unknown']);
    await upstreamIsBack();
    const again = await place(app, key, body);
    expect(again.status).toBe(201);
    await expectOneOrder(again.body.order_id);
  });

  it('cannot be changed while its outcome is unknown', async () => {
    await loseAnswers();
    const key = newId();
    await place(app, key, body);
    await upstreamIsBack();
    expect((await place(app, key, { ...body, priority: true })).body.code).toBe('idempotency_key_reused');
    expect((await placedUpstream(app.sandbox.control)).orders).toBe(1);
  });

  it('is identified by its mark in the webhook, and then always returned without a call', async () => {
    await loseAnswers();
    const key = newId();
    await place(app, key, body);
    await app.settle();
    expect(await states()).toEqual(['done']);
    await app.advance(30 * 24 * hour, 3);
    await app.sandbox.control.clearCalls();
    const again = await place(app, key, body);
    expect(again).toMatchObject({ status: 201, body: { replayed: true } });
    expect((await placedUpstream(app.sandbox.control)).calls).toBe(0);
    await expectOneOrder(again.body.order_id);
  });

  it('is identified by its mark in the list', async () => {
    await app.sandbox.control.fault({ kind: 'lose' });
    await loseAnswers();
    const key = newId();
    await place(app, key, body);
    await app.advance(2 * hour, 2);
    expect(await states()).toEqual(['done']);
    const again = await place(app, key, body);
    expect(again.body.replayed).toBe(true);
    await expectOneOrder(again.body.order_id);
  });

  it('is not placed again after 23 hours if it has another passthrough than our mark [orders#idempotency]', async () => {
    await loseAnswers();
    const key = newId();
    const carrying = { ...body, passthrough: 'ref-1' };
    await place(app, key, carrying);
    await upstreamIsBack();
    await app.advance(23 * hour, 2);
    await app.sandbox.control.clearCalls();
    const late = await place(app, key, carrying);
    expect(late).toMatchObject({ status: 409, body: { code: 'placement_unresolved' } });
    expect(await placedUpstream(app.sandbox.control)).toEqual({ calls: 0, orders: 1 });
    const orders = await app.admin<{ data: unknown[] }>('GET', `/orders?account_id=${account_id}`);
    expect(orders.body.data).toHaveLength(1);
  });

  it('is placed by a repeat just before 23 hours have passed', async () => {
    await app.sandbox.control.fault({ kind: 'drop_before', path: '/v3/order', method: 'POST' });
    const key = newId();
    const carrying = { ...body, passthrough: 'ref-1' };
    expect((await place(app, key, carrying)).status).toBe(503);
    await upstreamIsBack();
    await app.advance(23 * hour - 1, 2);
    expect((await place(app, key, carrying)).status).toBe(201);
    expect((await placedUpstream(app.sandbox.control)).orders).toBe(1);
  });

  it.each(['bad_json', 'empty', 'truncate'] as const)('as %s is not placed twice either', async (kind) => {
    await app.sandbox.control.configureWebhooks({ paused: true });
    await loseAnswers(kind);
    const key = newId();
    expect((await place(app, key, body)).status).toBeGreaterThanOrEqual(500);
    await upstreamIsBack();
    const again = await place(app, key, body);
    await expectOneOrder(again.body.order_id);
  });

  it.each([401, 403, 404, 409, 429, 500])('after a response %i keeps the body of the key', async (status) => {
    await app.sandbox.control.fault({ kind: 'status', status, path: '/v3/order', method: 'POST' });
    const key = newId();
    expect((await place(app, key, body)).status).toBeGreaterThanOrEqual(400);
    await upstreamIsBack();
    expect((await place(app, key, body)).status).toBe(201);
    expect((await placedUpstream(app.sandbox.control)).orders).toBe(1);
  });
});

describe('an order that upstream creates despite an error, and whose key it forgets,', () => {
  beforeEach(async () => {
    await open();
    await app.sandbox.control.configureWebhooks({ paused: true });
  });

  const sent = async (): Promise<number> => (await placedUpstream(app.sandbox.control)).calls;

  it.each<[string, Partial<FaultRule>]>([
    ['a 500', { kind: 'fail_after', status: 500 }],
    ['a 502', { kind: 'fail_after', status: 502 }],
    ['a lost line', { kind: 'drop_after' }],
    ['nonsense', { kind: 'bad_json' }],
  ])('is found immediately after %s, and not sent again [orders#idempotency]', async (_, fault) => {
    await app.sandbox.control.fault({ kind: 'status', ...places, ...fault });
    const placed = await place(app, newId(), body);
    expect([placed.status, await sent()]).toEqual([201, 1]);
    await expectOneOrder(placed.body.order_id);
  });

  it.each([undefined, 'ref-1'])(
    'is found by a repeat if it carries %j, and not sent again [orders#idempotency]',
    async (passthrough) => {
      const carrying = passthrough === undefined ? body : { ...body, passthrough };
      const earlier = await place(app, newId(), carrying);
      await loseAnswers('fail_after');
      const key = newId();
      expect((await place(app, key, carrying)).status).toBe(503);
      await upstreamIsBack();
      const again = await place(app, key, carrying);
      expect([again.status, await sent()]).toEqual([201, 2]);
      expect(again.body.order_id).not.toBe(earlier.body.order_id);
      expect((await placedUpstream(app.sandbox.control)).orders).toBe(2);
    },
  );

  it('is found although our clock was ahead when it was sent', async () => {
    app.clock.step(20 * 60_000);
    await loseAnswers('fail_after');
    const key = newId();
    expect((await place(app, key, body)).status).toBe(503);
    app.clock.step(-20 * 60_000);
    await upstreamIsBack();
    const again = await place(app, key, body);
    expect([again.status, await sent()]).toEqual([201, 1]);
  });

  it("is left to somebody's eyes where an order from before our clock was set back could be it", async () => {
    const [user_id = ''] = await app.upstreamUsers();
    await app.sandbox.control.createOrder({ user_id, passthrough: 'ref-1' });
    app.clock.step(20 * 60_000);
    await loseAnswers('drop_before');
    const key = newId();
    const carrying = { ...body, passthrough: 'ref-1' };
    expect((await place(app, key, carrying)).status).toBe(503);
    app.clock.step(-20 * 60_000);
    await upstreamIsBack();
    expect(await place(app, key, carrying)).toMatchObject({ status: 409, body: { code: 'placement_unresolved' } });
  });

  it('is not sent again by a repeat while upstream cannot be searched', async () => {
    await loseAnswers('fail_after');
    const key = newId();
    await place(app, key, body);
    await upstreamIsBack();
    for (const status of [403, 422, 500]) {
      await app.sandbox.control.fault({ kind: 'status', status, path: '^/v3/orders$', method: 'GET' });
      expect(await place(app, key, body)).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
      await upstreamIsBack();
    }
    expect([await states(), await sent()]).toEqual([['unknown'], 1]);
    expect((await place(app, key, body)).status).toBe(201);
    expect(await sent()).toBe(1);
  });

  it("is left to somebody's eyes where another order could be it", async () => {
    const carrying = { ...body, passthrough: 'ref-1' };
    const [user_id = ''] = await app.upstreamUsers();
    await app.sandbox.control.createOrder({ user_id, passthrough: 'ref-1' });
    await loseAnswers('fail_after');
    const key = newId();
    await place(app, key, carrying);
    await upstreamIsBack();
    expect(await place(app, key, carrying)).toMatchObject({ status: 409, body: { code: 'placement_unresolved' } });
    expect(await sent()).toBe(1);
  });

  it('is sent again, under the same key, if it does not exist', async () => {
    await app.sandbox.control.fault({ kind: 'status', status: 500, ...places });
    const key = newId();
    expect((await place(app, key, body)).status).toBe(503);
    expect(await sent()).toBe(1);
    await upstreamIsBack();
    const again = await place(app, key, body);
    expect([again.status, await sent()]).toEqual([201, 2]);
    await expectOneOrder(again.body.order_id);
  });
});

describe('a webhook that arrives before the response', () => {
  /** Places an order whose answer comes, if at all, once the webhook has been processed. */
  async function overtaken(isLost = false): ReturnType<typeof place> {
    await app.sandbox.control.fault({ kind: 'slow_after', path: '/v3/order', method: 'POST', delay_ms: 60_000 });
    const answer = place(app, newId(), body);
    await until(async () => (await placedUpstream(app.sandbox.control)).orders === 1);
    await app.settle();
    expect(await states()).toEqual(['done']);
    if (!isLost) await app.sandbox.control.clearFaults();
    return answer;
  }

  it('results in the same row as the reverse order [orders#event-before-answer]', async () => {
    await open();
    const answer = await overtaken();
    expect(answer).toMatchObject({ status: 201, body: { replayed: false, events: [{}] } });
    await expectOneOrder(answer.body.order_id);
    await app.close();
    await open();
    const before = await place(app, newId(), body);
    await app.settle();
    await expectOneOrder(before.body.order_id);
    expect(await rows('SELECT COUNT(*) AS count FROM order_events')).toEqual([{ count: 1 }]);
  });

  it('completes the request if the response is lost', async () => {
    await open({ UPSTREAM_TIMEOUT_MS: '3000' });
    const answer = await overtaken(true);
    expect(answer.status).toBe(201);
    await expectOneOrder(answer.body.order_id);
  });
});

describe('an upstream whose responses lack something', () => {
  let proxy: Server;
  /** The body of the response to a call. */
  let altered: (call: string, text: string) => string;

  /** The simulated upstream with altered responses. */
  beforeEach(async () => {
    altered = (_call, text) => text;
    proxy = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = 'GET', url = '/', headers } = request;
        const passed = Object.entries(headers).filter(([name]) => /^(x-|content-type)/.test(name)) as [
          string,
          string,
        ][];
        const content = Buffer.concat(chunks).toString();
        void fetch(app.sandbox.url + url, {
          method,
          headers: Object.fromEntries(passed),
          ...(content === '' ? {} : { body: content }),
        }).then(async (answer) => {
          const shown = altered(`${method} ${url.split('?')[0]}`, await answer.text());
          response.writeHead(answer.status, { 'content-type': 'application/json' }).end(shown);
        });
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    await open({ UPSTREAM_BASE_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
    await app.sandbox.control.configureWebhooks({ paused: true });
  });

  afterEach(() => new Promise((resolve) => proxy.close(resolve)));

  function withoutTransaction(call: string, text: string): string {
    if (call !== 'POST /v3/order') return text;
    const answer = JSON.parse(text) as { order: object };
    return JSON.stringify({ ...answer, order: { ...answer.order, order_transaction: undefined } });
  }

  it('is asked for the order if it names no transaction', async () => {
    altered = withoutTransaction;
    const { status, body: order } = await place(app, newId(), body);
    const [truth] = (await app.sandbox.control.truthOrders()).orders;
    expect([status, order.order_transaction_id]).toEqual([201, truth?.order_transaction_id]);
    expect(await rows('SELECT * FROM due_reads')).toEqual([]);
  });

  it('is asked for the order later if that cannot be read now [orders#order-ids]', async () => {
    altered = withoutTransaction;
    await app.sandbox.control.fault({ kind: 'status', status: 503, path: '/v3/order/', method: 'GET' });
    const { status, body: order } = await place(app, newId(), body);
    expect([status, order.order_transaction_id]).toEqual([201, null]);
    await upstreamIsBack();
    await app.advance(60);
    const [truth] = (await app.sandbox.control.truthOrders()).orders;
    const { body: later } = await app.admin('GET', `/orders/${order.order_id}`);
    expect(later).toMatchObject({ order_transaction_id: truth?.order_transaction_id });
  });

  it('is not sent an order again that may be one it lists unreadably', async () => {
    altered = (call, text) => (call === 'GET /v3/orders' ? text.replaceAll('"user_id"', '"user"') : text);
    await loseAnswers('fail_after');
    const key = newId();
    expect((await place(app, key, body)).status).toBe(503);
    await upstreamIsBack();
    expect(await place(app, key, body)).toMatchObject({ status: 409, body: { code: 'placement_unresolved' } });
    expect(await placedUpstream(app.sandbox.control)).toEqual({ calls: 1, orders: 1 });
  });

  it('is not sent an order again that may be on the next of its small pages', async () => {
    altered = (call, text) => {
      if (call !== 'GET /v3/orders') return text;
      const page = JSON.parse(text) as { orders?: object[] };
      return page.orders ? JSON.stringify({ ...page, orders: page.orders.slice(0, 1), size: 1 }) : text;
    };
    await loseAnswers('fail_after');
    const key = newId();
    expect((await place(app, key, body)).status).toBe(503);
    await upstreamIsBack();
    const [user_id = ''] = await app.upstreamUsers();
    await app.sandbox.control.advance(1);
    await app.sandbox.control.createOrder({ user_id });
    expect(await place(app, key, body)).toMatchObject({ status: 409, body: { code: 'placement_unresolved' } });
    expect((await placedUpstream(app.sandbox.control)).calls).toBe(1);
  });
});
