import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { OrderPairsService } from '../../../src/labs/order-api/order-pairs.service.js';
import { OrderRefreshWorker } from '../../../src/labs/upstream-orders/order-refresh.worker.js';
import { OrderSyncWorker } from '../../../src/labs/upstream-orders/order-sync.worker.js';
import { ClockStepsWorker } from '../../../src/storage/work/clock-steps.worker.js';
import { codeOf } from '../../support/code-of.js';
import { TestApp } from '../../support/test-app.js';

const interactive = { priority: 'interactive' } as const;
const hour = 3_600_000;
const list = 'GET /v3/orders';
const walk = "FROM walks WHERE name = 'order_list'";

let service: TestApp;

beforeEach(async () => {
  service = await TestApp.create({ webhooks: false });
});

afterEach(() => service.close());

interface Row {
  [column: string]: string | number | null;
}

const rows = (sql: string): Promise<Row[]> => service.store.reader.rows<Row>(sql);
const walkList = (app = service): Promise<void> => app.get(OrderSyncWorker).loop.runUntilIdle();
const refresh = (): Promise<void> => service.get(OrderRefreshWorker).loop.runUntilIdle();

async function userOf(accountId: string): Promise<string> {
  const account = await service.get(AccountsService).ensure(accountId, interactive);
  return account.upstream_user_id ?? '';
}

async function advance(ms: number): Promise<void> {
  service.clock.advance(ms);
  await service.sandbox.control.advance(ms / 1000);
}

const sorted = <T extends { id?: unknown }>(all: readonly T[]): T[] =>
  [...all].sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));

/** What is stored against what upstream has, order by order. */
async function expectConverged(): Promise<void> {
  const { orders } = await service.sandbox.control.truthOrders();
  const stored = await rows(
    `SELECT o.order_id AS id, o.order_transaction_id, t.status AS transaction_status, o.origin, o.parent_id,
       o.status, o.created_at, a.upstream_user_id AS user_id
     FROM orders o JOIN order_transactions t ON t.order_transaction_id = o.order_transaction_id
       JOIN accounts a ON a.id = o.account_id`,
  );
  const truth = orders.map((order) => ({ ...order, created_at: Date.parse(order.created_at) }));
  const short = stored.map((row) => ({ ...row, id: row['id'], status: String(row['status']).split('.').at(-1) }));
  expect(sorted(short)).toEqual(sorted(truth));
}

