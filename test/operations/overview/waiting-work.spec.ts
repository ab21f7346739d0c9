import { newAccountId } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

let app: TestApp;
let account_id: string;
let user_id: string;

beforeEach(async () => {
  app = await TestApp.create();
  account_id = newAccountId();
  user_id = (await app.as<{ user_id: string }>(account_id, 'POST', '/me/sign-in-token', {})).body.user_id;
});

afterEach(() => app.close());

const shown = async (path: string): Promise<Record<string, unknown>> =>
  (await app.admin<Record<string, unknown>>('GET', path, undefined, 'viewer')).body;
const fails = (path: string): Promise<unknown> => app.sandbox.control.fault({ kind: 'status', status: 503, path });
const waits = { due_at: expect.stringMatching(/Z$/), last_error: 'upstream_unavailable' };

async function orderWith(to: string): Promise<{ order: string; transaction: string }> {
  const { order } = await app.sandbox.control.createOrder({ user_id });
  await app.sandbox.control.walkOrder(order.id, { to });
  await app.settle();
  return { order: order.id, transaction: order.order_transaction.id };
}

describe('waiting work and its reason', () => {
  it('is shown with an order whose result cannot be read, and with its transaction', async () => {
    await fails('^/v3/order.*/result');
    const { order, transaction } = await orderWith('completed');
    expect(await shown(`/orders/${order}`)).toMatchObject({ result_fetch: waits, refresh: null });
    expect(await shown(`/order-transactions/${transaction}`)).toMatchObject({ result_fetch: waits });
    await app.sandbox.control.clearFaults();
    await app.advance(3_600);
    expect(await shown(`/orders/${order}`)).toMatchObject({ result_fetch: null });
    expect(await shown(`/order-transactions/${transaction}`)).toMatchObject({ result_fetch: null });
  });

  it('is shown with an order that is partly unreadable', async () => {
    const { order } = await orderWith('requisition_created');
    await fails('^/v3/order/');
    await app.store.lane.run((tx) =>
      tx.execute(
        `INSERT INTO due_reads (kind, scope, subject_id, requested_at, due_at, attempts)
         VALUES ('order', 'order', ?, 0, 0, 0)`,
        [order],
      ),
    );
    await app.settle();
    expect(await shown(`/orders/${order}`)).toMatchObject({ refresh: waits });
  });

  it('is shown with an account whose sources cannot be polled', async () => {
    await app.settle();
    expect(await shown(`/accounts/${account_id}`)).toMatchObject({ source_poll: { last_error: null } });
    await fails('^/v2/');
    await app.advance(86_400);
    expect(await shown(`/accounts/${account_id}`)).toMatchObject({ source_poll: waits });
  });
});
