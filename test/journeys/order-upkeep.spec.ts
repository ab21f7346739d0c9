import { newAccountId } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

interface ChainView {
  order_transaction_id: string;
  status: string;
  act_on: string | null;
  needs: string | null;
  flag: string | null;
  results_from: string | null;
  orders: { order_id: string; origin: string; parent_id: string | null; status: string }[];
}

interface OrderView {
  status: string;
  events: { event_id: number; created_at: string; status: string }[];
}

const hour = 3600;

describe('orders over their life', () => {
  let app: TestApp;
  let user_id: string;

  beforeEach(async () => {
    app = await TestApp.create();
    const login = await app.as<{ user_id: string }>(newAccountId(), 'POST', '/me/sign-in-token', {});
    user_id = login.body.user_id;
  });

  afterEach(() => app.close());

  const listed = async (query: string): Promise<ChainView[]> =>
    (await app.admin<{ data: ChainView[] }>('GET', `/order-transactions?${query}`)).body.data;
  const chain = async (id: string): Promise<ChainView> =>
    (await app.admin<ChainView>('GET', `/order-transactions/${id}`)).body;
  const loseWebhooks = (): Promise<unknown> => app.sandbox.control.fault({ kind: 'lose' });

  it('whose webhooks are all lost are repaired by the list, with the redraw and its outcome [orders#order-transaction-status]', async () => {
    await loseWebhooks();
    const { order } = await app.sandbox.control.createOrder({ user_id });
    const transaction = order.order_transaction.id;
    await app.sandbox.control.walkOrder(order.id, { to: 'requisition_created' });
    await app.advance(hour);
    expect(await chain(transaction)).toMatchObject({ status: 'active', act_on: order.id, needs: null });

    const { redraw } = await app.sandbox.control.redraw(order.id);
    await app.advance(hour);
    expect(await listed('needs=redraw')).toMatchObject([{ order_transaction_id: transaction, act_on: redraw.id }]);

    await app.sandbox.control.walkOrder(redraw.id);
    await app.advance(hour);
    expect(await listed('needs=redraw')).toEqual([]);
    expect(await chain(transaction)).toMatchObject({
      status: 'completed',
      flag: null,
      results_from: 'order_transaction',
      orders: [
        { order_id: order.id, status: 'collecting_sample.walk_in_test.redraw_available' },
        { order_id: redraw.id, parent_id: order.id, status: 'completed.walk_in_test.completed' },
      ],
    });
    expect((await app.sandbox.control.messages({ state: 'delivered' })).messages).toEqual([]);
  });

  it('follow their events: back, and from completed to corrected [orders#statuses] [orders#statuses-go-back]', async () => {
    const { order } = await app.sandbox.control.createOrder({ user_id, collection_method: 'at_home_phlebotomy' });
    const steps = ['appointment_scheduled', 'requisition_created', 'completed', 'corrected'];
    for (const step of steps) {
      await app.advance(60);
      await app.sandbox.control.setOrderStatus(order.id, step);
      await app.settle();
      const { body } = await app.admin<OrderView>('GET', `/orders/${order.id}`);
      expect(body.status.split('.').at(-1)).toBe(step);
    }
    const { body } = await app.admin<OrderView>('GET', `/orders/${order.id}`);
    expect(body.events.map(({ status }) => status.split('.').at(-1))).toEqual(['ordered', ...steps]);
    expect(await chain(order.order_transaction.id)).toMatchObject({ status: 'completed', flag: null });
  });

  it('that are recreated stay one chain, whose last one needs action [orders#origin]', async () => {
    const { order } = await app.sandbox.control.createOrder({ user_id });
    await app.advance(60);
    const { order: second } = await app.sandbox.control.recreate(order.id);
    await app.advance(60);
    await app.sandbox.control.setOrderStatus(order.id, 'cancelled');
    const { order: third } = await app.sandbox.control.recreate(second.id);
    await app.sandbox.control.setOrderStatus(second.id, 'cancelled');
    await app.settle();
    const transaction = order.order_transaction.id;
    expect(await chain(transaction)).toMatchObject({
      status: 'active',
      act_on: third.id,
      flag: null,
      orders: [
        { order_id: order.id, origin: 'initial', parent_id: null },
        { order_id: second.id, origin: 'recreation', parent_id: order.id },
        { order_id: third.id, origin: 'recreation', parent_id: second.id },
      ],
    });
    await app.sandbox.control.walkOrder(third.id);
    await app.settle();
    expect(await chain(transaction)).toMatchObject({ status: 'completed', act_on: null });
  });

  it('that contradict their transaction are flagged without a conclusion, and read again [orders#read-before-deciding]', async () => {
    const { order } = await app.sandbox.control.createOrder({ user_id });
    const transaction = order.order_transaction.id;
    await app.advance(60);
    await loseWebhooks();
    const { order: done } = await app.sandbox.control.walkOrder(order.id);
    await app.sandbox.control.clearFaults('lose');
    const contradiction = { ...done, order_transaction: { ...done.order_transaction, status: 'active' } };
    // The result that is read of a completed order would tell of its transaction, too.
    await app.sandbox.control.fault({ kind: 'status', status: 503, path: '^/v3/.*/result$' });
    await app.sandbox.control.send({ event_type: 'labtest.order.updated', user_id, data: contradiction });
    await app.settle();
    expect(await listed('status=active')).toMatchObject([
      { order_transaction_id: transaction, flag: 'inconsistent', act_on: null, needs: null, results_from: null },
    ]);
    await app.advance(60);
    expect(await listed('status=completed')).toMatchObject([
      { order_transaction_id: transaction, flag: null, results_from: 'order_transaction' },
    ]);
    await app.sandbox.control.clearFaults();
  });

  it('that still contradict it are shown as such, and read only once', async () => {
    await app.settle();
    const { order } = await app.sandbox.control.createOrder({ user_id });
    await app.advance(60);
    const { order: later } = await app.sandbox.control.setOrderStatus(order.id, 'requisition_created', {
      notify: false,
    });
    const contradiction = { ...later, order_transaction: { ...later.order_transaction, status: 'cancelled' } };
    await app.sandbox.control.send({ event_type: 'labtest.order.updated', user_id, data: contradiction });
    await app.settle();
    await app.sandbox.control.clearCalls();
    await app.advance(600, 10);
    expect(await listed('status=cancelled')).toMatchObject([{ flag: 'inconsistent', act_on: null }]);
    expect((await app.sandbox.control.calls()).counts['GET /v3/order/:order_id']).toBe(1);
  });
});