describe('the list of orders', () => {
  it('once a week shows which orders upstream no longer has, and each of them is read for certainty', async () => {
    await service.sandbox.control.createOrder({ user_id: await userOf('anna'), notify: false });
    const seenAt = service.clock.now();
    await walkList();
    await service.store.lane.run((tx) =>
      tx.execute(
        `INSERT INTO orders (order_id, account_id, status, created_at, version, observed_at, stored_at)
         SELECT ?, account_id, status, created_at, version, observed_at, stored_at FROM orders`,
        ['00000000-0000-4000-8000-00000000aaaa'],
      ),
    );
    for (let days = 0; days < 8; days++) {
      await advance(24 * hour);
      await walkList();
    }
    await refresh();
    expect(await rows(`SELECT subject_id AS order_id, due_at, error_code FROM due_reads WHERE kind = 'order'`)).toEqual(
      [{ order_id: '00000000-0000-4000-8000-00000000aaaa', due_at: null, error_code: 'not_found' }],
    );
    const shown = await service.admin('GET', '/orders/00000000-0000-4000-8000-00000000aaaa');
    expect(shown.body).toMatchObject({
      refresh: { due_at: null, last_error: 'not_found' },
      last_seen_at: new Date(seenAt).toISOString(),
    });
    const { counts } = await service.sandbox.control.calls({ path: '/v3/orders' });
    expect(counts[list]).toBe(9);
  });

  it('is read page by page, with its users adopted, until the store equals upstream [orders#list-of-orders]', async () => {
    const { users } = await service.sandbox.control.createUsers({ count: 3, prefix: 'patient' });
    for (let i = 0; i < 120; i += 1) {
      await service.sandbox.control.createOrder({ user_id: users[i % 3]?.user_id ?? '', notify: false });
    }
    await walkList();
    await expectConverged();
    expect(await service.callsTo(list)).toBe(3);
    expect(await rows(`SELECT COUNT(*) AS count FROM due_reads WHERE kind = 'order'`)).toEqual([{ count: 0 }]);
  });

  it('finds orders missed since the last pass, including redraws', async () => {
    const user = await userOf('ann');
    const { order } = await service.sandbox.control.createOrder({ user_id: user, notify: false });
    await walkList();
    await advance(hour);
    await service.sandbox.control.redraw(order.id, { notify: false });
    await walkList();
    await expectConverged();
    expect(await rows('SELECT needs FROM order_transactions')).toEqual([{ needs: 'redraw' }]);
  });

  it('pauses between two passes', async () => {
    await walkList();
    await advance(hour / 2);
    await walkList();
    expect(await service.callsTo(list)).toBe(1);
    await advance(hour / 2);
    await walkList();
    expect(await service.callsTo(list)).toBe(2);
  });

  it('is filtered by updates since the last pass, less the look-back', async () => {
    const user = await userOf('ann');
    for (let i = 0; i < 60; i += 1) await service.sandbox.control.createOrder({ user_id: user, notify: false });
    await walkList();
    await advance(72 * hour);
    await walkList();
    await advance(hour);
    await service.sandbox.control.createOrder({ user_id: user, notify: false });
    await service.sandbox.control.clearCalls();
    await walkList();
    expect(await service.callsTo(list)).toBe(1);
    await expectConverged();
  });

  it('finds through its look-back orders that upstream dates before the last pass, because its clock is behind', async () => {
    const user = await userOf('ann');
    service.clock.advance(2 * hour);
    await walkList();
    await service.sandbox.control.createOrder({ user_id: user, notify: false });
    service.clock.advance(hour);
    await walkList();
    await expectConverged();
    expect(await rows('SELECT COUNT(*) AS count FROM orders')).toEqual([{ count: 1 }]);
  });

  it('finds orders made after a pass for which the clock was days ahead', async () => {
    const user = await userOf('ann');
    service.clock.step(72 * hour);
    await service.run(ClockStepsWorker);
    await walkList();
    service.clock.step(-72 * hour);
    await service.run(ClockStepsWorker);
    await service.sandbox.control.createOrder({ user_id: user, notify: false });
    await advance(hour);
    await walkList();
    await expectConverged();
  });

  it('continues at the page where the process ended', async () => {
    const user = await userOf('ann');
    for (let i = 0; i < 120; i += 1) await service.sandbox.control.createOrder({ user_id: user, notify: false });
    await service.sandbox.control.fault({ kind: 'status', status: 503, path: '/v3/orders', skip: 1 });
    await walkList();
    expect(await rows(`SELECT pages, error_code, high_water_mark ${walk}`)).toEqual([
      { pages: 1, error_code: 'upstream_unavailable', high_water_mark: null },
    ]);
    await service.sandbox.control.clearFaults();
    await service.sandbox.control.clearCalls();
    await advance(hour / 4);
    const next = await service.another();
    await walkList(next);
    expect(await service.callsTo(list)).toBe(2);
    expect(await rows(`SELECT pages, error_code, started_at ${walk}`)).toEqual([
      { pages: 0, error_code: null, started_at: null },
    ]);
    await expectConverged();
  });

  it('continues after unreadable orders, and counts them', async () => {
    const user = await userOf('ann');
    const control = service.sandbox.control;
    const { order: bad } = await control.createOrder({ user_id: user, notify: false });
    const { order: good } = await control.createOrder({ user_id: user, notify: false });
    const orders = ['no order', { ...bad, user_id: null }, good];
    const body = JSON.stringify({ orders, total: 3, page: 1, size: 50 });
    await control.fault({ kind: 'status', status: 200, path: '/v3/orders', body, times: 1 });
    await walkList();
    expect(await rows('SELECT order_id FROM orders')).toEqual([{ order_id: good.id }]);
    expect(await rows(`SELECT error_code, pages, started_at, unreadable ${walk}`)).toEqual([
      { error_code: null, pages: 0, started_at: null, unreadable: 2 },
    ]);
    const overview = await service.admin<{ orders: { unreadable: number } }>('GET', '/overview');
    expect(overview.body.orders.unreadable).toBe(2);
    expect(await service.metric('upstream_unreadable_items_total', { operation: 'GET /v3/orders' })).toBe(2);
    await advance(hour);
    await walkList();
    await expectConverged();
    expect(await rows(`SELECT unreadable ${walk}`)).toEqual([{ unreadable: 0 }]);
  });

  it('is not read until the next interval by a team without access to orders [environments#key-permissions]', async () => {
    const started = service.logs.length;
    await service.sandbox.control.fault({ kind: 'status', status: 403, path: '/v3/orders' });
    await walkList();
    await advance(hour / 2);
    await walkList();
    expect(await service.callsTo(list)).toBe(1);
    expect(await rows(`SELECT error_code ${walk}`)).toEqual([{ error_code: 'upstream_rejected' }]);
    expect(service.logs.slice(started).filter((line) => /"level":"(?:warn|error)"/.test(line))).toEqual([]);
  });

  it('is read by one process at a time', async () => {
    const other = await service.another();
    await Promise.all([walkList(), walkList(other)]);
    expect(await service.callsTo(list)).toBe(1);
  });
});

