import { AlarmsWorker } from '../../src/operations/alarms/alarms.worker.js';
import { newId } from '../../src/platform/platform/ids.js';
import { accessToken, HOUR, SECOND } from '../support/environment.js';
import type { Answer } from '../support/http.js';
import { TestApp } from '../support/test-app.js';

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly waiting: boolean;
  readonly account_id: string | null;
  readonly order_id: string | null;
  readonly order_transaction_id: string | null;
  readonly allowed_actions: string[];
  readonly gone_at: string | null;
  readonly candidates: { account_id: string | null; user_id: string | null; order_id: string | null }[];
  readonly content: { patient?: { first_name?: string } } | null;
  readonly stale: boolean;
  readonly replayed: boolean;
  readonly code: string;
}

const acceptPath = { path: '^/v3/unmatched_result/[^/]+/accept$', method: 'POST' } as const;
const listPath = '/v3/unmatched_result';

describe('a result that upstream could not attach to an order', () => {
  let app: TestApp;
  let users: { ada: string; bob: string };
  let orders: { ada: string; bob: string };

  beforeEach(async () => {
    app = await TestApp.create();
    const userOf = async (id: string): Promise<string> =>
      (await app.as<{ user_id: string }>(id, 'POST', '/me/sign-in-token', {})).body.user_id;
    const orderOf = async (user_id: string): Promise<string> => {
      const { order } = await app.sandbox.control.createOrder({ user_id });
      await app.sandbox.control.walkOrder(order.id, { to: 'requisition_created' });
      return order.id;
    };
    users = { ada: await userOf('ada'), bob: await userOf('bob') };
    orders = { ada: await orderOf(users.ada), bob: await orderOf(users.bob) };
    await app.settle();
  });

  afterEach(() => app.close());

  const announced = async (
    options: Parameters<TestApp['sandbox']['control']['createUnmatchedResult']>[0] = {},
  ): Promise<string> => {
    const given = { order_ids: [orders.ada, orders.bob], ...options };
    const { unmatched_result } = await app.sandbox.control.createUnmatchedResult(given);
    await app.settle();
    return unmatched_result.id;
  };

  const listed = async (query = 'waiting=true'): Promise<Shown[]> =>
    (await app.admin<{ data: Shown[] }>('GET', `/unmatched-results?${query}`, undefined, 'viewer')).body.data;

  const shown = async (id: string, role: 'viewer' | 'reader' = 'viewer'): Promise<Shown> =>
    (await app.admin<Shown>('GET', `/unmatched-results/${id}`, undefined, role)).body;

  const decide = (
    id: string,
    action: 'accept' | 'resolve',
    body: object,
    key: string | null = newId(),
  ): Promise<Answer<Shown>> => {
    const headers = { authorization: 'Bearer backend-key', ...(key === null ? {} : { 'idempotency-key': key }) };
    return app.call<Shown>('POST', `/admin/v1/unmatched-results/${id}/${action}`, headers, body);
  };

  const alarms = async (): Promise<string[]> => {
    await app.run(AlarmsWorker);
    const { body } = await app.admin<{ data: { code: string }[] }>('GET', '/alarms', undefined, 'monitor');
    return body.data.map(({ code }) => code);
  };

  const calls = async (path: string, method = 'POST'): Promise<number> =>
    (await app.sandbox.control.calls({ method, path })).calls.length;

  it('is listed with its candidates, counted and told until it is decided [unmatched-results#match-review-events] [unmatched-results#the-unmatched-result]', async () => {
    const id = await announced();
    expect(await listed()).toMatchObject([
      { id, status: 'pending_customer_review', allowed_actions: ['accept', 'reject', 'unsure'], account_id: null },
    ]);
    expect((await shown(id)).candidates).toMatchObject([
      { account_id: 'ada', user_id: users.ada, order_id: orders.ada },
      { account_id: 'bob', user_id: users.bob, order_id: orders.bob },
    ]);
    expect(await alarms()).toContain('results_to_review');
    expect(await app.metric('unmatched_results_waiting')).toBe(1);
    const overview = await app.admin<{ orders: object }>('GET', '/overview');
    expect(overview.body.orders).toMatchObject({ results_to_review: 1 });

    await decide(id, 'accept', { order_id: orders.ada });
    expect(await listed()).toEqual([]);
    expect(await alarms()).not.toContain('results_to_review');
    expect(await app.metric('unmatched_results_waiting')).toBe(0);
  });

  it('shows patient and markers to readers alone, and stores none of them', async () => {
    const id = await announced();
    expect(await shown(id)).toMatchObject({ content: null, stale: false });
    expect((await shown(id, 'reader')).content?.patient?.first_name).toBe('Unmatched');
    const rows = await app.store.reader.rows('SELECT * FROM unmatched_results, unmatched_result_candidates');
    expect(JSON.stringify(rows)).not.toContain('Unmatched');
    await app.sandbox.control.fault({ kind: 'status', path: listPath, status: 503 });
    expect(await shown(id, 'reader')).toMatchObject({ content: null, stale: true, waiting: true });
  });

  it('is attached to the order that upstream answers, not to the candidate, once for a key [unmatched-results#accept]', async () => {
    const id = await announced({ attaches: 'recreation' });
    const key = newId();
    const { status, body } = await decide(id, 'accept', { order_id: orders.bob, note: 'same sample' }, key);
    expect(status).toBe(200);
    expect(body).toMatchObject({ waiting: false, status: 'matched', account_id: 'bob', replayed: false });
    expect(body.order_id).not.toBe(orders.bob);
    const order = await app.admin<{ parent_id: string }>('GET', `/orders/${body.order_id}`);
    expect(order.body).toMatchObject({ parent_id: orders.bob, origin: 'recreation', account_id: 'bob' });
    expect(order.body).toMatchObject({ order_transaction_id: body.order_transaction_id });

    const again = await decide(id, 'accept', { order_id: orders.bob, note: 'same sample' }, key);
    expect(again).toMatchObject({ status: 200, body: { order_id: body.order_id, replayed: true } });
    const other = await decide(id, 'accept', { order_id: orders.ada }, key);
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    expect(await calls(`/v3/unmatched_result/${id}/accept`)).toBe(1);
  });

  it('is accepted once although the answer was lost', async () => {
    const id = await announced();
    await app.sandbox.control.fault({ kind: 'drop_after', ...acceptPath, times: 1 });
    const { status, body } = await decide(id, 'accept', { order_id: orders.ada });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'matched', waiting: false });
    await app.settle();
    expect(await shown(id)).toMatchObject({ order_id: orders.ada });
    expect(await calls(`/v3/unmatched_result/${id}/accept`)).toBe(1);
  });

  it('whose outcome is unknown is looked at before the same request sends anything', async () => {
    const id = await announced();
    await app.sandbox.control.fault({ kind: 'status', path: listPath, status: 503, times: 20 });
    const key = newId();
    const lost = await decide(id, 'accept', { order_id: orders.ada }, key);
    expect(lost).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
    expect(await app.metric('unmatched_result_decisions_unresolved')).toBe(1);
    await app.sandbox.control.clearFaults();
    await app.sandbox.control.fault({ kind: 'status', ...acceptPath, status: 500, times: 1 });
    await app.wait(60);
    await decide(id, 'accept', { order_id: orders.ada }, key);
    const done = await decide(id, 'accept', { order_id: orders.ada }, key);
    expect(done).toMatchObject({ status: 200, body: { order_id: orders.ada } });
    expect(await app.metric('unmatched_result_decisions_unresolved')).toBe(0);
  });

  it('is refused as upstream refuses: no key, an unclear candidate, a result that nobody has to decide', async () => {
    const id = await announced();
    expect(await decide(id, 'accept', {}, null)).toMatchObject({ body: { code: 'idempotency_key_required' } });
    expect(await decide(id, 'resolve', { action: 'perhaps' })).toMatchObject({ status: 400 });
    expect(await decide(newId(), 'resolve', { action: 'reject' })).toMatchObject({ status: 404 });
    const key = newId();
    const unclear = await decide(id, 'accept', {}, key);
    expect(unclear).toMatchObject({ status: 422, body: { code: 'upstream_invalid_request' } });
    expect(await decide(id, 'accept', { order_id: orders.ada }, key)).toMatchObject({ status: 200 });
    expect(await decide(id, 'accept', { order_id: orders.ada })).toMatchObject({ body: { code: 'conflict' } });
  });

  it("is rejected, or left to upstream's staff, and no longer waits [unmatched-results#resolve]", async () => {
    const [first, second] = [await announced(), await announced()];
    const rejected = await decide(first, 'resolve', { action: 'reject' });
    expect(rejected.body).toMatchObject({ status: 'resolved', waiting: false, order_id: null });
    const left = await decide(second, 'resolve', { action: 'unsure', note: 'two people' });
    expect(left.body).toMatchObject({ status: 'pending_ops_review', waiting: false });
    expect(await alarms()).not.toContain('results_to_review');
  });

  it('decided by somebody else, or no longer shown, stops waiting', async () => {
    const [first, second] = [await announced(), await announced()];
    await app.sandbox.control.hideUnmatchedResult(first);
    const { url } = app.sandbox;
    const headers = { 'content-type': 'application/json', 'x-service-api-key': 'sk_us_sandbox' };
    const body = JSON.stringify({ action: 'reject' });
    await fetch(`${url}/v3/unmatched_result/${second}/resolve`, { method: 'POST', headers, body });
    await app.settle();
    await app.advance(2 * (HOUR / SECOND));
    expect(await listed()).toEqual([]);
    expect(await shown(first)).toMatchObject({ status: 'pending_customer_review', waiting: false });
    expect((await shown(first)).gone_at).not.toBeNull();
    expect(await shown(second)).toMatchObject({ status: 'resolved', gone_at: null });
  });

  it('without an event comes by the list, page by page [unmatched-results#list-of-unmatched-results]', async () => {
    for (let made = 0; made < 53; made++) {
      await app.sandbox.control.createUnmatchedResult({ order_ids: [orders.ada], notify: false });
    }
    await app.advance(2 * (HOUR / SECOND));
    expect(await listed('waiting=true&limit=100')).toHaveLength(53);
  });

  it('of a team without a review queue that an event names all the same keeps waiting', async () => {
    await app.sandbox.control.configure({ review_queue: false });
    const id = await announced();
    expect(await listed()).toMatchObject([{ id, allowed_actions: [] }]);
    expect(await alarms()).toContain('results_to_review');
  });

  it('that names its person is in the timeline, and no ignored message is said to need nothing', async () => {
    await announced({ user_id: users.ada });
    await app.sandbox.control.send({
      event_type: 'continuous_query.result_table.changed',
      user_id: users.ada,
      data: [],
    });
    await app.settle();
    const { body } = await app.admin<{ data: { kind: string; title: string }[] }>('GET', '/accounts/ada/timeline');
    expect(body.data.map(({ kind }) => kind)).toContain('unmatched_result');
    const titles = body.data.filter(({ kind }) => kind === 'message').map(({ title }) => title);
    expect(titles).toContain('A message came and nothing was done with it.');
    expect(titles.join(' ')).not.toContain('needed nothing');
  });

  it('of an erased person leaves with that person, and does not come back as a candidate', async () => {
    const [named, shared] = [await announced({ user_id: users.ada, order_ids: [orders.ada] }), await announced()];
    await app.admin('DELETE', '/accounts/ada');
    await app.settle();
    await app.advance(2 * (HOUR / SECOND), 3);
    const of = (id: string): Promise<unknown[]> =>
      app.store.reader.rows('SELECT user_id FROM unmatched_result_candidates WHERE unmatched_result_id = ?', [id]);
    expect(await of(shared)).toEqual([{ user_id: users.bob }]);
    expect(await of(named)).toEqual([]);
    const rows = await app.store.reader.rows('SELECT * FROM unmatched_results, unmatched_result_candidates');
    expect(JSON.stringify(rows)).not.toContain(users.ada);
  });

  it('is no business of an app', async () => {
    const token = await accessToken('ada');
    const answer = await app.call('GET', '/admin/v1/unmatched-results', `Bearer ${token}`);
    expect(answer.status).toBe(401);
  });
});
