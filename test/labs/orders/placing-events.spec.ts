import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '../../../src/platform/platform/ids.js';
import { newAccountId } from '../../support/environment.js';
import { orderBody, place, placedUpstream } from '../../support/ordering.js';
import { TestApp } from '../../support/test-app.js';
import { until } from '../../support/until.js';

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
  (await rows('SELECT state FROM order_placements')).map((row) => row['state']);
const upstreamIsBack = (): Promise<void> => app.sandbox.control.clearFaults();

/** One order upstream, one row of it here, and the placement that names it. */
async function expectOneOrder(orderId: string): Promise<void> {
  expect((await placedUpstream(app.sandbox.control)).orders).toBe(1);
  expect(await rows('SELECT order_id FROM orders')).toEqual([{ order_id: orderId }]);
  expect(await rows('SELECT state, order_id, lease_owner FROM order_placements')).toEqual([
    { state: 'placed', order_id: orderId, lease_owner: null },
  ]);
}

describe('a webhook that comes before the answer', () => {
  /** Places an order whose answer comes so late, and lets the webhook through as soon as upstream has it. */
  async function overtaken(delay_ms: number): ReturnType<typeof place> {
    await app.sandbox.control.fault({ kind: 'slow_after', path: '/v3/order', method: 'POST', delay_ms });
    const answer = place(app, newId(), body);
    await until(async () => (await placedUpstream(app.sandbox.control)).orders === 1);
    await app.settle();
    expect(await states()).toEqual(['placed']);
    return answer;
  }

  it('leaves the same one row as the answer before the webhook [orders#event-before-answer]', async () => {
    await open();
    const answer = await overtaken(1_000);
    expect(answer).toMatchObject({ status: 201, body: { replayed: false, events: [{}] } });
    await expectOneOrder(answer.body.order_id);
    await app.close();
    await open();
    const before = await place(app, newId(), body);
    await app.settle();
    await expectOneOrder(before.body.order_id);
    expect(await rows('SELECT COUNT(*) AS count FROM order_events')).toEqual([{ count: 1 }]);
  });

  it('answers the caller when the answer does not come at all', async () => {
    await open({ UPSTREAM_TIMEOUT_MS: '3000' });
    const answer = await overtaken(60_000);
    expect(answer.status).toBe(201);
    await expectOneOrder(answer.body.order_id);
  });
});

describe('an answer that names no transaction', () => {
  let proxy: Server;

  /** The simulated upstream, but for the transaction in answers to `POST /v3/order`. */
  beforeEach(async () => {
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
          const told = await answer.text();
          const shown = method === 'POST' && url === '/v3/order' ? withoutTransaction(told) : told;
          response.writeHead(answer.status, { 'content-type': 'application/json' }).end(shown);
        });
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    await open({ UPSTREAM_BASE_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
    await app.sandbox.control.configureWebhooks({ paused: true });
  });

  afterEach(() => new Promise((resolve) => proxy.close(resolve)));

  function withoutTransaction(text: string): string {
    const answer = JSON.parse(text) as { order: object };
    return JSON.stringify({ ...answer, order: { ...answer.order, order_transaction: undefined } });
  }

  it('has the order read for it', async () => {
    const { status, body: order } = await place(app, newId(), body);
    const [truth] = (await app.sandbox.control.truthOrders()).orders;
    expect([status, order.order_transaction_id]).toEqual([201, truth?.order_transaction_id]);
    expect(await rows('SELECT * FROM order_refreshes')).toEqual([]);
  });

  it('is completed later when the order cannot be read now [orders#order-ids]', async () => {
    await app.sandbox.control.fault({ kind: 'status', status: 503, path: '/v3/order/', method: 'GET' });
    const { status, body: order } = await place(app, newId(), body);
    expect([status, order.order_transaction_id]).toEqual([201, null]);
    await upstreamIsBack();
    await app.advance(60);
    const [truth] = (await app.sandbox.control.truthOrders()).orders;
    const { body: later } = await app.admin('GET', `/orders/${order.order_id}`);
    expect(later).toMatchObject({ order_transaction_id: truth?.order_transaction_id });
  });
});
