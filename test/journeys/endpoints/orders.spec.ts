import type { FaultRule } from '../../../sandbox/engine/faults.js';
import { newAccountId } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

type Fault = Partial<FaultRule>;
type Body = Record<string, unknown>;

const hour = 3_600;

let app: TestApp;
let account_id: string;
let user_id: string;

beforeAll(async () => {
  app = await TestApp.create();
});

beforeEach(async () => {
  // Long enough for a circuit to close and for limits to end.
  await app.wait(hour);
  account_id = newAccountId();
  const login = await app.as<{ user_id: string }>(account_id, 'POST', '/me/sign-in-token', {});
  user_id = login.body.user_id;
});

afterEach(() => mend());

afterAll(() => app.close());

const fault = (path: string, rule: Fault): Promise<unknown> =>
  app.sandbox.control.fault({ kind: 'status', path, ...rule });
const mend = (): Promise<void> => app.sandbox.control.clearFaults();

/** An order upstream whose event never came. */
async function order(to?: string): Promise<{ id: string; transaction: string }> {
  const made = await app.sandbox.control.createOrder({ user_id, notify: false });
  const { id, order_transaction } = made.order;
  if (to !== undefined) {
    await app.sandbox.control.fault({ kind: 'lose' });
    await app.sandbox.control.walkOrder(id, { to });
  }
  return { id, transaction: order_transaction.id };
}

describe('the list of orders', () => {
  const stored = async (): Promise<string[]> => {
    const { body } = await app.admin<{ data: { order_id: string }[] }>(
      'GET',
      `/orders?limit=500&account_id=${account_id}`,
    );
    return body.data.map(({ order_id }) => order_id).sort();
  };

  it.each<[string, Fault]>([
    ['503', { status: 503 }],
    ['401', { status: 401 }],
    ['a wish to slow down', { status: 429, retry_after: 60 }],
    ['no JSON', { kind: 'bad_json' }],
    ['half of it', { kind: 'truncate' }],
  ])('that fails with %s is read again, and nothing is missed [orders#list-of-orders]', async (_, rule) => {
    await fault('/v3/orders', rule);
    const made: string[] = [];
    for (let index = 0; index < 60; index++) made.push((await order()).id);
    await app.advance(600, 2);
    expect(await stored()).toEqual([]);
    await mend();
    await app.advance(2 * hour, 4);
    expect(await stored()).toEqual(made.sort());
    const own = await app.as<{ data: unknown[] }>(account_id, 'GET', '/me/orders?limit=500');
    expect(own.body.data).toHaveLength(60);
  });
});

describe('one order', () => {
  it.each<[string, Fault, number, string]>([
    ['404', { status: 404 }, 404, 'not_found'],
    ['401', { status: 401 }, 502, 'upstream_rejected'],
    ['429', { status: 429 }, 503, 'upstream_throttled'],
    ['500', { kind: 'plain_text_500' }, 503, 'upstream_unavailable'],
    ['no JSON', { kind: 'bad_json' }, 502, 'upstream_contract'],
  ])(
    'that fails with %s is an error, and is stored afterwards [orders#the-order-object]',
    async (_, rule, status, code) => {
      const { id, transaction } = await order();
      const give = () => app.admin('POST', '/orders', { account_id, order_id: id });
      await fault(`/v3/order/${id}`, rule);
      const refused = await give();
      expect([refused.status, refused.body['code']]).toEqual([status, code]);
      expect((await app.admin('GET', `/orders/${id}`)).status).toBe(404);
      await mend();
      expect(await give()).toMatchObject({
        status: 201,
        body: { order_id: id, order_transaction_id: transaction, account_id, origin: 'initial' },
      });
    },
  );
});

