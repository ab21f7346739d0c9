import { newAccountId } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';
import { testDatabase } from '../support/test-store.js';

const nowhere = '00000000-0000-4000-8000-000000000000';

interface Result {
  code?: string;
  status: string;
  version: number;
  stale: boolean;
  first_seen_at: string;
  results: { name: string; result: string }[];
  missing_results: unknown[];
  versions: { version: number; status: string; source: string }[];
}

interface Order {
  readonly id: string;
  readonly transaction: string;
}

let pulsekeep: TestApp;
let account_id: string;
let user_id: string;

async function signIn(): Promise<void> {
  account_id = newAccountId();
  user_id = (await pulsekeep.as<{ user_id: string }>(account_id, 'POST', '/me/sign-in-token', {})).body.user_id;
}

beforeEach(async () => {
  pulsekeep = await TestApp.create();
  await signIn();
});

afterEach(() => pulsekeep.close());

async function place(to = 'requisition_created', notify = true): Promise<Order> {
  const { order } = await pulsekeep.sandbox.control.createOrder({ user_id, notify });
  await pulsekeep.sandbox.control.walkOrder(order.id, { to });
  await pulsekeep.settle();
  return { id: order.id, transaction: order.order_transaction.id };
}

interface Answer<T> {
  readonly status: number;
  readonly body: T;
}

const resultOf = (order: Order): Promise<Answer<Result>> =>
  pulsekeep.admin<Result>('GET', `/orders/${order.id}/result`, undefined, 'reader');
const combinedOf = (order: Order): Promise<Answer<Result>> =>
  pulsekeep.admin<Result>('GET', `/order-transactions/${order.transaction}/result`, undefined, 'reader');
const briefly = ({ status, body }: Answer<Result>): unknown[] => [status, body.code ?? body.status];

/** Upstream answers a path so for as long as the test says nothing else. */
const fails = (path: string, status: number): Promise<unknown> =>
  pulsekeep.sandbox.control.fault({ kind: 'status', status, path: `^${path}$` });

