import { newId } from '../../src/platform/platform/ids.js';
import { newAccountId } from '../support/environment.js';
import { orderBody, place } from '../support/ordering.js';
import { TestApp } from '../support/test-app.js';

interface Appointment {
  appointment_id: string;
  status: string;
  start_at: string;
  is_active: boolean;
  history: { status: string }[];
}

describe('an appointment, from the search to its end,', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create();
  });

  afterEach(() => app.close());

  it('is found, booked, moved and cancelled by the backend, and shown to the person at every step', async () => {
    const account = newAccountId();
    const backend = <T>(method: string, path: string, body?: unknown) => app.admin<T>(method, path, body, 'backend');
    await backend('POST', '/accounts', { account_id: account });
    const tests = await backend<{ data: { id: string; method: string }[] }>('GET', '/labs/tests');
    const test = tests.body.data.find(({ method }) => method === 'walk_in_test');
    const body = { ...(await orderBody(app.sandbox.control)), order_set: { lab_test_ids: [test?.id] } };
    const placed = await place(app, newId(), { ...body, account_id: account }, 'backend');
    await app.sandbox.control.walkOrder(placed.body.order_id, { to: 'requisition_created' });

    const found = await backend<{ slots: { slots: { booking_key: string }[] }[] }>('POST', '/labs/availability', {
      lab: 'quest',
      zip_code: '10001',
    });
    const [first, second] = found.body.slots[0]?.slots ?? [];
    const path = `/admin/v1/orders/${placed.body.order_id}/appointment`;
    const headers = { authorization: 'Bearer backend-key', 'idempotency-key': newId() };
    const booked = await app.call<Appointment>('POST', path, headers, { booking_key: first?.booking_key });
    expect(booked.status).toBe(201);
    await app.settle();

    const own = async (): Promise<Appointment[]> =>
      (await app.as<{ data: { appointments: Appointment[] }[] }>(account, 'GET', '/me/orders')).body.data[0]
        ?.appointments ?? [];
    expect(await own()).toMatchObject([{ start_at: booked.body.start_at, is_active: true }]);
    await app.advance(60);
    await app.call('PATCH', path, 'Bearer backend-key', { booking_key: second?.booking_key });
    const [moved] = await own();
    expect(Date.parse(moved?.start_at ?? '')).toBeGreaterThan(Date.parse(booked.body.start_at));

    const reasons = await backend<{ data: { id: string }[] }>('GET', '/labs/cancellation-reasons');
    await app.advance(60);
    await app.call('DELETE', `${path}?cancellation_reason_id=${reasons.body.data[0]?.id}`, 'Bearer backend-key');
    await app.settle();
    expect(await own()).toMatchObject([
      { status: 'cancelled', is_active: false, history: [{}, {}, { status: 'cancelled' }] },
    ]);
    const order = await backend<{ status: string }>('GET', `/orders/${placed.body.order_id}`);
    expect(order.body.status).toBe('collecting_sample.walk_in_test.appointment_cancelled');
    const log = await app.admin<{ data: { route: string }[] }>('GET', '/access-log?limit=100');
    expect(JSON.stringify(log.body)).toContain('/appointment');
  });
});
