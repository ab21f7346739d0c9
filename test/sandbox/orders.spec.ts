import type { Sandbox } from '../../sandbox/server.js';
import { until } from '../support/until.js';
import { call, callAsItIs, closeAll, KEY_HEADERS, newUser, sandboxFor } from './support.js';

afterEach(closeAll);

const PATIENT = {
  first_name: 'Ada',
  last_name: 'Sample',
  dob: '1980-02-03',
  gender: 'female',
  phone_number: '+10000000000',
  email: 'ada@sandbox.example',
};
const ADDRESS = { first_line: '1 Street', city: 'New York', state: 'NY', zip: '10001', country: 'US' };

async function orderBody(sandbox: Sandbox, user_id: string, method = 'walk_in_test'): Promise<Record<string, unknown>> {
  const { lab_tests } = await sandbox.control.labTests();
  const labTest = lab_tests.find((each) => each.method === method);
  return {
    user_id,
    patient_details: PATIENT,
    patient_address: ADDRESS,
    order_set: { lab_test_ids: [labTest?.id] },
    passthrough: 'ref-1',
  };
}

async function eventTypes(sandbox: Sandbox): Promise<string[]> {
  return (await sandbox.control.messages()).messages.map(({ event_type }) => event_type);
}

describe('orders of the sandbox', () => {
  it('places an order with its transaction and sends an event', async () => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox);
    const { status, body } = await call(sandbox, 'POST /v3/order', await orderBody(sandbox, user_id));
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'success', message: expect.any(String) });
    expect(body.order).toMatchObject({
      user_id,
      origin: 'initial',
      sample_id: null,
      passthrough: 'ref-1',
      status: 'received',
      last_event: { id: expect.any(Number), status: 'received.walk_in_test.ordered' },
      order_transaction: {
        status: 'active',
        orders: [{ id: body.order.id, low_level_status: 'ordered', parent_id: null }],
      },
    });
    expect(await eventTypes(sandbox)).toEqual(['labtest.order.created']);
    expect((await call(sandbox, `GET /v3/order/${body.order.id}`)).body).toEqual(body.order);
    const detail = (await call(sandbox, `GET /v3/order_transaction/${body.order.order_transaction.id}`)).body;
    expect(detail.orders[0]).toMatchObject({ last_status: 'ordered', origin: 'initial' });
  });

  it('returns the first outcome for a repeated idempotency key and places one order', async () => {
    const sandbox = await sandboxFor();
    const body = await orderBody(sandbox, await newUser(sandbox));
    const headers = { ...KEY_HEADERS, 'x-idempotency-key': 'k1' };
    const first = await call(sandbox, 'POST /v3/order', body, headers);
    const again = await call(sandbox, 'POST /v3/order', body, headers);
    expect(again.body).toEqual(first.body);
    expect((await sandbox.control.truthOrders()).orders).toHaveLength(1);
    await sandbox.control.advance(25 * 3600);
    await call(sandbox, 'POST /v3/order', body, headers);
    expect((await sandbox.control.truthOrders()).orders).toHaveLength(2);
  });

  it('refuses a request whose key another one is using, without storing that, and places one order', async () => {
    const sandbox = await sandboxFor();
    const body = await orderBody(sandbox, await newUser(sandbox));
    const headers = { ...KEY_HEADERS, 'x-idempotency-key': 'k1' };
    await sandbox.control.fault({ kind: 'slow_after', path: '/v3/order', method: 'POST', delay_ms: 60_000, times: 1 });
    const gone = new AbortController();
    const first = fetch(`${sandbox.url}/v3/order`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: gone.signal,
    }).catch(() => 'gone');
    await until(async () => (await sandbox.control.truthOrders()).orders.length === 1);
    const busy = await call(sandbox, 'POST /v3/order', body, headers);
    expect([busy.status, busy.body]).toEqual([409, { detail: expect.any(String) }]);
    gone.abort();
    expect(await first).toBe('gone');
    await until(async () => (await call(sandbox, 'POST /v3/order', body, headers)).status === 200);
    expect((await sandbox.control.truthOrders()).orders).toHaveLength(1);
  });

  it('keeps a failure under its key by default, and never a validation failure [orders#idempotency]', async () => {
    const sandbox = await sandboxFor();
    const good = await orderBody(sandbox, await newUser(sandbox));
    const bad = { ...good, order_set: null };
    const kept = { ...KEY_HEADERS, 'x-idempotency-key': 'kept' };
    const free = { ...KEY_HEADERS, 'x-idempotency-key': 'free', 'x-idempotency-error': 'no-cache' };
    const send = async (body: unknown, headers: Record<string, string>): Promise<number> =>
      (await call(sandbox, 'POST /v3/order', body, headers)).status;
    expect([await send(bad, kept), await send(good, kept)]).toEqual([400, 400]);
    expect([await send(bad, free), await send(good, free)]).toEqual([400, 200]);
    const late = { ...KEY_HEADERS, 'x-idempotency-key': 'late' };
    expect([
      await send({ ...good, patient_details: { ...PATIENT, first_name: 'Zoë' } }, late),
      await send(good, late),
    ]).toEqual([422, 200]);
  });

  it.each(['consents', 'priority'])(
    'refuses null as %s, which may be omitted [orders#place-an-order]',
    async (field) => {
      const sandbox = await sandboxFor();
      const good = await orderBody(sandbox, await newUser(sandbox));
      const refused = await call(sandbox, 'POST /v3/order', { ...good, [field]: null });
      expect([refused.status, refused.body]).toMatchObject([422, { detail: [{ loc: ['body', field] }] }]);
      expect((await call(sandbox, 'POST /v3/order', good)).status).toBe(200);
    },
  );

  it('has no result, no PDF and no metadata of an order whose result it withdrew [results#before-there-are-results]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox);
    const { body } = await call(sandbox, 'POST /v3/order', await orderBody(sandbox, user_id));
    const { id } = body.order as { id: string };
    await call(sandbox, `POST /v3/order/${id}/test`);
    const statuses = (): Promise<number[]> =>
      Promise.all(
        ['', '/pdf', '/metadata'].map(
          async (part) => (await callAsItIs(sandbox, `GET /v3/order/${id}/result${part}`)).status,
        ),
      );
    await until(async () => (await statuses()).every((status) => status === 200));
    await sandbox.control.setResult(id, { withdrawn: true });
    expect(await statuses()).toEqual([404, 404, 404]);
    await sandbox.control.setResult(id, { withdrawn: false });
    expect(await statuses()).toEqual([200, 200, 200]);
  });

  it('cancels orders that can be cancelled and refuses others in its own form [orders#cancel]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox);
    const { order } = await sandbox.control.createOrder({ user_id });
    const cancelled = (await call(sandbox, `POST /v3/order/${order.id}/cancel`)).body.order;
    expect(cancelled.last_event.status).toBe('cancelled.walk_in_test.cancelled');
    expect(cancelled.order_transaction.status).toBe('cancelled');
    const refused = await call(sandbox, `POST /v3/order/${order.id}/cancel`);
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({ error: 'Bad Request', message: expect.any(String), status_code: 400 });
  });

  it.each(['walk_in_test', 'at_home_phlebotomy', 'testkit', 'on_site_collection'])(
    'walks %s to completed by simulation [environments#orders-in-the-sandbox-environment] [orders#life-of-a-walk-in-order]',
    async (method) => {
      const sandbox = await sandboxFor();
      const user_id = await newUser(sandbox);
      const { order } = await sandbox.control.createOrder({ user_id, collection_method: method });
      expect((await call(sandbox, `GET /v3/order/${order.id}/result`)).status).toBe(404);
      expect((await call(sandbox, `POST /v3/order/${order.id}/test`)).body).toBe('Success');
      const walked = (await call(sandbox, `GET /v3/order/${order.id}`)).body;
      expect(walked.last_event.status).toBe(`completed.${method}.completed`);
      expect(walked.order_transaction.status).toBe('completed');
      expect(walked.events[1].status).toBe(`received.${method}.requisition_created`);
      const result = (await call(sandbox, `GET /v3/order/${order.id}/result`)).body;
      expect(result.metadata).toMatchObject({ status: 'final', specimen_number: walked.sample_id });
      expect(result.results.length).toBeGreaterThan(0);
      expect((await call(sandbox, `GET /v3/order/${order.id}/result/metadata`)).body).toEqual(result.metadata);
      const pdf = await call(sandbox, `GET /v3/order/${order.id}/result/pdf`);
      expect([pdf.headers.get('content-type'), pdf.text.slice(0, 5)]).toEqual(['application/pdf', '%PDF-']);
    },
  );

  it('overrides generated results and the PDF, which may have any size [orders#simulate]', async () => {
    const sandbox = await sandboxFor();
    const { order } = await sandbox.control.createOrder({ user_id: await newUser(sandbox) });
    await sandbox.control.walkOrder(order.id);
    const over = { results: { GLU: 5 }, metadata: { status: 'odd' }, fields: { addendum: 'x' }, missing: true };
    await sandbox.control.setResult(order.id, { ...over, pdf_bytes: 200_000 });
    const { body } = await callAsItIs(sandbox, `GET /v3/order/${order.id}/result`);
    expect(body).toMatchObject({ results: { GLU: 5 }, metadata: { status: 'odd' }, addendum: 'x' });
    expect(body.missing_results).toHaveLength(1);
    const pdf = await call(sandbox, `GET /v3/order/${order.id}/result/pdf`);
    expect([pdf.text.length, pdf.text.slice(0, 5)]).toEqual([200_000, '%PDF-']);
    expect(await sandbox.control.downloads(order.id)).toEqual([{ order_id: order.id, sent: 200_000, state: 'ended' }]);
  });

  it('filters and pages the list [orders#list-of-orders]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox);
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      ids.push((await sandbox.control.createOrder({ user_id })).order.id);
      await sandbox.control.advance(60);
    }
    await sandbox.control.walkOrder(ids[2] ?? '');
    const list = async (query: string): Promise<unknown> =>
      ((await call(sandbox, `GET /v3/orders?${query}`)).body.orders as { id: string }[]).map(({ id }) =>
        ids.indexOf(id),
      );
    expect(await list('order_direction=asc&order_key=created_at')).toEqual([0, 1, 2]);
    expect(await list('order_direction=asc&size=2&page=2')).toEqual([2]);
    expect(await list('status=completed&status=cancelled')).toEqual([2]);
    expect(await list(`order_ids=${ids[1]}`)).toEqual([1]);
    expect((await call(sandbox, 'GET /v3/orders?size=101')).status).toBe(422);
    expect((await call(sandbox, 'GET /v3/orders?status=unheard_of')).status).toBe(422);
  });

  it('sends the latest event of orders again [orders#resend-events]', async () => {
    const sandbox = await sandboxFor();
    const { order } = await sandbox.control.createOrder({ user_id: await newUser(sandbox), notify: false });
    expect((await call(sandbox, 'POST /v3/order/resend_events', { order_ids: [order.id] })).body).toEqual({
      order_ids: [order.id],
    });
    expect(await eventTypes(sandbox)).toEqual(['labtest.order.created']);
    expect((await call(sandbox, 'POST /v3/order/resend_events', {})).status).toBe(422);
  });
});

