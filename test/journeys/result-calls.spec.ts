import { newAccountId } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';
import { type Answer, type Order, ordersOf } from './support/orders.js';

const hour = 3_600;

let pulsekeep: TestApp;
let account_id: string;
let user_id: string;

async function signIn(): Promise<void> {
  account_id = newAccountId();
  user_id = (await pulsekeep.as<{ user_id: string }>(account_id, 'POST', '/me/sign-in-token', {})).body.user_id;
}

beforeAll(async () => {
  pulsekeep = await TestApp.create();
});

beforeEach(async () => {
  // Long enough for a circuit to close and for limits to end.
  await pulsekeep.wait(hour);
  await signIn();
});

afterEach(() => pulsekeep.sandbox.control.clearFaults());

afterAll(() => pulsekeep.close());

const { place, resultOf, combinedOf, briefly, fails } = ordersOf(
  () => pulsekeep,
  () => user_id,
);

describe('GET /v3/order/{id}/result', () => {
  it('is read again at every request', async () => {
    const order = await place('completed');
    expect(briefly(await resultOf(order))).toEqual([200, 'final']);
  });

  it.each([
    ['has none yet', 404, [404, 'result_not_ready']],
    ['is down', 503, [503, 'upstream_unavailable']],
    ['does not let us', 403, [502, 'upstream_rejected']],
    ['is throttling', 429, [503, 'upstream_throttled']],
  ])('reports when upstream %s', async (_, status, answer) => {
    const order = await place();
    await pulsekeep.sandbox.control.walkOrder(order.id, { to: 'partial_results' });
    await fails('/v3/order/.*/result', status);
    expect(briefly(await resultOf(order))).toEqual(answer);
  });

  it.each(['bad_json', 'empty', 'truncate'] as const)('is not stored from a response that is %s', async (kind) => {
    const order = await place();
    await pulsekeep.sandbox.control.walkOrder(order.id, { to: 'partial_results' });
    await pulsekeep.sandbox.control.fault({ kind, path: `/v3/order/${order.id}/result` });
    expect((await resultOf(order)).status).toBeGreaterThanOrEqual(502);
    expect(await pulsekeep.store.reader.rows('SELECT * FROM lab_results WHERE subject_id = ?', [order.id])).toEqual([]);
  });
});

describe('GET /v3/order_transaction/{id}/result', () => {
  it('returns the result of all its orders', async () => {
    const order = await place('completed');
    expect(briefly(await combinedOf(order))).toEqual([200, 'final']);
  });

  it('has nothing before the first result', async () => {
    expect(briefly(await combinedOf(await place()))).toEqual([404, 'result_not_ready']);
  });

  it('is shown unchanged, marked stale, while upstream fails', async () => {
    const order = await place('completed');
    await fails('/v3/order_transaction/.*/result', 500);
    expect((await combinedOf(order)).body).toMatchObject({ status: 'final', stale: true });
  });

  it('is refused to a team without access', async () => {
    const order = await place('completed');
    await fails('/v3/order_transaction/.*', 403);
    expect(briefly(await combinedOf(order))).toEqual([502, 'upstream_rejected']);
  });
});

describe('GET /v3/order_transaction/{id}/result/pdf', () => {
  const pdfOf = (order: Order): Promise<Answer<string & { code?: string }>> =>
    pulsekeep.admin('GET', `/order-transactions/${order.transaction}/result/pdf`, undefined, 'reader');

  it('is passed through', async () => {
    const { status, body } = await pdfOf(await place('completed'));
    expect([status, body.slice(0, 5)]).toEqual([200, '%PDF-']);
  });

  it('does not exist before there are results', async () => {
    const { status, body } = await pdfOf(await place());
    expect([status, body.code]).toEqual([404, 'result_not_ready']);
  });

  it.each([
    ['plain_text_500', 503, 'upstream_unavailable'],
    ['drop_before', 503, 'upstream_unavailable'],
  ] as const)('is a problem after %s', async (kind, status, code) => {
    const order = await place('completed');
    await pulsekeep.sandbox.control.fault({ kind, path: '^/v3/order_transaction/.*/pdf$' });
    const answer = await pdfOf(order);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
});
