import { newAccountId, TestPulsekeep } from '../support/test-pulsekeep.js';

interface ChainView {
  status: string;
  act_on: string | null;
  orders: { order_id: string; origin: string; order_transaction_id: string; status: string }[];
}

describe('a redraw', () => {
  let test: TestPulsekeep;
  let account_id: string;
  let user_id: string;

  beforeEach(async () => {
    test = await TestPulsekeep.create();
    account_id = newAccountId();
    user_id = (await test.app<{ user_id: string }>(account_id, 'POST', '/me/sign-in-token', {})).body.user_id;
  });

  afterEach(() => test.close());

  const chain = async (id: string): Promise<ChainView> =>
    (await test.admin<ChainView>('GET', `/order-transactions/${id}`)).body;

  it('is linked to an initial order that nobody has seen yet', async () => {
    const { order } = await test.sandbox.control.createOrder({ user_id, notify: false });
    const transaction = order.order_transaction.id;
    await test.sandbox.control.walkOrder(order.id, { to: 'requisition_created' });
    await test.sandbox.control.configureWebhooks({ filter_types: ['labtest.order.created'] });
    const { redraw } = await test.sandbox.control.redraw(order.id, { redraw_first: true });
    await test.settle();

    const seen = await chain(transaction);
    expect(seen.orders.map((entry) => [entry.order_id, entry.origin])).toEqual([
      [order.id, 'initial'],
      [redraw.id, 'redraw'],
    ]);
    expect(seen).toMatchObject({ status: 'active', act_on: redraw.id });

    await test.sandbox.control.configureWebhooks({ filter_types: null });
    await test.sandbox.control.walkOrder(redraw.id);
    await test.settle();
    expect(await chain(transaction)).toMatchObject({ status: 'completed' });

    const own = await test.app<{ data: { order_id: string; order_transaction_id: string }[] }>(
      account_id,
      'GET',
      '/me/orders',
    );
    expect(new Set(own.body.data.map((entry) => `${entry.order_id} ${entry.order_transaction_id}`))).toEqual(
      new Set([`${order.id} ${transaction}`, `${redraw.id} ${transaction}`]),
    );
    const stranger = await test.app(newAccountId(), 'GET', `/me/order-transactions/${transaction}`);
    expect(stranger.status).toBe(404);
  });

  it('stays on the work list from the lost sample until the patient has been drawn again', async () => {
    const { order } = await test.sandbox.control.createOrder({ user_id });
    await test.sandbox.control.walkOrder(order.id, { to: 'requisition_created' });
    await test.sandbox.control.setOrderStatus(order.id, 'redraw_available');
    await test.settle();
    const list = async (): Promise<string[]> =>
      (
        await test.admin<{ data: { order_transaction_id: string }[] }>('GET', '/order-transactions?needs=redraw')
      ).body.data.map((entry) => entry.order_transaction_id);
    expect(await list()).toEqual([order.order_transaction.id]);
    const { redraw } = await test.sandbox.control.redraw(order.id);
    await test.settle();
    expect(await list()).toEqual([order.order_transaction.id]);
    await test.sandbox.control.walkOrder(redraw.id);
    await test.settle();
    expect(await list()).toEqual([]);
  });

  it('keeps the pair of an order the customer placed by himself', async () => {
    const { order } = await test.sandbox.control.createOrder({ user_id, notify: false });
    const stored = await test.admin('POST', '/orders', { account_id, order_id: order.id });
    expect(stored.status).toBeLessThan(300);
    const { body } = await test.admin('GET', `/orders/${order.id}`);
    expect(body).toMatchObject({ order_id: order.id, order_transaction_id: order.order_transaction.id });
    const again = await test.admin('POST', '/orders', { account_id, order_id: order.id });
    expect(again.status).toBeLessThan(300);
    const foreign = await test.admin('POST', '/orders', { account_id: newAccountId(), order_id: order.id });
    expect(foreign.status).toBeGreaterThanOrEqual(400);
  });

  it('finds orders whose webhooks never came', async () => {
    await test.sandbox.control.configureWebhooks({ lose_rate: 1 });
    const { order } = await test.sandbox.control.createOrder({ user_id });
    await test.advance(2 * 3600, 2);
    const { body } = await test.admin<{ data: { order_id: string }[] }>('GET', '/orders');
    expect(body.data.map((entry) => entry.order_id)).toEqual([order.id]);
  });
});
