import { AppointmentBookingEntity as Booking } from '../../../src/labs/appointments/appointment-booking.entity.js';
import { type Attempt, IdempotencyKeys } from '../../../src/storage/work/idempotency-keys.js';
import { type TestStore, testStore } from '../../support/test-store.js';

const now = 1_000_000;
const first: Attempt = { keyDigest: 'key', attempt: 'first' };
const second: Attempt = { keyDigest: 'key', attempt: 'second' };
const called = { kind: 'call' } as const;

let store: TestStore;
let keys: IdempotencyKeys<Booking>;
let made: Partial<Booking>;

beforeEach(async () => {
  store = await testStore();
  keys = new IdempotencyKeys(Booking);
  const sql = `INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES ('a', 'active', 0, 0) RETURNING id`;
  const [account] = await store.lane.run((tx) => tx.rows<{ id: number }>(sql));
  made = { booking_id: 'b', account_id: account?.id ?? 0, order_id: 'o', fingerprint: '', created_at: now };
});

afterEach(() => store.close());

/** The row as whoever locks it finds it, and whether a call may be under way. */
const seen = (ledger = keys, at = now): Promise<[Booking, boolean]> =>
  store.lane.run(async (tx) => {
    const row = await ledger.lock(tx, 'key', made);
    return [row, ledger.isCalling(tx, row, at)];
  });
const start = (attempt: Attempt, ledger = keys): Promise<unknown> =>
  ledger.claim(attempt.attempt, async () => {
    await store.lane.run(async (tx) => {
      await ledger.lock(tx, 'key', made);
      await ledger.startCall(tx, attempt, now + 100, { fingerprint: 'body' });
    });
    return called;
  });
const fail = (attempt: Attempt, settled: boolean): Promise<void> =>
  store.lane.run((tx) => keys.fail(tx, attempt, { settled, code: 'why' }));

describe('an idempotency key', () => {
  it('is free at first, and its row is created once', async () => {
    const [row, isCalling] = await seen();
    expect(row).toMatchObject({ key_digest: 'key', state: 'refused', booking_id: 'b', lease_owner: null });
    made = { ...made, booking_id: 'other' };
    expect([isCalling, (await seen())[0].booking_id]).toEqual([false, 'b']);
  });

  it('is taken during a call, until the end of its lease', async () => {
    await start(first);
    const [row, isCalling] = await seen();
    expect(row).toMatchObject({ state: 'calling', fingerprint: 'body', lease_owner: 'first' });
    expect([isCalling, (await seen(keys, now + 99))[1], (await seen(keys, now + 100))[1]]).toEqual([true, true, false]);
  });

  it('of a process that is gone is free immediately if the database belongs to one process', async () => {
    await start(first);
    const [, isCalling] = await seen(new IdempotencyKeys(Booking));
    expect(isCalling).toBe(store.reader.dialect === 'postgres');
  });

  it('is free again after a failed claim', async () => {
    await start(first);
    await expect(keys.claim('first', () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
    expect((await seen())[1]).toBe(store.reader.dialect === 'postgres');
  });

  it.each([
    [true, 'refused'],
    [false, 'unknown'],
  ])('whose call failed (settled: %s) is %s, with the reason', async (settled, state) => {
    await start(first);
    await fail(first, settled);
    expect((await seen())[0]).toMatchObject({ state, error_code: 'why', lease_owner: null, lease_until: null });
  });

  it('is not ended by an attempt that lost its lease', async () => {
    await start(first);
    await start(second);
    await fail(first, true);
    expect((await seen())[0]).toMatchObject({ state: 'calling', lease_owner: 'second' });
  });

  it('that was done stays done, whatever a late attempt reports', async () => {
    await start(first);
    await store.lane.run((tx) => keys.done(tx, 'key', 'booked', { appointment_id: 'p' }));
    await fail(first, false);
    expect((await seen())[0]).toMatchObject({ state: 'booked', appointment_id: 'p', error_code: null });
  });

  it('counts as unresolved if its call has no outcome and none is running', async () => {
    const count = (at: number): Promise<number> => keys.countUnresolved(store.reader, at);
    await start(first);
    expect([await count(now), await count(now + 100)]).toEqual([0, 1]);
    await fail(first, false);
    expect(await count(now)).toBe(1);
    await start(second);
    await fail(second, true);
    expect(await count(now + 100)).toBe(0);
  });
});
