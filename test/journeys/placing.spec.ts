import { newId } from '../../src/platform/platform/ids.js';
import { newAccountId } from '../support/environment.js';
import { type OrderView, orderBody, place } from '../support/ordering.js';
import { TestApp } from '../support/test-app.js';

interface OwnOrder {
  order_id: string;
  status: string;
  order_transaction: { status: string; act_on: string | null; needs: string | null };
}

describe('an order placed here', () => {
  let app: TestApp;
  let account_id: string;
  let body: Record<string, unknown>;

  beforeEach(async () => {
    app = await TestApp.create();
    account_id = newAccountId();
    await app.admin('POST', '/accounts', { account_id });
    body = { ...(await orderBody(app.sandbox.control)), account_id };
  });

  afterEach(() => app.close());

  const own = async (): Promise<OwnOrder[]> =>
    (await app.as<{ data: OwnOrder[] }>(account_id, 'GET', '/me/orders')).body.data;

  it('is shown to its person from the response on, through its redraw, to its results', async () => {
    const key = newId();
    const { body: placed } = await place(app, key, body);
    expect(await own()).toMatchObject([
      { order_id: placed.order_id, status: 'received.walk_in_test.ordered', order_transaction: { status: 'active' } },
    ]);

    await app.advance(60);
    const { redraw } = await app.sandbox.control.redraw(placed.order_id);
    await app.settle();
    const waiting = await own();
    expect(waiting.map(({ order_id }) => order_id)).toEqual([redraw.id, placed.order_id]);
    expect(waiting[0]?.order_transaction).toMatchObject({ act_on: redraw.id, needs: 'redraw' });

    await app.sandbox.control.walkOrder(redraw.id);
    await app.settle();
    const { body: transaction } = await app.admin('GET', `/order-transactions/${placed.order_transaction_id}`);
    expect(transaction).toMatchObject({ status: 'completed', results_from: 'order_transaction' });

    const again = await place(app, key, body);
    expect(again.body).toMatchObject({ order_id: placed.order_id, replayed: true });
    expect((await app.sandbox.control.truthOrders()).orders).toHaveLength(2);
  });

  it('is cancelled with its transaction, and its key still returns the cancelled order [orders#cancel] [orders#order-transaction-status]', async () => {
    const key = newId();
    const { body: placed } = await place(app, key, body);
    const cancelled = await app.admin<OrderView>('POST', `/orders/${placed.order_id}/cancel`);
    expect(cancelled.body).toMatchObject({ status: 'cancelled.walk_in_test.cancelled', open_appointments: [] });
    await app.settle();
    expect(await own()).toMatchObject([{ order_transaction: { status: 'cancelled', act_on: null } }]);
    const again = await place(app, key, body);
    expect(again.body).toMatchObject({ order_id: placed.order_id, status: cancelled.body.status, replayed: true });
  });
});