describe('a transaction', () => {
  const refresh = (id: string) => app.admin<Body>('POST', `/order-transactions/${id}/refresh`);
  const shown = async (id: string): Promise<Body> => (await app.admin<Body>('GET', `/order-transactions/${id}`)).body;

  it('is read with all its orders when an operator asks [orders#order-transactions]', async () => {
    const { id, transaction } = await order('requisition_created');
    await app.advance(60);
    const { redraw } = await app.sandbox.control.redraw(id);
    expect(await refresh(transaction)).toMatchObject({
      status: 200,
      body: { status: 'active', act_on: redraw.id, orders: [{ order_id: id }, { order_id: redraw.id }] },
    });
  });

  it.each<[string, Fault, number, string]>([
    ['429', { status: 429 }, 503, 'upstream_throttled'],
    ['503', { status: 503 }, 503, 'upstream_unavailable'],
    ['no JSON', { kind: 'bad_json' }, 502, 'upstream_contract'],
  ])(
    'does not change if upstream responds with %s, and is read afterwards [orders#order-transactions]',
    async (_, rule, status, code) => {
      const { id, transaction } = await order('requisition_created');
      expect((await app.admin('POST', '/orders', { account_id, order_id: id })).status).toBe(201);
      const before = await shown(transaction);
      await app.advance(60);
      await app.sandbox.control.redraw(id);
      await fault('/v3/order_transaction', rule);
      const refused = await refresh(transaction);
      expect([refused.status, refused.body['code']]).toEqual([status, code]);
      expect(await shown(transaction)).toEqual(before);
      await mend();
      expect(await refresh(transaction)).toMatchObject({ status: 200, body: { needs: 'redraw', orders: [{}, {}] } });
    },
  );
});

describe.each([
  ['an order', 'orders', '^/v3/order/[^/]+/result$'],
  ['a transaction', 'order-transactions', '^/v3/order_transaction/[^/]+/result$'],
])('the result of %s', (_name, place, path) => {
  it.each<[string, Fault, number, string]>([
    ['404', { status: 404 }, 404, 'result_not_ready'],
    ['401', { status: 401 }, 502, 'upstream_rejected'],
    ['429', { status: 429 }, 503, 'upstream_throttled'],
    ['503', { status: 503 }, 503, 'upstream_unavailable'],
    ['no JSON', { kind: 'bad_json' }, 502, 'upstream_contract'],
  ])(
    'that fails with %s is an error, loses nothing, and is returned afterwards [results#the-result]',
    async (_, rule, status, code) => {
      const { id, transaction } = await order('completed');
      const read = () =>
        app.admin<Body>('GET', `/${place}/${place === 'orders' ? id : transaction}/result`, undefined, 'reader');
      await fault(path, rule);
      const refused = await read();
      expect([refused.status, refused.body['code']]).toEqual([status, code]);
      await mend();
      const had = await read();
      expect(had).toMatchObject({ status: 200, body: { status: 'final', version: 1, stale: false } });
      await fault(path, { status: 503 });
      expect(await read()).toMatchObject({ status: 200, body: { ...had.body, stale: true } });
    },
  );
});

describe('the result PDF of a transaction', () => {
  const path = '^/v3/order_transaction/[^/]+/result/pdf$';
  const read = (id: string) => app.admin<string>('GET', `/order-transactions/${id}/result/pdf`, undefined, 'reader');

  it.each<[string, Fault, number, string]>([
    ['404', { status: 404 }, 404, 'result_not_ready'],
    ['401', { status: 401 }, 502, 'upstream_rejected'],
    ['429', { status: 429 }, 503, 'upstream_throttled'],
    ['503', { status: 503 }, 503, 'upstream_unavailable'],
  ])(
    'that fails with %s is an error, and is returned as a file afterwards [results#pdf]',
    async (_, rule, status, code) => {
      const { transaction } = await order('completed');
      await fault(path, rule);
      expect(await read(transaction)).toMatchObject({ status, body: { code } });
      await mend();
      const { status: had, body } = await read(transaction);
      expect([had, body.slice(0, 5)]).toEqual([200, '%PDF-']);
    },
  );
});