describe('from the lab to whoever reads the result', () => {
  it('partial, final and corrected results are in the store before anybody asks', async () => {
    const order = await place();
    await pulsekeep.sandbox.control.setOrderStatus(order.id, 'partial_results');
    await pulsekeep.settle();
    await pulsekeep.advance(3_600);
    await pulsekeep.sandbox.control.walkOrder(order.id);
    await pulsekeep.settle();
    await pulsekeep.advance(3_600);
    await pulsekeep.sandbox.control.setOrderStatus(order.id, 'corrected');
    await pulsekeep.settle();
    await fails('/v3/order/.*', 503);
    const { body } = await resultOf(order);
    expect(body).toMatchObject({ status: 'final', version: 3, stale: true, first_seen_at: '2026-11-20T14:00:00.000Z' });
    expect(body.versions).toMatchObject([
      { version: 3, status: 'final', source: 'fetch' },
      { version: 2, status: 'final', source: 'fetch' },
      { version: 1, status: 'partial', source: 'fetch' },
    ]);
  });

  it('a redraw ends with the combined result of both orders, and what is missing of the first stays known', async () => {
    const order = await place();
    const { redraw } = await pulsekeep.sandbox.control.redraw(order.id);
    await pulsekeep.settle();
    const first = await resultOf(order);
    expect(first.body).toMatchObject({ status: 'partial', missing_results: [{}] });
    await pulsekeep.sandbox.control.walkOrder(redraw.id);
    await pulsekeep.settle();
    const combined = await combinedOf(order);
    expect(combined.body).toMatchObject({ status: 'final', stale: false, missing_results: [] });
    expect(combined.body.results.length).toBeGreaterThan(first.body.results.length);
  });

  it('an event whose process died before the result was fetched is made up for by the next process', async () => {
    const database = await testDatabase();
    const first = await TestApp.create({ database, upstream: pulsekeep.sandbox, clock: pulsekeep.clock });
    const { order } = await pulsekeep.sandbox.control.createOrder({ user_id });
    await pulsekeep.sandbox.control.walkOrder(order.id);
    await pulsekeep.sandbox.control.advance(0);
    await pulsekeep.sandbox.control.configureWebhooks({ paused: true });
    const inbox = first.pulsekeep.workers.all().find((loop) => loop.name === 'inbox');
    await inbox?.runUntilIdle();
    const waiting = (app: TestApp): Promise<unknown[]> =>
      app.store.reader.rows('SELECT scope FROM result_fetches ORDER BY scope');
    expect(await waiting(first)).toEqual([{ scope: 'order' }, { scope: 'transaction' }]);
    await first.close();
    const second = await TestApp.create({ database, upstream: pulsekeep.sandbox, clock: pulsekeep.clock });
    await second.pulsekeep.workers.runUntilIdle();
    expect(await waiting(second)).toEqual([]);
    expect(await second.store.reader.rows('SELECT scope FROM lab_results ORDER BY scope')).toEqual([
      { scope: 'order' },
      { scope: 'transaction' },
    ]);
    await second.close();
    await database.drop();
  });

  it('a critical result is raised to operators, and its values are for readers [results#critical-result-event]', async () => {
    const order = await place('completed');
    await pulsekeep.sandbox.control.critical(order.id);
    await pulsekeep.settle();
    const overview = await pulsekeep.admin('GET', '/overview', undefined, 'viewer');
    expect(overview.body).toMatchObject({
      orders: { critical_results: 1, critical_results_last_7_days: 1 },
      alarms: [{ code: 'critical_results', count: 1 }],
    });
    const list = await pulsekeep.admin('GET', '/orders?critical=true', undefined, 'viewer');
    expect(list.body).toMatchObject({ data: [{ order_id: order.id, critical: true }] });
    const asViewer = await pulsekeep.admin('GET', `/orders/${order.id}`, undefined, 'viewer');
    expect(JSON.stringify(asViewer.body)).not.toContain('interpretation');
    const asReader = await pulsekeep.admin('GET', `/order-transactions/${order.transaction}`, undefined, 'reader');
    expect(asReader.body).toMatchObject({ critical: true, critical_results: [{ interpretation: 'critical' }] });
  });

  it('an appointment is followed from booking to its end, for operators and for the person', async () => {
    const order = await place();
    const first = await book(order, 0);
    await pulsekeep.settle();
    await pulsekeep.advance(3_600);
    await pulsekeep.sandbox.control.setAppointment(order.id, 'cancelled');
    await pulsekeep.settle();
    const second = await book(order, 1);
    await pulsekeep.advance(3_600);
    await pulsekeep.sandbox.control.setAppointment(order.id, 'in_progress');
    await pulsekeep.settle();
    const appointments = [
      { appointment_id: first, status: 'cancelled', is_active: false, history: [{}, { status: 'cancelled' }] },
      {
        appointment_id: second,
        order_transaction_id: order.transaction,
        status: 'in_progress',
        is_active: true,
        iana_timezone: 'America/New_York',
        start_at: expect.stringMatching(/Z$/),
        history: [{ status: 'scheduled' }, { status: 'in_progress' }],
      },
    ];
    expect((await pulsekeep.admin('GET', `/orders/${order.id}`, undefined, 'viewer')).body).toMatchObject({
      appointments,
    });
    expect((await pulsekeep.admin('GET', `/order-transactions/${order.transaction}`)).body).toMatchObject({
      appointments,
    });
    expect((await pulsekeep.as(account_id, 'GET', '/me/orders')).body).toMatchObject({ data: [{ appointments }] });
    const own = await pulsekeep.as(account_id, 'GET', `/me/order-transactions/${order.transaction}`);
    expect(own.body).toMatchObject({ appointments });
  });

  it('leaves no value of it in the log, in figures or in errors', async () => {
    const order = await place();
    await pulsekeep.sandbox.control.setResult(order.id, {
      results: { GLU: 'MARKED' },
      metadata: { patient: 'MARKED', interpretation: 'MARKED' },
      fields: { addendum: 'MARKED' },
    });
    await pulsekeep.sandbox.control.walkOrder(order.id);
    await pulsekeep.sandbox.control.critical(order.id);
    await pulsekeep.settle();
    expect(JSON.stringify((await resultOf(order)).body)).toContain('MARKED');
    await fails('/v3/order.*', 403);
    const refused = await resultOf(order);
    expect(refused.status).toBe(502);
    const { body: figures } = await pulsekeep.call<string>('GET', '/metrics');
    expect(figures).toContain('pulsekeep_results_stored_total');
    expect([...pulsekeep.logs, figures, JSON.stringify(refused.body)].join('\n')).not.toContain('MARKED');
  });
});