describe('a pair given by an operator', () => {
  const store = (pair: { account_id: string; order_id: string; order_transaction_id?: string }): Promise<unknown> =>
    codeOf(service.get(OrderPairsService).storePair(pair));

  it('is completed by upstream [orders#the-order-object]', async () => {
    const { order } = await service.sandbox.control.createOrder({ user_id: await userOf('ann'), notify: false });
    expect(await store({ account_id: 'ann', order_id: order.id })).toBe('done');
    await expectConverged();
  });

  it('is refused for an account the order does not belong to', async () => {
    const { order } = await service.sandbox.control.createOrder({ user_id: await userOf('ann'), notify: false });
    await userOf('bob');
    expect(await store({ account_id: 'bob', order_id: order.id })).toBe('conflict');
    expect(await rows('SELECT * FROM orders')).toEqual([]);
  });

  it('is refused with the transaction of another order [orders#order-transactions]', async () => {
    const user = await userOf('ann');
    const { order } = await service.sandbox.control.createOrder({ user_id: user, notify: false });
    const { order: other } = await service.sandbox.control.createOrder({ user_id: user, notify: false });
    const pair = { account_id: 'ann', order_id: order.id, order_transaction_id: other.order_transaction.id };
    expect(await store(pair)).toBe('conflict');
  });

  it('is not found if upstream does not know the order, or if the account is unknown', async () => {
    const order_id = '00000000-0000-4000-8000-000000000000';
    await userOf('ann');
    expect(await store({ account_id: 'ann', order_id })).toBe('not_found');
    expect(await store({ account_id: 'nobody', order_id })).toBe('not_found');
    expect(await rows('SELECT * FROM orders')).toEqual([]);
  });

  describe('while upstream is down', () => {
    const down = (): Promise<unknown> => service.sandbox.control.fault({ kind: 'status', status: 503, path: '/v3/' });

    it('is stored completely and verified once upstream is back', async () => {
      const { order } = await service.sandbox.control.createOrder({ user_id: await userOf('ann'), notify: false });
      await down();
      const pair = { account_id: 'ann', order_id: order.id, order_transaction_id: order.order_transaction.id };
      expect(await store(pair)).toBe('done');
      expect(await rows('SELECT order_id, order_transaction_id, status, version FROM orders')).toEqual([
        { order_id: order.id, order_transaction_id: order.order_transaction.id, status: null, version: 0 },
      ]);
      await refresh();
      expect(await rows(`SELECT attempts, waits, error_code FROM due_reads WHERE kind = 'order'`)).toEqual([
        { attempts: 0, waits: 1, error_code: 'upstream_unavailable' },
      ]);
      await service.sandbox.control.clearFaults();
      await advance(hour);
      await refresh();
      await expectConverged();
      expect(await rows(`SELECT * FROM due_reads WHERE kind = 'order'`)).toEqual([]);
    });

    it('is refused if incomplete, and nothing is stored', async () => {
      const { order } = await service.sandbox.control.createOrder({ user_id: await userOf('ann'), notify: false });
      await down();
      expect(await store({ account_id: 'ann', order_id: order.id })).toBe('upstream_unavailable');
      expect(await rows('SELECT * FROM orders')).toEqual([]);
    });

    it('is refused for an order that is stored as that of another', async () => {
      const { order } = await service.sandbox.control.createOrder({ user_id: await userOf('ann'), notify: false });
      await walkList();
      await userOf('bob');
      await down();
      const pair = { account_id: 'bob', order_id: order.id, order_transaction_id: order.order_transaction.id };
      expect(await store(pair)).toBe('conflict');
    });

    it('is refused in a transaction that is stored as that of another', async () => {
      const { order } = await service.sandbox.control.createOrder({ user_id: await userOf('ann'), notify: false });
      await walkList();
      const of = { user_id: await userOf('bob'), notify: false };
      const { order: own } = await service.sandbox.control.createOrder(of);
      await down();
      const pair = { account_id: 'bob', order_id: own.id, order_transaction_id: order.order_transaction.id };
      expect(await store(pair)).toBe('conflict');
    });

    it('goes to the account of its user, whichever account claimed it before', async () => {
      const { order } = await service.sandbox.control.createOrder({ user_id: await userOf('ann'), notify: false });
      await userOf('bob');
      await down();
      await store({ account_id: 'bob', order_id: order.id, order_transaction_id: order.order_transaction.id });
      await service.sandbox.control.clearFaults();
      await advance(hour);
      await refresh();
      await expectConverged();
    });

    it('is read again for 30 days if upstream does not know it, and then given up', async () => {
      await userOf('ann');
      await down();
      const id = (last: number): string => `00000000-0000-4000-8000-00000000000${last}`;
      await store({ account_id: 'ann', order_id: id(1), order_transaction_id: id(2) });
      await service.sandbox.control.clearFaults();
      await advance(hour);
      await refresh();
      expect(await rows(`SELECT error_code FROM due_reads WHERE kind = 'order' AND due_at IS NOT NULL`)).toEqual([
        { error_code: 'not_found' },
      ]);
      await service.store.lane.run((tx) => tx.execute(`UPDATE due_reads SET attempts = 129 WHERE kind = 'order'`));
      await advance(8 * hour);
      await refresh();
      expect(await rows(`SELECT due_at, error_code FROM due_reads WHERE kind = 'order'`)).toEqual([
        { due_at: null, error_code: 'not_found' },
      ]);
    });
  });
});
