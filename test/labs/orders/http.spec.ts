import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { OrderSyncWorker } from '../../../src/labs/upstream-orders/order-sync.worker.js';
import { accessToken, adminKeys } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

const { viewer, reader, operator } = adminKeys;
const nowhere = '00000000-0000-4000-8000-000000000000';

let service: TestApp;
let ann: string;
let bob: string;

async function open(): Promise<void> {
  service = await TestApp.create({ webhooks: false });
  ann = await userOf('ann');
  bob = await userOf('bob');
}

const close = (): Promise<void> => service.close();

async function userOf(accountId: string): Promise<string> {
  const account = await service.get(AccountsService).ensure(accountId, { priority: 'interactive' });
  return account.upstream_user_id ?? '';
}

interface OrderRow {
  order_id: string;
  order_transaction: unknown;
}

interface Answer {
  status: number;
  body: Record<string, unknown> & { data: OrderRow[]; orders: OrderRow[]; next_cursor: string | null };
}

async function send(line: string, token?: string, body?: unknown): Promise<Answer> {
  return (await service.send(line, token === undefined ? {} : { token, body })) as unknown as Answer;
}

const asOperator = (line: string, body?: unknown): Promise<Answer> => send(line, operator, body);
const asViewer = (line: string): Promise<Answer> => send(line, viewer);
const asApp = async (account: string, line: string): Promise<Answer> =>
  send(line, await accessToken(account, service.clock.now()));

async function advance(seconds: number): Promise<void> {
  service.clock.advance(seconds * 1000);
  await service.sandbox.control.advance(seconds);
}

/** An order upstream whose event never came. */
async function place(user: string): Promise<{ id: string; transaction: string }> {
  const { order } = await service.sandbox.control.createOrder({ user_id: user, notify: false });
  return { id: order.id, transaction: order.order_transaction.id };
}

async function walkList(): Promise<void> {
  await service.get(OrderSyncWorker).loop.runUntilIdle();
}

const orderIds = (rows: readonly OrderRow[]): string[] => rows.map((row) => row.order_id);
const ids = (answer: Answer): string[] => orderIds(answer.body.data);

