import { adminKeys } from '../../support/environment.js';
import { OrdersWorld } from './support/orders-world.js';

const nowhere = '00000000-0000-4000-8000-000000000000';

let world: OrdersWorld;

beforeEach(async () => {
  world = await OrdersWorld.open();
});

afterEach(() => world.close());

const versions = (): Promise<unknown[]> =>
  world.rows('SELECT scope, version, status, source FROM lab_results ORDER BY scope, version');

describe('whose a result is', () => {
  it('is found out by adopting an order nobody has heard of, and its user', async () => {
    const { users } = await world.control.createUsers({ client_user_id: 'stranger' });
    const order = await world.place(users[0]?.user_id ?? '');
    expect((await world.result(order)).status).toBe(200);
    expect(await world.rows('SELECT a.account_id FROM lab_results r JOIN accounts a ON a.id = r.account_id')).toEqual([
      { account_id: 'stranger' },
    ]);
  });

  it('is found out for a transaction nobody has heard of', async () => {
    const order = await world.place(await world.user());
    expect((await world.combined(order)).status).toBe(200);
    expect(await world.rows('SELECT order_id FROM orders')).toEqual([{ order_id: order.id }]);
  });

  it('keeps it from being shown when it is nobody’s of ours', async () => {
    const { users } = await world.control.createUsers({ client_user_id: 'gone' });
    const order = await world.place(users[0]?.user_id ?? '');
    await world.control.eraseUser(users[0]?.user_id ?? '');
    expect(await world.result(order)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await versions()).toEqual([]);
  });

  it('is asked from upstream before an unverified claim is believed', async () => {
    const order = await world.place(await world.user());
    await world.user('bob');
    await world.fails(503);
    const pair = { account_id: 'bob', order_id: order.id, order_transaction_id: order.transaction };
    expect((await world.send('POST /admin/v1/orders', adminKeys.operator, pair)).status).toBe(201);
    expect((await world.result(order)).body.code).toBe('upstream_unavailable');
    await world.control.clearFaults();
    await world.result(order);
    expect(await world.rows('SELECT a.account_id FROM lab_results r JOIN accounts a ON a.id = r.account_id')).toEqual([
      { account_id: 'ann' },
    ]);
  });

  it.each([
    ['another user', { user_id: nowhere }],
    ['another transaction', { order_transaction: { id: nowhere, status: 'active', orders: [] } }],
  ])('is not that of %s: such an answer is neither shown nor stored', async (_, fields) => {
    const order = await world.place(await world.user());
    await world.control.setResult(order.id, { fields });
    const { status, body } = await world.result(order);
    expect([status, body.code]).toEqual([502, 'upstream_contract']);
    expect((await world.combined(order)).status).toBe(502);
    expect(await versions()).toEqual([]);
    expect(world.service.logs.some((line) => line.includes('order.result_refused'))).toBe(true);
  });

  it('is not that of an order its transaction does not hold', async () => {
    const order = await world.place(await world.user());
    const others = { id: order.transaction, status: 'active', orders: [{ id: nowhere }] };
    await world.control.setResult(order.id, { fields: { order_transaction: others } });
    expect((await world.result(order)).status).toBe(502);
  });

  it('is nobody’s while the account is being erased', async () => {
    const order = await world.place(await world.user());
    await world.result(order);
    await world.service.store.lane.run((tx) => tx.execute(`UPDATE accounts SET status = 'erasing'`));
    expect((await world.result(order)).status).toBe(404);
    expect((await world.result(order, '?version=1')).status).toBe(404);
  });

  it('is for readers only', async () => {
    const order = await world.place(await world.user());
    expect((await world.result(order, '', adminKeys.viewer)).status).toBe(403);
    expect((await world.send(`GET /admin/v1/orders/${order.id}/result/pdf`, adminKeys.viewer)).status).toBe(403);
  });
});
