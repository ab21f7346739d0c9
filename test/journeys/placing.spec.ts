import { newId } from '../../src/platform/ids.js';
import { type OrderView, orderBody, place } from '../support/ordering.js';
import { newAccountId, TestPulsekeep } from '../support/test-pulsekeep.js';

interface OwnOrder {
  order_id: string;
  status: string;
  order_transaction: { status: string; act_on: string | null; needs: string | null };
}

describe('an order placed here', () => {
  let test: TestPulsekeep;
  let account_id: string;
  let body: Record<string, unknown>;

  beforeEach(async () => {
    test = await TestPulsekeep.create();
    account_id = newAccountId();
    await test.admin('POST', '/accounts', { account_id });
    body = { ...(await orderBody(test.sandbox.control)), account_id };
  });

  afterEach(() => test.close());

  const own = async (): Promise<OwnOrder[]> =>
    (await test.app<{ data: OwnOrder[] }>(account_id, 'GET', '/me/orders')).body.data;

  it('is seen by its person from the answer on, through its redraw, to its results', async () => {
    const key = newId();
    const { body: placed } = await place(test, key, body);
    expect(await own()).toMatchObject([
      { order_id: placed.order_id, status: 'received.walk_in_test.ordered', order_transaction: { status: 'active' } },
    ]);

    await test.advance(60);
    const { redraw } = await test.sandbox.control.redraw(placed.order_id);
    await test.settle();
    const waiting = await own();
    expect(waiting.map(({ order_id }) => order_id)).toEqual([redraw.id, placed.order_id]);
    expect(waiting[0]?.order_transaction).toMatchObject({ act_on: redraw.id, needs: 'redraw' });

    await test.sandbox.control.walkOrder(redraw.id);
    await test.settle();
    const { body: transaction } = await test.admin('GET', `/order-transactions/${placed.order_transaction_id}`);
    expect(transaction).toMatchObject({ status: 'completed', results_from: 'order_transaction' });

    const again = await place(test, key, body);
    expect(again.body).toMatchObject({ order_id: placed.order_id, replayed: true });
    expect((await test.sandbox.control.truthOrders()).orders).toHaveLength(2);
  });

  it('is cancelled, its transaction with it, and what was placed under its key stays the cancelled one', async () => {
    const key = newId();
    const { body: placed } = await place(test, key, body);
    const cancelled = await test.admin<OrderView>('POST', `/orders/${placed.order_id}/cancel`);
    expect(cancelled.body).toMatchObject({ status: 'cancelled.walk_in_test.cancelled', open_appointments: [] });
    await test.settle();
    expect(await own()).toMatchObject([{ order_transaction: { status: 'cancelled', act_on: null } }]);
    const again = await place(test, key, body);
    expect(again.body).toMatchObject({ order_id: placed.order_id, status: cancelled.body.status, replayed: true });
  });
});