describe('operators', () => {
  beforeEach(open);
  afterEach(close);

  it('store a pair and see the order with its events [orders#order-ids]', async () => {
    const order = await place(ann);
    const stored = await asOperator('POST /admin/v1/orders', { account_id: 'ann', order_id: order.id });
    expect(stored).toMatchObject({
      status: 201,
      body: {
        order_id: order.id,
        order_transaction_id: order.transaction,
        account_id: 'ann',
        origin: 'initial',
        parent_id: null,
        lab_test_name: 'Lipid Panel',
        lab_name: 'Quest',
        collection_method: 'walk_in_test',
        sample_id: null,
        expected_result_by_date: null,
        worst_case_result_by_date: null,
        activate_by: null,
        status: 'received.walk_in_test.ordered',
        status_at: '2026-11-20T12:00:00.000Z',
        created_at: '2026-11-20T12:00:00.000Z',
        events: [{ status: 'received.walk_in_test.ordered' }],
        appointments: [],
        critical_results: [],
      },
    });
    const seen = await asViewer(`GET /admin/v1/orders/${order.id.toUpperCase()}`);
    const waiting = { refresh: null, result_fetch: null, last_seen_at: expect.any(String) as string };
    expect(seen.body).toEqual({ ...stored.body, ...waiting, critical_results: null });
  });

  it('see the redraw chain in order of creation, with the order to act on', async () => {
    const order = await place(ann);
    await advance(60);
    const { redraw } = await service.sandbox.control.redraw(order.id, { notify: false });
    await walkList();
    const read = await asViewer(`GET /admin/v1/order-transactions/${order.transaction}`);
    expect(read.body).toMatchObject({
      account_id: 'ann',
      status: 'active',
      act_on: redraw.id,
      needs: 'redraw',
      flag: null,
      results_from: null,
      orders: [
        { order_id: order.id, origin: 'initial', status: 'collecting_sample.walk_in_test.redraw_available' },
        { order_id: redraw.id, origin: 'redraw', parent_id: order.id },
      ],
    });
  });

  it('read a transaction from upstream on request', async () => {
    const order = await place(ann);
    await walkList();
    await advance(60);
    await service.sandbox.control.redraw(order.id, { notify: false });
    const refreshed = await asOperator(`POST /admin/v1/order-transactions/${order.transaction}/refresh`);
    expect(refreshed).toMatchObject({ status: 200, body: { needs: 'redraw', orders: [{}, { origin: 'redraw' }] } });
  });

  it('read a transaction order by order if the team may not read transactions [orders#access-to-order-transactions]', async () => {
    const order = await place(ann);
    await walkList();
    await advance(60);
    await service.sandbox.control.redraw(order.id, { notify: false });
    await service.sandbox.control.fault({ kind: 'status', status: 403, path: '/v3/order_transaction' });
    const refreshed = await asOperator(`POST /admin/v1/order-transactions/${order.transaction}/refresh`);
    expect(refreshed).toMatchObject({ status: 200, body: { needs: 'redraw', orders: [{}, { origin: 'redraw' }] } });
  });

  it('get an error while upstream is unavailable, and stored data stays', async () => {
    const order = await place(ann);
    await walkList();
    await service.sandbox.control.fault({ kind: 'status', status: 503, path: '/v3/' });
    const refreshed = await asOperator(`POST /admin/v1/order-transactions/${order.transaction}/refresh`);
    expect(refreshed).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
    expect((await asViewer(`GET /admin/v1/order-transactions/${order.transaction}`)).status).toBe(200);
  });

  it('list the patients to inform about a redraw', async () => {
    const order = await place(ann);
    await place(bob);
    await advance(60);
    await service.sandbox.control.redraw(order.id, { notify: false });
    await walkList();
    const { body } = await asViewer('GET /admin/v1/order-transactions?needs=redraw');
    expect(body).toMatchObject({
      data: [{ order_transaction_id: order.transaction, account_id: 'ann' }],
      next_cursor: null,
    });
    expect((await asViewer('GET /admin/v1/order-transactions?status=active')).body.data).toHaveLength(2);
    expect((await asViewer('GET /admin/v1/order-transactions?status=completed')).body.data).toEqual([]);
  });

  it('filter orders by account, transaction, origin and status', async () => {
    const first = await place(ann);
    const second = await place(bob);
    await advance(60);
    const { redraw } = await service.sandbox.control.redraw(first.id, { notify: false });
    await walkList();
    const found = async (query: string): Promise<string[]> => ids(await asViewer(`GET /admin/v1/orders?${query}`));
    expect(await found('account_id=bob')).toEqual([second.id]);
    expect(await found(`order_transaction_id=${first.transaction}`)).toEqual([redraw.id, first.id]);
    expect(await found('origin=redraw')).toEqual([redraw.id]);
    expect(await found('status=redraw_available')).toEqual([first.id]);
    expect(await found('status=collecting_sample')).toEqual([first.id]);
    expect((await found('status=received.walk_in_test.ordered')).sort()).toEqual([second.id, redraw.id].sort());
    expect(await found('status=redraw')).toEqual([]);
    expect(await found('account_id=nobody')).toEqual([]);
  });

  it('page through orders without missing or repeating any', async () => {
    for (let i = 0; i < 5; i += 1) {
      await place(ann);
      await advance(i % 2);
    }
    await walkList();
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Answer = await asViewer(`GET /admin/v1/orders?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...ids(page));
      cursor = page.body.next_cursor;
    }
    expect(seen).toEqual(ids(await asViewer('GET /admin/v1/orders')));
    expect(new Set(seen).size).toBe(5);
  });
});

describe('a request that cannot be served', () => {
  beforeAll(open);
  afterAll(close);

  it.each([
    [400, 'GET /admin/v1/orders?limit=0'],
    [400, 'GET /admin/v1/orders?colour=red'],
    [400, 'GET /admin/v1/orders?cursor=garbage'],
    [400, 'GET /admin/v1/orders?status=%25'],
    [400, 'GET /admin/v1/order-transactions?needs=rest'],
    [404, `GET /admin/v1/orders/${nowhere}`],
    [404, `GET /admin/v1/order-transactions/${nowhere}`],
    [404, `POST /admin/v1/order-transactions/${nowhere}/refresh`],
  ])('gets %i for %s', async (status, line) => {
    expect((await asOperator(line)).status).toBe(status);
  });

  it.each([
    [{ account_id: 'ann' }, 'order_id'],
    [{ account_id: 'ann', order_id: 'x' }, 'order_id'],
    [{ account_id: 'ann', order_id: nowhere, order_transaction_id: 'x' }, 'order_transaction_id'],
    [{ account_id: 'ann', order_id: nowhere, extra: 1 }, 'extra'],
  ])('reports the fault of the pair %j', async (body, field) => {
    const answer = await asOperator('POST /admin/v1/orders', body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(answer.body.errors).toEqual(expect.arrayContaining([expect.objectContaining({ field })]));
  });

  it('may lack a key, or the operator role for a change', async () => {
    const pair = { account_id: 'ann', order_id: nowhere };
    expect((await send('POST /admin/v1/orders', reader, pair)).status).toBe(403);
    expect((await asViewer(`POST /admin/v1/order-transactions/${nowhere}/refresh`)).status).toBe(403);
    expect((await send('GET /admin/v1/orders')).status).toBe(401);
  });
});

describe('the app', () => {
  beforeEach(open);
  afterEach(close);

  it('sees only its own orders with their chain', async () => {
    const order = await place(ann);
    await place(bob);
    await advance(60);
    const { redraw } = await service.sandbox.control.redraw(order.id, { notify: false });
    await walkList();
    const own = await asApp('ann', 'GET /v1/me/orders');
    expect(ids(own)).toEqual([redraw.id, order.id]);
    expect(own.body.data).toMatchObject([
      { lab_test_name: 'Lipid Panel', lab_name: 'Quest', collection_method: 'walk_in_test' },
      { lab_test_name: 'Lipid Panel', lab_name: 'Quest', collection_method: 'walk_in_test' },
    ]);
    expect(own.body.data[0]?.order_transaction).toEqual({
      order_transaction_id: order.transaction,
      status: 'active',
      act_on: redraw.id,
      needs: 'redraw',
      flag: null,
      results_from: null,
    });
    const chain = await asApp('ann', `GET /v1/me/order-transactions/${order.transaction}`);
    expect(orderIds(chain.body.orders)).toEqual([order.id, redraw.id]);
    expect(JSON.stringify([own.body, chain.body])).not.toContain('account_id');
  });

  it('cannot distinguish the transaction of another from one that does not exist', async () => {
    const order = await place(ann);
    await walkList();
    const others = await asApp('bob', `GET /v1/me/order-transactions/${order.transaction}`);
    const none = await asApp('bob', `GET /v1/me/order-transactions/${nowhere}`);
    expect(others.status).toBe(404);
    const told = ({ body }: Answer): unknown => ({ ...body, request_id: '' });
    expect(told(others)).toEqual(told(none));
  });

  it('sees an empty list for an account without orders, and for an unknown one', async () => {
    expect((await asApp('ann', 'GET /v1/me/orders')).body).toEqual({ data: [], next_cursor: null });
    expect((await asApp('stranger', 'GET /v1/me/orders')).body).toEqual({ data: [], next_cursor: null });
  });

  it('needs a token', async () => {
    expect((await send('GET /v1/me/orders')).status).toBe(401);
  });
});
