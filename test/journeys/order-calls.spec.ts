import { newAccountId } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';
import { type Answer, type Order, ordersOf } from './support/orders.js';

const nowhere = '00000000-0000-4000-8000-000000000000';

let pulsekeep: TestApp;
let account_id: string;
let user_id: string;

async function signIn(): Promise<void> {
  account_id = newAccountId();
  user_id = (await pulsekeep.as<{ user_id: string }>(account_id, 'POST', '/me/sign-in-token', {})).body.user_id;
}

beforeEach(async () => {
  pulsekeep = await TestApp.create();
  await signIn();
});

afterEach(() => pulsekeep.close());

const { place, resultOf, briefly, fails } = ordersOf(
  () => pulsekeep,
  () => user_id,
);

describe('GET /v3/order/{id}', () => {
  /** An order nobody here has heard of. */
  const unheard = async (): Promise<Order> => {
    await pulsekeep.sandbox.control.fault({ kind: 'lose' });
    const { order } = await pulsekeep.sandbox.control.createOrder({ user_id });
    await pulsekeep.sandbox.control.walkOrder(order.id);
    return { id: order.id, transaction: order.order_transaction.id };
  };

  it('finds the owner of an order before its result is shown', async () => {
    const order = await unheard();
    expect(briefly(await resultOf(order))).toEqual([200, 'final']);
    expect((await pulsekeep.admin('GET', `/orders/${order.id}`)).body).toMatchObject({ account_id });
  });

  it('does not know every id', async () => {
    expect(briefly(await resultOf({ id: nowhere, transaction: nowhere }))).toEqual([404, 'not_found']);
  });

  it('is needed before the result of an unknown order is requested', async () => {
    const order = await unheard();
    await fails(`/v3/order/${order.id}`, 503);
    expect(briefly(await resultOf(order))).toEqual([503, 'upstream_unavailable']);
    const { counts } = await pulsekeep.sandbox.control.calls({ path: '/v3/order/:order_id/result' });
    expect(counts).toEqual({});
  });
});

describe('GET /v3/order_transaction/{id}', () => {
  const refresh = (id: string): Promise<Answer<{ code?: string; status: string }>> =>
    pulsekeep.admin('POST', `/order-transactions/${id}/refresh`);

  it('is read when an operator asks for it', async () => {
    const order = await place();
    await pulsekeep.sandbox.control.setOrderStatus(order.id, 'completed', { notify: false });
    expect((await refresh(order.transaction)).body.status).toBe('completed');
  });

  it('does not know every id', async () => {
    const { status, body } = await refresh(nowhere);
    expect([status, body.code]).toEqual([404, 'not_found']);
  });

  it('may be closed to the team, whose orders give the same facts [orders#access-to-order-transactions]', async () => {
    const order = await place();
    await fails('/v3/order_transaction/.*', 403);
    await pulsekeep.sandbox.control.setOrderStatus(order.id, 'completed', { notify: false });
    expect((await refresh(order.transaction)).body.status).toBe('completed');
  });

  it('does not change stored data while upstream is down', async () => {
    const order = await place();
    await fails('/v3/order.*', 503);
    const { status, body } = await refresh(order.transaction);
    expect([status, body.code]).toEqual([503, 'upstream_unavailable']);
    expect((await pulsekeep.admin('GET', `/order-transactions/${order.transaction}`)).body['status']).toBe('active');
  });
});

describe('GET /v3/orders', () => {
  const lost = async (): Promise<Order> => {
    await pulsekeep.sandbox.control.fault({ kind: 'lose' });
    const { order } = await pulsekeep.sandbox.control.createOrder({ user_id });
    await pulsekeep.sandbox.control.walkOrder(order.id);
    return { id: order.id, transaction: order.order_transaction.id };
  };
  const stored = async (): Promise<unknown[]> =>
    pulsekeep.store.reader.rows('SELECT scope, status FROM lab_results ORDER BY scope');
  const final = [
    { scope: 'order', status: 'final' },
    { scope: 'transaction', status: 'final' },
  ];

  it('finds results whose events never arrived', async () => {
    await lost();
    await pulsekeep.advance(2 * 3_600, 2);
    expect(await stored()).toEqual(final);
  });

  it.each([
    ['is down', 503],
    ['does not let us', 403],
  ])('is read later when upstream %s', async (_, status) => {
    await fails('/v3/orders', status);
    await lost();
    await pulsekeep.advance(2 * 3_600, 2);
    expect(await stored()).toEqual([]);
    await pulsekeep.sandbox.control.clearFaults();
    await pulsekeep.advance(2 * 3_600, 2);
    expect(await stored()).toEqual(final);
  });
});
