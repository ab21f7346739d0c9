import { until } from '../../support/until.js';
import { AppointmentCase } from './support/appointment-calls.js';

let at: AppointmentCase;
let reason: string;

const changes = (what: 'reschedule' | 'cancel') =>
  ({ path: `^/v3/order/[^/]+/psc/appointment/${what}$`, method: 'PATCH' }) as const;
const looks = { path: '^/v3/order/[^/]+/psc/appointment$', method: 'GET' } as const;

beforeEach(async () => {
  at = await AppointmentCase.open({ webhooks: false });
  const reasons = await at.app.admin<{ data: { id: string; name: string; is_refundable: boolean }[] }>(
    'GET',
    '/labs/cancellation-reasons',
    undefined,
    'viewer',
  );
  expect(reasons.body.data[0]).toMatchObject({ name: 'Patient asked', is_refundable: true });
  reason = reasons.body.data[0]?.id ?? '';
});

afterEach(() => at.app.close());

const callsTo = (what: 'reschedule' | 'cancel'): Promise<number> =>
  at.app.callsTo(`PATCH /v3/order/:order_id/psc/appointment/${what}`);

describe('an appointment that is moved', () => {
  it('has its new time immediately, here and upstream', async () => {
    const booked = await at.bookSlot(0);
    const moved = await at.move({ booking_key: at.keys[1] });
    expect(moved).toMatchObject({ status: 200, body: { start_at: '2026-11-21T13:15:00.000Z', is_active: true } });
    expect(moved.body.appointment_id).toBe(booked.body.appointment_id);
    const order = await at.app.admin<{ appointments: unknown[] }>('GET', `/orders/${at.orderId}`);
    expect(order.body.appointments).toEqual([moved.body]);
  });

  it('has its new time although it was booked while our clock was ahead', async () => {
    at.app.clock.step(6 * 3_600_000);
    await at.bookSlot(0);
    at.app.clock.step(-6 * 3_600_000);
    expect((await at.move({ booking_key: at.keys[1] })).body.start_at).toBe('2026-11-21T13:15:00.000Z');
  });

  it('to a slot that is taken is not changed', async () => {
    await at.bookSlot(0);
    expect(await at.move({ booking_key: at.keys[0] })).toMatchObject({
      status: 422,
      body: { code: 'appointment_refused' },
    });
    expect(await at.move({ booking_key: 'nonsense' })).toMatchObject({ status: 422 });
    expect(await at.move({})).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(await at.stored()).toMatchObject([{ status: 'confirmed' }]);
  });

  it('by another request is not reported as moved by one that upstream refused', async () => {
    await at.bookSlot(0);
    const { control } = at.app.sandbox;
    await control.fault({ kind: 'slow', ...looks, delay_ms: 60_000, skip: 1, times: 1 });
    const refused = at.move({ booking_key: 'nonsense' });
    await until(async () => (await control.faults()).faults[0]?.struck === 1);
    expect(await at.move({ booking_key: at.keys[1] })).toMatchObject({ status: 200 });
    await control.clearFaults();
    expect(await refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it('is none for an order without one', async () => {
    expect(await at.move({ booking_key: at.keys[0] })).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await callsTo('reschedule')).toBe(0);
  });

  it.each(['fail_after', 'drop_after', 'bad_json'] as const)(
    'and answered with %s is read, not moved again',
    async (kind) => {
      await at.bookSlot(0);
      await at.app.sandbox.control.fault({ kind, ...changes('reschedule') });
      const moved = await at.move({ booking_key: at.keys[1] });
      expect(moved).toMatchObject({ status: 200, body: { start_at: '2026-11-21T13:15:00.000Z' } });
      expect(await callsTo('reschedule')).toBe(1);
    },
  );

  it('and not reached is reported unchanged, and moved by the next request', async () => {
    await at.bookSlot(0);
    await at.app.sandbox.control.fault({ kind: 'drop_before', ...changes('reschedule') });
    expect(await at.move({ booking_key: at.keys[1] })).toMatchObject({
      status: 503,
      body: { code: 'upstream_unavailable' },
    });
    await at.app.sandbox.control.clearFaults();
    expect((await at.move({ booking_key: at.keys[1] })).status).toBe(200);
  });
});

describe('an appointment that is cancelled', () => {
  it('has ended, the slot is free again, and a second cancellation returns the same', async () => {
    await at.bookSlot(0);
    const cancelled = await at.cancel({ cancellation_reason_id: reason, note: 'Travelling' });
    expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled', is_active: false } });
    expect(await at.cancel(undefined, `?cancellation_reason_id=${reason}`)).toEqual(
      expect.objectContaining({ status: 200, body: cancelled.body }),
    );
    expect(await callsTo('cancel')).toBe(1);
    expect((await at.bookSlot(0)).status).toBe(201);
  });

  it('needs the reason that upstream requires', async () => {
    await at.bookSlot(0);
    expect(await at.cancel()).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_request',
        errors: [{ field: 'cancellation_reason_id', message: expect.stringContaining(reason) }],
      },
    });
    expect(await callsTo('cancel')).toBe(0);
    expect(await at.cancel({ cancellation_reason_id: 'because' })).toMatchObject({
      status: 422,
      body: { code: 'upstream_invalid_request', errors: [{ field: 'cancellation_reason_id' }] },
    });
    expect((await at.cancel(undefined, `?cancellation_reason_id=${reason}`)).status).toBe(200);
  });

  it.each(['fail_after', 'drop_after'] as const)(
    'and answered with %s is seen to be gone, and stored so',
    async (kind) => {
      await at.bookSlot(0);
      await at.app.sandbox.control.fault({ kind, ...changes('cancel') });
      expect(await at.cancel({ cancellation_reason_id: reason })).toMatchObject({
        status: 200,
        body: { status: 'cancelled', is_active: false },
      });
      expect(await callsTo('cancel')).toBe(1);
      expect(await at.stored()).toMatchObject([{ status: 'cancelled' }]);
    },
  );

  it('is not stored as cancelled if upstream refuses and it has ended otherwise', async () => {
    await at.bookSlot(0);
    const { control } = at.app.sandbox;
    await control.fault({ kind: 'status', status: 400, ...changes('cancel') });
    await control.fault({ kind: 'status', status: 404, ...looks, skip: 1 });
    const refused = await at.cancel({ cancellation_reason_id: reason });
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await at.stored()).toMatchObject([{ status: 'confirmed' }]);
  });

  it('elsewhere is not taken for an earlier one that has ended', async () => {
    await at.bookSlot(0);
    await at.cancel({ cancellation_reason_id: reason });
    await at.bookSlot(1);
    await at.app.sandbox.control.fault({ kind: 'status', status: 404, ...looks });
    const refused = await at.cancel({ cancellation_reason_id: reason });
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it('and whose state is unreadable is reported as such, and found by the next request', async () => {
    await at.bookSlot(0);
    const { control } = at.app.sandbox;
    await control.fault({ kind: 'fail_after', ...changes('cancel') });
    await control.fault({ kind: 'status', status: 403, ...looks, skip: 1 });
    expect(await at.cancel({ cancellation_reason_id: reason })).toMatchObject({ status: 503 });
    await control.clearFaults();
    expect(await at.cancel({ cancellation_reason_id: reason })).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
    await control.configureWebhooks({ paused: false });
    await at.app.settle();
    expect(await at.cancel({ cancellation_reason_id: reason })).toMatchObject({
      status: 200,
      body: { status: 'cancelled' },
    });
    expect(await callsTo('cancel')).toBe(1);
  });

  it('is none for an order without one', async () => {
    expect(await at.cancel({ cancellation_reason_id: reason })).toMatchObject({ status: 404 });
  });
});