/** Books the free slot at an index, as the customer's own backend does. */
async function book({ id }: Order, slot: number): Promise<string> {
  const ask = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${pulsekeep.sandbox.url}/v3/order/${path}`, {
      method: 'POST',
      headers: { 'x-service-api-key': 'sk_us_sandbox', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Record<string, unknown>;
  };
  const found = await ask('psc/appointment/availability', { lab: 'quest', zip_code: '10001', radius: '25' });
  const [day] = found['slots'] as { slots: { booking_key: string }[] }[];
  const booked = await ask(`${id}/psc/appointment/book`, { booking_key: day?.slots[slot]?.booking_key });
  return String(booked['id']);
}

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
  ])('says so when upstream %s', async (_, status, answer) => {
    const order = await place();
    await pulsekeep.sandbox.control.walkOrder(order.id, { to: 'partial_results' });
    await fails('/v3/order/.*/result', status);
    expect(briefly(await resultOf(order))).toEqual(answer);
  });

  it.each(['bad_json', 'empty', 'truncate'] as const)('is not stored from an answer that is %s', async (kind) => {
    const order = await place();
    await pulsekeep.sandbox.control.walkOrder(order.id, { to: 'partial_results' });
    await pulsekeep.sandbox.control.fault({ kind, path: `/v3/order/${order.id}/result` });
    expect((await resultOf(order)).status).toBeGreaterThanOrEqual(502);
    expect(await pulsekeep.store.reader.rows('SELECT * FROM lab_results')).toEqual([]);
  });
});

describe('GET /v3/order_transaction/{id}/result', () => {
  it('gives the result of all its orders', async () => {
    const order = await place('completed');
    expect(briefly(await combinedOf(order))).toEqual([200, 'final']);
  });

  it('has nothing before the first result', async () => {
    expect(briefly(await combinedOf(await place()))).toEqual([404, 'result_not_ready']);
  });

  it('is shown as it was, marked stale, while upstream fails', async () => {
    const order = await place('completed');
    await fails('/v3/order_transaction/.*/result', 500);
    expect((await combinedOf(order)).body).toMatchObject({ status: 'final', stale: true });
  });

  it('is a refusal to a team without access', async () => {
    const order = await place('completed');
    await fails('/v3/order_transaction/.*', 403);
    expect(briefly(await combinedOf(order))).toEqual([502, 'upstream_rejected']);
  });
});

describe('GET /v3/order_transaction/{id}/result/pdf', () => {
  const pdfOf = (order: Order): Promise<Answer<string & { code?: string }>> =>
    pulsekeep.admin('GET', `/order-transactions/${order.transaction}/result/pdf`, undefined, 'reader');

  it('is handed through', async () => {
    const { status, body } = await pdfOf(await place('completed'));
    expect([status, body.slice(0, 5)]).toEqual([200, '%PDF-']);
  });

  it('is not there before there are results', async () => {
    const { status, body } = await pdfOf(await place());
    expect([status, body.code]).toEqual([404, 'result_not_ready']);
  });

  it.each([
    ['plain_text_500', 503, 'upstream_unavailable'],
    ['drop_before', 503, 'upstream_unavailable'],
  ] as const)('that meets %s is a problem', async (kind, status, code) => {
    const order = await place('completed');
    await pulsekeep.sandbox.control.fault({ kind, path: '^/v3/order_transaction/.*/pdf$' });
    const answer = await pdfOf(order);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
});

describe('GET /v3/order/{id}', () => {
  /** An order nobody here has heard of. */
  const unheard = async (): Promise<Order> => {
    await pulsekeep.sandbox.control.configureWebhooks({ lose_rate: 1 });
    const { order } = await pulsekeep.sandbox.control.createOrder({ user_id });
    await pulsekeep.sandbox.control.walkOrder(order.id);
    return { id: order.id, transaction: order.order_transaction.id };
  };

  it('tells whose an order is before its result is shown', async () => {
    const order = await unheard();
    expect(briefly(await resultOf(order))).toEqual([200, 'final']);
    expect((await pulsekeep.admin('GET', `/orders/${order.id}`)).body).toMatchObject({ account_id });
  });

  it('does not know every id', async () => {
    expect(briefly(await resultOf({ id: nowhere, transaction: nowhere }))).toEqual([404, 'not_found']);
  });

  it('is needed: without it no result of an unknown order is asked for', async () => {
    const order = await unheard();
    await fails(`/v3/order/${order.id}`, 503);
    expect(briefly(await resultOf(order))).toEqual([503, 'upstream_unavailable']);
    const { counts } = await pulsekeep.sandbox.control.calls({ path: '/v3/order/:order_id/result' });
    expect(counts).toEqual({});
  });
});

describe('GET /v3/order_transaction/{id}', () => {
  const refresh = (id: string): Promise<Answer<{ code?: string; status: string }>> =>
    pulsekeep.admin('POST', `/order-transactions/${id}/refresh`);

  it('is read when an operator asks for it', async () => {
    const order = await place();
    await pulsekeep.sandbox.control.setOrderStatus(order.id, 'completed', { notify: false });
    expect((await refresh(order.transaction)).body.status).toBe('completed');
  });

  it('does not know every id', async () => {
    const { status, body } = await refresh(nowhere);
    expect([status, body.code]).toEqual([404, 'not_found']);
  });

  it('may be closed to the team: its orders tell as much [orders#access-to-order-transactions]', async () => {
    const order = await place();
    await fails('/v3/order_transaction/.*', 403);
    await pulsekeep.sandbox.control.setOrderStatus(order.id, 'completed', { notify: false });
    expect((await refresh(order.transaction)).body.status).toBe('completed');
  });

  it('leaves what is stored alone while upstream is down', async () => {
    const order = await place();
    await fails('/v3/order.*', 503);
    const { status, body } = await refresh(order.transaction);
    expect([status, body.code]).toEqual([503, 'upstream_unavailable']);
    expect((await pulsekeep.admin('GET', `/order-transactions/${order.transaction}`)).body['status']).toBe('active');
  });
});

describe('GET /v3/orders', () => {
  const lost = async (): Promise<Order> => {
    await pulsekeep.sandbox.control.configureWebhooks({ lose_rate: 1 });
    const { order } = await pulsekeep.sandbox.control.createOrder({ user_id });
    await pulsekeep.sandbox.control.walkOrder(order.id);
    return { id: order.id, transaction: order.order_transaction.id };
  };
  const stored = async (): Promise<unknown[]> =>
    pulsekeep.store.reader.rows('SELECT scope, status FROM lab_results ORDER BY scope');
  const final = [
    { scope: 'order', status: 'final' },
    { scope: 'transaction', status: 'final' },
  ];

  it('heals results whose events never came', async () => {
    await lost();
    await pulsekeep.advance(2 * 3_600, 2);
    expect(await stored()).toEqual(final);
  });

  it.each([
    ['is down', 503],
    ['does not let us', 403],
  ])('is walked later when upstream %s', async (_, status) => {
    await fails('/v3/orders', status);
    await lost();
    await pulsekeep.advance(2 * 3_600, 2);
    expect(await stored()).toEqual([]);
    await pulsekeep.sandbox.control.clearFaults();
    await pulsekeep.advance(2 * 3_600, 2);
    expect(await stored()).toEqual(final);
  });
});
