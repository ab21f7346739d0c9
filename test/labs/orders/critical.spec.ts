import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { OrderIntake } from '../../../src/labs/intake/order-intake.service.js';
import { adminKeys } from '../../support/environment.js';
import { OrdersWorld, type Placed } from './support/orders-world.js';

const { viewer, reader } = adminKeys;

let world: OrdersWorld;

beforeEach(async () => {
  world = await OrdersWorld.open();
});

afterEach(() => world.close());

async function hearCritical(order_id: string, over: object = {}): Promise<void> {
  const account = (await world.service.get(AccountsService).find('ann'))?.id ?? null;
  const at = new Date(world.service.clock.now()).toISOString();
  const data = {
    order_id,
    sample_id: 'S1',
    status: 'final',
    interpretation: 'critical',
    created_at: at,
    updated_at: at,
    ...over,
  };
  const observed = { account, observedAt: world.service.clock.now() };
  await world.service.store.lane.run((tx) => world.service.get(OrderIntake).applyCritical(tx, data, observed));
}

interface Order {
  order_id: string;
  critical: boolean;
  critical_results: unknown[] | null;
  orders: Order[];
  data: Order[];
}

const read = async (path: string, token: string): Promise<Order> =>
  (await world.send(`GET /admin/v1/${path}`, token)).body as unknown as Order;
const listed = async (query: string): Promise<string[]> =>
  (await read(`orders?${query}`, viewer)).data.map((order) => order.order_id);

async function two(): Promise<[Placed, Placed]> {
  const user = await world.user();
  const orders: [Placed, Placed] = [await world.place(user), await world.place(user)];
  await world.walkList();
  return orders;
}

describe('a critical result', () => {
  it('is a flag to viewers and told to readers, on the order and on the transaction', async () => {
    const [order, other] = await two();
    await hearCritical(order.id);
    const told = [
      {
        order_id: order.id,
        sample_id: 'S1',
        status: 'final',
        interpretation: 'critical',
        created_at: '2026-11-20T12:00:00.000Z',
      },
    ];
    expect(await read(`orders/${order.id}`, viewer)).toMatchObject({ critical: true, critical_results: null });
    expect(await read(`orders/${order.id}`, reader)).toMatchObject({ critical: true, critical_results: told });
    const path = `order-transactions/${order.transaction}`;
    expect(await read(path, viewer)).toMatchObject({
      critical: true,
      critical_results: null,
      orders: [{ critical: true }],
    });
    expect(await read(path, reader)).toMatchObject({ critical: true, critical_results: told });
    expect(await read(`orders/${other.id}`, reader)).toMatchObject({ critical: false, critical_results: [] });
  });

  it('selects orders', async () => {
    const [order, other] = await two();
    await hearCritical(order.id);
    await hearCritical(order.id, { sample_id: 'S2' });
    expect(await listed('critical=true')).toEqual([order.id]);
    expect(await listed('critical=false')).toEqual([other.id]);
    expect((await listed('')).sort()).toEqual([order.id, other.id].sort());
    expect((await world.send('GET /admin/v1/orders?critical=yes', viewer)).status).toBe(400);
  });

  it('is linked to its transaction and account when the order becomes known after it', async () => {
    const user = await world.user();
    const order = await world.place(user);
    await hearCritical(order.id);
    expect(await read(`orders/${order.id}`, viewer)).toMatchObject({ critical: true, order_transaction_id: null });
    await world.walkList();
    const transaction = await read(`order-transactions/${order.transaction}`, reader);
    expect(transaction).toMatchObject({ critical: true, critical_results: [{ order_id: order.id }] });
    expect(
      await world.rows('SELECT a.account_id FROM critical_results c JOIN accounts a ON a.id = c.account_id'),
    ).toEqual([{ account_id: 'ann' }]);
  });

  it('is found among many orders by way of the critical ones', async () => {
    if (world.service.store.reader.dialect !== 'sqlite') return;
    const plan = await world.rows(
      `EXPLAIN QUERY PLAN SELECT o.order_id FROM orders o WHERE o.order_id IN (SELECT c.order_id FROM critical_results c)
       ORDER BY o.created_at DESC, o.order_id DESC LIMIT 10`,
    );
    expect(plan.map((step) => step['detail'])).toContainEqual(expect.stringMatching(/^SEARCH o USING .*order_id=\?/));
  });
});