describe('redraw', () => {
  it('adds a second order to the transaction, which ends with it [orders#redraw]', async () => {
    const sandbox = await sandboxFor();
    const { order } = await sandbox.control.createOrder({ user_id: await newUser(sandbox), notify: false });
    await sandbox.control.walkOrder(order.id, { to: 'requisition_created' });
    const made = await sandbox.control.redraw(order.id, { redraw_first: true });
    expect(made.redraw).toMatchObject({
      origin: 'redraw',
      order_transaction: { id: order.order_transaction.id, status: 'active' },
    });
    expect(await eventTypes(sandbox)).toEqual([
      'labtest.order.updated',
      'labtest.order.created',
      'labtest.order.updated',
    ]);
    expect((await call(sandbox, `POST /v3/order/${order.id}/cancel`)).status).toBe(400);
    expect((await call(sandbox, `GET /v3/order/${order.id}/result`)).body.missing_results).toHaveLength(1);
    await expect(sandbox.control.redraw(order.id)).rejects.toThrow('at most one redraw');
    await sandbox.control.walkOrder(made.redraw.id);
    const transaction = `/v3/order_transaction/${order.order_transaction.id}`;
    expect((await call(sandbox, `GET ${transaction}`)).body).toMatchObject({
      status: 'completed',
      orders: [
        { id: order.id, last_status: 'redraw_available' },
        { id: made.redraw.id, parent_id: order.id },
      ],
    });
    const combined = (await call(sandbox, `GET ${transaction}/result`)).body;
    expect(combined).toMatchObject({ missing_results: [], order_transaction: { status: 'completed' } });
    expect((await call(sandbox, `GET ${transaction}/result/pdf`)).text.slice(0, 5)).toBe('%PDF-');
  });

  it('may be followed by a recreation, a correction and a critical result', async () => {
    const sandbox = await sandboxFor();
    const { order } = await sandbox.control.createOrder({ user_id: await newUser(sandbox), notify: false });
    const recreation = (await sandbox.control.recreate(order.id)).order;
    expect(recreation.origin).toBe('recreation');
    await sandbox.control.setOrderStatus(order.id, 'cancelled');
    await sandbox.control.walkOrder(recreation.id);
    await sandbox.control.setOrderStatus(recreation.id, 'corrected');
    await sandbox.control.critical(recreation.id);
    const { messages } = await sandbox.control.messages({ event_type: 'labtest.result.critical' });
    const { data } = JSON.parse((await sandbox.control.message(messages[0]?.id ?? '')).body);
    expect(data).toMatchObject({ order_id: recreation.id, interpretation: 'critical' });
    expect(data).not.toHaveProperty('order_transaction_id');
    const rows = (await sandbox.control.truthOrders()).orders.map(({ status, transaction_status: t }) => [status, t]);
    expect(rows).toEqual([
      ['cancelled', 'completed'],
      ['corrected', 'completed'],
    ]);
  });
});
