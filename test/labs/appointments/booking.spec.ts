import { newId } from '../../../src/platform/platform/ids.js';
import { AppointmentCase, freeKeys } from './support/appointment-calls.js';

let at: AppointmentCase;

const open = async (options?: Parameters<typeof AppointmentCase.open>[0]): Promise<void> => {
  at = await AppointmentCase.open(options);
};

afterEach(() => at.app.close());

const bookingPath = { path: '^/v3/order/[^/]+/psc/appointment/book$', method: 'POST' } as const;
const looks = { path: '^/v3/order/[^/]+/psc/appointment$', method: 'GET' } as const;

describe('an appointment', () => {
  it('is booked by the key of a slot, stored immediately, and shown with the order [appointments#booking]', async () => {
    await open({ webhooks: false });
    const booked = await at.bookSlot(0);
    expect(booked).toMatchObject({
      status: 201,
      body: {
        order_id: at.orderId,
        status: 'confirmed',
        event_status: 'scheduled',
        start_at: '2026-11-21T13:00:00.000Z',
        is_active: true,
        replayed: false,
      },
    });
    expect(await at.stored()).toEqual([{ appointment_id: booked.body.appointment_id, status: 'confirmed' }]);
    expect(await at.states()).toEqual(['done']);
    const order = await at.app.admin<{ appointments: unknown[] }>('GET', `/orders/${at.orderId}`);
    const { replayed: _, ...shown } = booked.body;
    expect(order.body.appointments).toEqual([shown]);
  });

  it('is booked once for a key, even with a repeat, its webhook, and a late request', async () => {
    await open();
    const key = newId();
    const booked = await at.bookSlot(0, key);
    await at.app.settle();
    await at.app.advance(30 * 24 * 3600, 2);
    const again = await at.bookSlot(0, key);
    expect(again).toMatchObject({ status: 201, body: { replayed: true } });
    expect(again.body.appointment_id).toBe(booked.body.appointment_id);
    expect(await at.upstream()).toEqual({ calls: 1, appointments: 1 });
    expect(await at.stored()).toHaveLength(1);
  });

  it('is refused for a key with another body, and for an order that has one', async () => {
    await open();
    const key = newId();
    await at.bookSlot(0, key);
    const other = await at.bookSlot(1, key);
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    expect(await at.bookSlot(1)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await at.upstream()).toEqual({ calls: 1, appointments: 1 });
  });

  it('is booked once by simultaneous requests, with one key and with several', async () => {
    await open();
    const key = newId();
    const answers = await Promise.all([at.bookSlot(0, key), at.bookSlot(0, key), at.bookSlot(1), at.bookSlot(2)]);
    const booked = answers.filter(({ status }) => status === 201).map(({ body }) => body.appointment_id);
    expect(new Set(booked).size).toBe(1);
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    expect((await at.upstream()).appointments).toBe(1);
  });

  it('needs a key and a slot, and accepts nothing else', async () => {
    await open();
    const booking_key = at.keys[0];
    expect(await at.book(null, { booking_key })).toMatchObject({
      status: 400,
      body: { code: 'idempotency_key_required' },
    });
    for (const [body, field] of [
      [{}, 'booking_key'],
      [{ booking_key: '' }, 'booking_key'],
      [{ booking_key, sync_confirmation_timeout_millisecond: 1 }, 'sync_confirmation_timeout_millisecond'],
      [{ booking_key, who: 'Ada' }, 'who'],
    ] as const) {
      const { status, body: problem } = await at.book(newId(), body);
      expect([status, problem.errors[0]?.field]).toEqual([400, field]);
    }
    expect(await at.upstream()).toEqual({ calls: 0, appointments: 0 });
  });

  it('is not booked for an unknown order', async () => {
    await open();
    const path = '/admin/v1/orders/00000000-0000-4000-8000-00000000dead/appointment';
    const headers = { authorization: 'Bearer operator-key', 'idempotency-key': newId() };
    const answer = await at.app.call('POST', path, headers, { booking_key: at.keys[0] });
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});

describe('a slot that upstream refuses', () => {
  it('because it is taken, expired or unknown leaves the idempotency key free [appointments#errors-of-availability-and-booking]', async () => {
    await open();
    const key = newId();
    const refused = { status: 422, body: { code: 'appointment_refused' } };
    expect(await at.book(key, { booking_key: 'nonsense' })).toMatchObject(refused);
    await at.app.wait(15 * 60);
    expect(await at.bookSlot(0, key)).toMatchObject(refused);
    expect(await at.states()).toEqual(['refused']);
    const [fresh] = await freeKeys(at.app);
    expect(await at.book(key, { booking_key: fresh })).toMatchObject({ status: 201 });
  });

  it('for want of a requisition, or with a 404 as in production, is reported in the same way', async () => {
    await open({ requisition: false });
    const refused = { status: 422, body: { code: 'appointment_refused' } };
    expect(await at.bookSlot(0)).toMatchObject(refused);
    await at.app.sandbox.control.fault({ kind: 'status', status: 404, ...bookingPath, times: 1 });
    expect(await at.bookSlot(0)).toMatchObject(refused);
  });

  it('because scheduling is not enabled is a clear problem, and is booked once it is', async () => {
    await open();
    const key = newId();
    await at.app.sandbox.control.configure({ scheduling: false });
    const off = await at.bookSlot(0, key);
    expect(off).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
    expect(off.body.detail).toContain('scheduling is not enabled');
    await at.app.sandbox.control.configure({ scheduling: true });
    expect((await at.bookSlot(0, key)).status).toBe(201);
  });
});

describe('a booking whose response is lost', () => {
  it.each(['fail_after', 'drop_after', 'bad_json', 'truncate'] as const)(
    'after %s is looked up immediately, without a second call',
    async (kind) => {
      await open({ webhooks: false });
      await at.app.sandbox.control.fault({ kind, ...bookingPath });
      const booked = await at.bookSlot(0);
      expect(booked).toMatchObject({ status: 201, body: { status: 'confirmed' } });
      expect(await at.upstream()).toEqual({ calls: 1, appointments: 1 });
      expect(await at.states()).toEqual(['done']);
    },
  );

  it('and that cannot be looked up stays unknown until the same request looks again', async () => {
    await open({ webhooks: false });
    const { control } = at.app.sandbox;
    const key = newId();
    await control.fault({ kind: 'fail_after', ...bookingPath });
    // The look before the call is let through.
    await control.fault({ kind: 'status', status: 403, ...looks, skip: 1 });
    const lost = await at.bookSlot(0, key);
    expect(lost).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
    expect(lost.headers['retry-after']).toBe('1');
    expect(await at.states()).toEqual(['unknown']);
    expect(await at.app.metric('appointment_bookings_unresolved')).toBe(1);
    expect((await at.bookSlot(1, key)).body.code).toBe('idempotency_key_reused');
    await control.clearFaults();
    expect(await at.bookSlot(0, key)).toMatchObject({ status: 201, body: { replayed: false } });
    expect(await at.upstream()).toEqual({ calls: 1, appointments: 1 });
    expect(await at.states()).toEqual(['done']);
  });

  it('and that was not made is made by the same request', async () => {
    await open();
    const key = newId();
    await at.app.sandbox.control.fault({ kind: 'drop_before', ...bookingPath });
    expect((await at.bookSlot(0, key)).status).toBe(503);
    await at.app.sandbox.control.clearFaults();
    expect((await at.bookSlot(0, key)).status).toBe(201);
    expect((await at.upstream()).appointments).toBe(1);
  });

  it('and that was not made does not take the appointment of another key for its own', async () => {
    await open();
    const key = newId();
    await at.app.sandbox.control.fault({ kind: 'drop_before', ...bookingPath });
    expect((await at.bookSlot(0, key)).status).toBe(503);
    await at.app.sandbox.control.clearFaults();
    const other = newId();
    const booked = await at.bookSlot(1, other);
    expect(booked.status).toBe(201);
    expect(await at.bookSlot(0, key)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await at.bookSlot(1, other)).toMatchObject({ status: 201, body: { replayed: true } });
    expect(await at.upstream()).toMatchObject({ appointments: 1 });
  });

  it('because its process died is not repeated while that may be alive, and then looked up first', async () => {
    await open({ webhooks: false });
    const key = newId();
    await at.bookSlot(0, key);
    const crashed = `UPDATE idempotency_keys SET state = 'calling', outcome_id = NULL, lease_owner = 'gone',
      lease_until = ?`;
    await at.app.store.lane.run((tx) => tx.execute(crashed, [at.app.clock.now() + 60_000]));
    // A SQLite file belongs to one process, so there the other is gone.
    const mayLive = at.app.store.reader.dialect === 'postgres';
    expect((await at.bookSlot(0, key)).status).toBe(mayLive ? 409 : 201);
    await at.app.wait(61);
    expect((await at.bookSlot(0, key)).status).toBe(201);
    expect(await at.upstream()).toEqual({ calls: 1, appointments: 1 });
  });

  it('is in no log and no metric, and no text of it in the store', async () => {
    await open();
    const body = { booking_key: at.keys[0], appointment_notes: 'MarkedNote7f3a' };
    await at.app.sandbox.control.fault({ kind: 'fail_after', ...bookingPath, times: 1 });
    const answer = await at.book('MarkedKey7f3a', body);
    expect(answer.status).toBe(201);
    const rows = await at.app.store.reader.rows('SELECT * FROM idempotency_keys');
    const said = [JSON.stringify(rows), at.app.logs.join('\n'), await at.app.figures(), JSON.stringify(answer.body)];
    for (const text of said) expect(text).not.toMatch(/Marked/);
    expect(await at.app.metric('appointment_changes_total', { action: 'book', outcome: 'done' })).toBe(1);
  });
});
