import { newAccountId } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';
import { testDatabase } from '../support/test-store.js';
import { type Order, ordersOf } from './support/orders.js';

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

const { place, resultOf, combinedOf, fails } = ordersOf(
  () => pulsekeep,
  () => user_id,
);

describe('from the lab to the reader of the result', () => {
  it('partial, final and corrected results are stored before the first request', async () => {
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

  it('a redraw ends with the combined result of both orders, and the missing markers of the first stay known', async () => {
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

  it('the next process fetches the result of an event whose process died before', async () => {
    const database = await testDatabase();
    const first = await TestApp.create({ database, upstream: pulsekeep.sandbox, clock: pulsekeep.clock });
    const { order } = await pulsekeep.sandbox.control.createOrder({ user_id });
    await pulsekeep.sandbox.control.walkOrder(order.id);
    await pulsekeep.sandbox.control.advance(0);
    await pulsekeep.sandbox.control.configureWebhooks({ paused: true });
    for (const name of ['inbox', 'owner-lookups', 'inbox']) {
      await first.pulsekeep.workers
        .all()
        .find((loop) => loop.name === name)
        ?.runUntilIdle();
    }
    const waiting = (app: TestApp): Promise<unknown[]> =>
      app.store.reader.rows(`SELECT scope FROM due_reads WHERE kind = 'result' ORDER BY scope`);
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
      orders: { critical_results: 1, critical_results_untold: 1 },
      alarms: [{ code: 'critical_results', count: 1 }],
    });
    const list = await pulsekeep.admin('GET', '/orders?critical=true', undefined, 'viewer');
    expect(list.body).toMatchObject({ data: [{ order_id: order.id, critical: true }] });
    const asViewer = await pulsekeep.admin('GET', `/orders/${order.id}`, undefined, 'viewer');
    expect(JSON.stringify(asViewer.body)).not.toContain('interpretation');
    const asReader = await pulsekeep.admin('GET', `/order-transactions/${order.transaction}`, undefined, 'reader');
    expect(asReader.body).toMatchObject({ critical: true });
    expect(JSON.stringify(asReader.body)).toContain('"interpretation":"critical"');
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

  it('no value is in the log, in metrics or in errors', async () => {
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
  const found = await ask('psc/appointment/availability?lab=quest&zip_code=10001&radius=25', {});
  const [day] = found['slots'] as { slots: { booking_key: string }[] }[];
  const booked = await ask(`${id}/psc/appointment/book`, { booking_key: day?.slots[slot]?.booking_key });
  return String(booked['id']);
}
