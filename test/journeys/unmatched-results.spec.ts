import { UnmatchedResults } from '../../src/labs/reviews/unmatched-results.service.js';
import { AlarmsWorker } from '../../src/operations/alarms/alarms.worker.js';
import { newId } from '../../src/platform/platform/ids.js';
import { UnmatchedResultsClient } from '../../src/upstream/client/unmatched-results.client.js';
import { tablesWith } from '../privacy/erasure/support/filling.js';
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

const missing = (): never => {
  throw new Error('upstream has no such item');
};

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

  it('is listed with its candidates, counted and reported until it is decided [unmatched-results#match-review-events] [unmatched-results#the-unmatched-result]', async () => {
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

  it('is read again although it was read while the clock was hours ahead', async () => {
    app.clock.step(6 * HOUR);
    const id = await announced();
    app.clock.step(-6 * HOUR);
    await decide(id, 'accept', { order_id: orders.ada });
    expect(await shown(id)).toMatchObject({ status: 'matched', waiting: false });
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

  it('has times of upstream, which may lack an offset', async () => {
    const id = await announced();
    const client = app.get(UnmatchedResultsClient);
    const item = (await client.find(id, { priority: 'interactive' })) ?? missing();
    const times = { created_at: '2026-11-19T08:00:00', updated_at: '2026-11-19T09:00:00' };
    const read = { item: { ...item, ...times }, accounts: new Map<string, number>() };
    await app.store.lane.run((tx) => app.get(UnmatchedResults).applyItem(tx, read, app.clock.now()));
    expect(await shown(id)).toMatchObject({
      created_at: '2026-11-19T08:00:00.000Z',
      updated_at: '2026-11-19T09:00:00.000Z',
    });
  });

  it('is attached once for a key, to the order that upstream returns instead of the candidate [unmatched-results#accept]', async () => {
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

  it('is accepted once although the response was lost', async () => {
    const id = await announced();
    await app.sandbox.control.fault({ kind: 'drop_after', ...acceptPath, times: 1 });
    const { status, body } = await decide(id, 'accept', { order_id: orders.ada });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'matched', waiting: false });
    await app.settle();
    expect(await shown(id)).toMatchObject({ order_id: orders.ada });
    expect(await calls(`/v3/unmatched_result/${id}/accept`)).toBe(1);
  });

  it('whose outcome is unknown is read before the same request sends anything', async () => {
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

  it('whose decision under another key was made meanwhile is not reported as decided by the first request', async () => {
    const id = await announced();
    await app.sandbox.control.fault({ kind: 'drop_before', ...acceptPath });
    const key = newId();
    expect(await decide(id, 'accept', { order_id: orders.ada }, key)).toMatchObject({ status: 503 });
    await app.sandbox.control.clearFaults();
    const rejected = await decide(id, 'resolve', { action: 'reject' });
    expect(rejected).toMatchObject({ status: 200, body: { status: 'resolved' } });
    const late = await decide(id, 'accept', { order_id: orders.ada }, key);
    expect(late).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await app.metric('unmatched_result_decisions_unresolved')).toBe(0);
  });

  it('belongs to the person whose order it was attached to, not to the one named before', async () => {
    const id = await announced({ user_id: users.ada });
    expect(await shown(id)).toMatchObject({ account_id: 'ada', order_id: null });
    const data = { id, status: 'matched', decision_code: 'match_completed', sub_reason_codes: [] };
    const resolved = { resolved_user_id: users.bob, resolved_order_id: orders.bob };
    await app.sandbox.control.send({ event_type: 'labtest.match_review.updated', data: { ...data, ...resolved } });
    await app.settle();
    expect(await shown(id)).toMatchObject({ account_id: 'bob', order_id: orders.bob });
  });

  it('is refused like upstream refuses: no key, an unclear candidate, a result without a decision to make', async () => {
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

  it('stops waiting if it is decided elsewhere or no longer shown', async () => {
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

  it('without an event is found through the list, page by page [unmatched-results#list-of-unmatched-results]', async () => {
    for (let made = 0; made < 53; made++) {
      await app.sandbox.control.createUnmatchedResult({ order_ids: [orders.ada], notify: false });
    }
    await app.advance(2 * (HOUR / SECOND));
    expect(await listed('waiting=true&limit=100')).toHaveLength(53);
  });

  it('of a team without a review queue keeps waiting if an event names it', async () => {
    await app.sandbox.control.configure({ review_queue: false });
    const id = await announced();
    expect(await listed()).toMatchObject([{ id, allowed_actions: [] }]);
    expect(await alarms()).toContain('results_to_review');
  });

  it('that names its person is in the timeline, and its messages do not count as ignored', async () => {
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
    expect(titles.join(' ')).toContain('arrived and was ignored.');
    expect(titles.join(' ')).not.toContain('needed nothing');
  });

  it('is exported with its person, without the other people who were candidates', async () => {
    const id = await announced();
    await decide(id, 'accept', { order_id: orders.ada });
    await app.settle();
    expect((await shown(id)).candidates).toHaveLength(2);
    const { body } = await app.admin<string>('GET', '/accounts/ada/export', undefined, 'reader');
    expect(body).toContain(`"type":"unmatched_result","data":{"id":"${id}"`);
    const lines = body.split('\n').filter((line) => line.startsWith('{"type":"unmatched_result_candidate"'));
    expect(lines).toEqual([expect.stringContaining(orders.ada)]);
    for (const other of [users.bob, orders.bob]) expect(lines.join('')).not.toContain(other);
  });

  it('of an erased person is deleted with that person, and does not return as a candidate', async () => {
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

  it('attached to an order that became known later is deleted with its person', async () => {
    const id = await announced();
    await app.store.lane.run(async (tx) => {
      await tx.execute(`DELETE FROM due_reads WHERE kind = 'order' AND subject_id = ?`, [orders.ada]);
      for (const table of ['order_events', 'orders'])
        await tx.execute(`DELETE FROM ${table} WHERE order_id = ?`, [orders.ada]);
    });
    const data = { id, status: 'matched', decision_code: 'match_completed', sub_reason_codes: [] };
    const event = { event_type: 'labtest.match_review.updated', data: { ...data, resolved_order_id: orders.ada } };
    await app.sandbox.control.send(event);
    await app.settle();
    expect(await shown(id)).toMatchObject({ order_id: orders.ada, account_id: null });
    expect((await app.admin('POST', '/orders', { account_id: 'ada', order_id: orders.ada })).status).toBe(201);
    await app.admin('DELETE', '/accounts/ada');
    await app.settle();
    expect(await tablesWith(app.store, orders.ada)).toEqual([]);
  });

  it('is not available to an app', async () => {
    const token = await accessToken('ada');
    const answer = await app.call('GET', '/admin/v1/unmatched-results', `Bearer ${token}`);
    expect(answer.status).toBe(401);
  });
});
