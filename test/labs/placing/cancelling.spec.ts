import { newId } from '../../../src/platform/platform/ids.js';
import { newAccountId } from '../../support/environment.js';
import type { Answer } from '../../support/http.js';
import type { OrderView } from '../../support/ordering.js';
import { TestApp } from '../../support/test-app.js';

let app: TestApp;
let user_id: string;

beforeEach(async () => {
  app = await TestApp.create();
  const account_id = newAccountId();
  user_id = (await app.admin<{ user_id: string }>('POST', '/accounts', { account_id })).body.user_id;
});

afterEach(() => app.close());

/** An order upstream of which we have heard, unless told otherwise. */
async function ordered(options: { notify?: boolean; collection_method?: string } = {}): Promise<string> {
  const { order } = await app.sandbox.control.createOrder({ user_id, ...options });
  await app.settle();
  return order.id;
}

const cancel = (orderId: string, role: 'viewer' | 'operator' = 'operator'): Promise<Answer<OrderView>> =>
  app.admin<OrderView>('POST', `/orders/${orderId}/cancel`, undefined, role);
const callsToCancel = async (): Promise<number> =>
  (await app.sandbox.control.calls()).counts['POST /v3/order/:order_id/cancel'] ?? 0;
const stored = async (orderId: string): Promise<string> =>
  (await app.admin<OrderView>('GET', `/orders/${orderId}`)).body.status;
const strike = (kind: 'drop_after' | 'drop_before' | 'bad_json'): Promise<unknown> =>
  app.sandbox.control.fault({ kind, path: '/v3/order/', method: 'POST', times: 1 });

const cancelled = 'cancelled.walk_in_test.cancelled';

describe('an order that is cancelled', () => {
  it('has its new state stored before any webhook', async () => {
    const order = await ordered();
    await app.sandbox.control.configureWebhooks({ paused: true });
    expect(await cancel(order)).toMatchObject({ status: 200, body: { order_id: order, status: cancelled } });
    expect(await stored(order)).toBe(cancelled);
    expect((await app.admin('GET', '/order-transactions?status=cancelled')).body['data']).toHaveLength(1);
  });

  it('is returned unchanged when it is cancelled again, without another call', async () => {
    const order = await ordered();
    const first = await cancel(order);
    expect(await cancel(order)).toMatchObject({ status: 200, body: first.body });
    expect(await callsToCancel()).toBe(1);
  });

  it('is returned with its current state if it was cancelled upstream without an event', async () => {
    const order = await ordered();
    await app.sandbox.control.setOrderStatus(order, 'cancelled', { notify: false });
    expect(await cancel(order)).toMatchObject({ status: 200, body: { status: cancelled } });
  });

  it('may be unknown here before', async () => {
    const order = await ordered({ notify: false });
    const { status, body } = await cancel(order.toUpperCase());
    expect([status, body.status]).toEqual([200, cancelled]);
    expect(body.account_id).not.toBeNull();
  });

  it('is cancelled once by simultaneous requests', async () => {
    const order = await ordered();
    const answers = await Promise.all(Array.from({ length: 8 }, () => cancel(order)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.status}`))).toEqual(
      new Set([`200 ${cancelled}`]),
    );
  });

  it('shows its remaining appointments', async () => {
    const order = await ordered();
    await app.sandbox.control.walkOrder(order, { to: 'requisition_created' });
    const headers = { 'x-service-api-key': 'sk_us_sandbox', 'content-type': 'application/json' };
    const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
      const response = await fetch(app.sandbox.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await response.json()) as Record<string, unknown>;
    };
    const search = '/v3/order/psc/appointment/availability?lab=quest&zip_code=10001&radius=25';
    const { slots } = (await post(search, {})) as unknown as { slots: { slots: { booking_key: string }[] }[] };
    const booking_key = slots.flatMap((day) => day.slots).find((slot) => slot.booking_key)?.booking_key;
    const { id } = await post(`/v3/order/${order}/psc/appointment/book`, { booking_key });
    await app.settle();
    const first = await cancel(order);
    expect(first.body).toMatchObject({ open_appointments: [id], appointments: [{ appointment_id: id }] });
    await app.sandbox.control.setAppointment(order, 'cancelled');
    await app.settle();
    expect((await cancel(order)).body.open_appointments).toEqual([]);
  });
});

describe('a cancellation whose response is lost', () => {
  it.each(['drop_after', 'bad_json'] as const)('by %s is seen in the order, and not requested twice', async (kind) => {
    const order = await ordered();
    await app.sandbox.control.configureWebhooks({ paused: true });
    await strike(kind);
    expect(await cancel(order)).toMatchObject({ status: 200, body: { status: cancelled } });
    expect(await callsToCancel()).toBe(1);
  });

  it('before it took effect leaves the order open, and the caller repeats it', async () => {
    const order = await ordered();
    await strike('drop_before');
    expect(await cancel(order)).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
    expect(await stored(order)).toBe('received.walk_in_test.ordered');
    expect(await cancel(order)).toMatchObject({ status: 200, body: { status: cancelled } });
  });

  it('while nothing can be read is reported as unavailable, and the next request finds it cancelled', async () => {
    const order = await ordered();
    await app.sandbox.control.configureWebhooks({ paused: true });
    await strike('drop_after');
    await app.sandbox.control.fault({ kind: 'status', status: 503, path: '/v3/order/', method: 'GET' });
    expect((await cancel(order)).status).toBe(503);
    await app.sandbox.control.clearFaults();
    expect(await cancel(order)).toMatchObject({ status: 200, body: { status: cancelled } });
  });
});

describe('an order that is not cancelled', () => {
  it.each(['completed', 'redraw_available'])('because it is %s is a conflict, and its state is read', async (state) => {
    const order = await ordered();
    await app.sandbox.control.setOrderStatus(order, state, { notify: false });
    expect(await cancel(order)).toMatchObject({ status: 409, body: { code: 'order_not_cancellable' } });
    expect((await stored(order)).split('.').at(-1)).toBe(state);
  });

  it.each([403, 429])('because upstream responds with %i is not changed', async (status) => {
    const order = await ordered();
    await app.sandbox.control.fault({ kind: 'status', status, path: '/v3/order/', method: 'POST' });
    expect((await cancel(order)).status).toBeGreaterThanOrEqual(502);
    expect(await stored(order)).toBe('received.walk_in_test.ordered');
  });

  it('because it is unknown is not found', async () => {
    expect(await cancel(newId())).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await callsToCancel()).toBe(0);
  });

  it('because a viewer asks is forbidden', async () => {
    expect((await cancel(await ordered(), 'viewer')).status).toBe(403);
  });

  it('because of an invalid body is refused', async () => {
    const answer = await app.admin('POST', `/orders/${await ordered()}/cancel`, { reason: 'x' });
    expect(answer.status).toBe(400);
  });
});
