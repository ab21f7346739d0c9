import { newAccountId } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

interface ChainView {
  status: string;
  act_on: string | null;
  orders: { order_id: string; origin: string; order_transaction_id: string; status: string }[];
}

describe('a redraw', () => {
  let app: TestApp;
  let account_id: string;
  let user_id: string;

  beforeEach(async () => {
    app = await TestApp.create();
    account_id = newAccountId();
    user_id = (await app.as<{ user_id: string }>(account_id, 'POST', '/me/sign-in-token', {})).body.user_id;
  });

  afterEach(() => app.close());

  const chain = async (id: string): Promise<ChainView> =>
    (await app.admin<ChainView>('GET', `/order-transactions/${id}`)).body;

  it('is linked to an initial order that has not arrived yet [orders#redraw] [orders#order-transactions]', async () => {
    const { order } = await app.sandbox.control.createOrder({ user_id, notify: false });
    const transaction = order.order_transaction.id;
    await app.sandbox.control.walkOrder(order.id, { to: 'requisition_created' });
    await app.sandbox.control.configureWebhooks({ filter_types: ['labtest.order.created'] });
    const { redraw } = await app.sandbox.control.redraw(order.id, { redraw_first: true });
    await app.settle();

    const seen = await chain(transaction);
    expect(seen.orders.map((entry) => [entry.order_id, entry.origin])).toEqual([
      [order.id, 'initial'],
      [redraw.id, 'redraw'],
    ]);
    expect(seen).toMatchObject({ status: 'active', act_on: redraw.id });

    await app.sandbox.control.configureWebhooks({ filter_types: null });
    await app.sandbox.control.walkOrder(redraw.id);
    await app.settle();
    expect(await chain(transaction)).toMatchObject({ status: 'completed' });

    const own = await app.as<{ data: { order_id: string; order_transaction_id: string }[] }>(
      account_id,
      'GET',
      '/me/orders',
    );
    expect(new Set(own.body.data.map((entry) => `${entry.order_id} ${entry.order_transaction_id}`))).toEqual(
      new Set([`${order.id} ${transaction}`, `${redraw.id} ${transaction}`]),
    );
    const stranger = await app.as(newAccountId(), 'GET', `/me/order-transactions/${transaction}`);
    expect(stranger.status).toBe(404);
  });

  it('stays on the work list from the lost sample until the patient has been drawn again [orders#redraw] [orders#order-transaction-status]', async () => {
    const { order } = await app.sandbox.control.createOrder({ user_id });
    await app.sandbox.control.walkOrder(order.id, { to: 'requisition_created' });
    await app.sandbox.control.setOrderStatus(order.id, 'redraw_available');
    await app.settle();
    const list = async (): Promise<string[]> =>
      (
        await app.admin<{ data: { order_transaction_id: string }[] }>('GET', '/order-transactions?needs=redraw')
      ).body.data.map((entry) => entry.order_transaction_id);
    expect(await list()).toEqual([order.order_transaction.id]);
    const { redraw } = await app.sandbox.control.redraw(order.id);
    await app.settle();
    expect(await list()).toEqual([order.order_transaction.id]);
    await app.sandbox.control.walkOrder(redraw.id);
    await app.settle();
    expect(await list()).toEqual([]);
  });

  it('keeps the pair of an order that the customer placed directly [orders#order-ids]', async () => {
    const { order } = await app.sandbox.control.createOrder({ user_id, notify: false });
    const stored = await app.admin('POST', '/orders', { account_id, order_id: order.id });
    expect(stored.status).toBeLessThan(300);
    const { body } = await app.admin('GET', `/orders/${order.id}`);
    expect(body).toMatchObject({ order_id: order.id, order_transaction_id: order.order_transaction.id });
    const again = await app.admin('POST', '/orders', { account_id, order_id: order.id });
    expect(again.status).toBeLessThan(300);
    const foreign = await app.admin('POST', '/orders', { account_id: newAccountId(), order_id: order.id });
    expect(foreign.status).toBeGreaterThanOrEqual(400);
  });

  it('finds orders whose webhooks never arrived', async () => {
    await app.sandbox.control.fault({ kind: 'lose' });
    const { order } = await app.sandbox.control.createOrder({ user_id });
    await app.advance(2 * 3600, 2);
    const { body } = await app.admin<{ data: { order_id: string }[] }>('GET', '/orders');
    expect(body.data.map((entry) => entry.order_id)).toEqual([order.id]);
  });
});
