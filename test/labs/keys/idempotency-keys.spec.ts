import type { CallKind } from '../../../src/labs/keys/call-kind.js';
import { IdempotencyKeysRepository, type KeyRow } from '../../../src/labs/keys/idempotency-keys.repository.js';
import { type CallClaim, IdempotencyKeys } from '../../../src/labs/keys/idempotency-keys.service.js';
import { UpstreamConfig } from '../../../src/platform/config/config.js';
import { AppError } from '../../../src/platform/platform/errors.js';
import { codeOf } from '../../support/code-of.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type TestStore, testStore } from '../../support/test-store.js';

const now = 1_000_000;
const booking: CallKind = {
  subject: 'booking',
  reused: 'request',
  inProgress: () => new AppError('conflict', 'Wait.'),
};

let store: TestStore;
let clock: FakeClock;
let keys: IdempotencyKeys;
let account: number;

const newKeys = (): IdempotencyKeys => {
  const config = Object.assign(Object.create(UpstreamConfig.prototype) as UpstreamConfig, { timeoutMs: 25 });
  return new IdempotencyKeys(new IdempotencyKeysRepository(store.reader), store.lane, clock, config);
};

beforeEach(async () => {
  store = await testStore();
  clock = new FakeClock(now);
  keys = newKeys();
  const sql = `INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES ('a', 'active', 0, 0) RETURNING id`;
  const [made] = await store.lane.run((tx) => tx.rows<{ id: number }>(sql));
  account = made?.id ?? 0;
});

afterEach(() => store.close());

const row = async (): Promise<KeyRow | null> => store.reader.row<KeyRow>('SELECT * FROM idempotency_keys', []);
const claim = async (kind = booking, ledger = keys, objectId: string | null = 'o'): Promise<CallClaim> => {
  const request = { account, objectId, content: 'body' };
  const claimed = await ledger.claim(kind, 'key', () => Promise.resolve(request));
  if (claimed.kind !== 'call') throw new Error('there is nothing to call');
  return claimed;
};
/** Asks for the key `afterMs` from now; true if it is taken. */
const isTaken = async (afterMs = 0, ledger = keys): Promise<boolean> => {
  clock.advance(afterMs);
  return (await codeOf(claim(booking, ledger))) === 'conflict';
};
const fail = (attempt: CallClaim, settled: boolean): Promise<string | null> =>
  keys.failed(attempt, { settled, error: new AppError('conflict', 'why') });

describe('an idempotency key', () => {
  it('has one row, whose id stays', async () => {
    const first = await claim();
    await fail(first, true);
    expect(await row()).toMatchObject({
      subject: 'booking',
      state: 'refused',
      call_id: first.callId,
      lease_owner: null,
    });
    expect(await claim()).toMatchObject({ callId: first.callId, isRepeat: false });
  });

  it('is taken during a call, until the end of its lease', async () => {
    const first = await claim();
    expect(await row()).toMatchObject({ state: 'calling', lease_owner: first.attempt, lease_until: now + 100 });
    expect([await isTaken(), await isTaken(99), await isTaken(1)]).toEqual([true, true, false]);
  });

  it('of a process that is gone is free immediately if the database belongs to one process', async () => {
    await claim();
    expect(await isTaken(0, newKeys())).toBe(store.reader.dialect === 'postgres');
  });

  it('is free again after a failed claim', async () => {
    const lost = keys.claim(booking, 'key', () => Promise.reject(new Error('lost')));
    await expect(lost).rejects.toThrow('lost');
    keys.forget(await claim());
    expect(await isTaken()).toBe(store.reader.dialect === 'postgres');
  });

  it.each([
    [true, 'refused', null],
    [false, 'unknown', now],
  ])('whose call failed (settled: %s) is %s, with the reason', async (settled, state, open_since) => {
    await fail(await claim(), settled);
    const ended = { error_code: 'conflict', lease_owner: null, lease_until: null };
    expect(await row()).toMatchObject({ state, open_since, ...ended });
    expect(await claim()).toMatchObject({ isRepeat: !settled, openSince: now });
  });

  it('is not ended by an attempt that lost its lease', async () => {
    const first = await claim();
    clock.advance(100);
    const second = await claim();
    await fail(first, true);
    expect(await row()).toMatchObject({ state: 'calling', lease_owner: second.attempt });
  });

  it('that was done stays done, whatever a late attempt reports', async () => {
    const first = await claim();
    await store.lane.run((tx) => keys.done(tx, first, 'p'));
    await store.lane.run((tx) => keys.done(tx, first, 'q'));
    expect(await fail(first, false)).toBe('p');
    expect(await row()).toMatchObject({ state: 'done', outcome_id: 'p', error_code: null });
  });

  it('is done only for its subject and account', async () => {
    const first = await claim();
    await store.lane.run((tx) => keys.done(tx, { ...first, subject: 'order' }, 'p'));
    await store.lane.run((tx) => keys.done(tx, { ...first, account: account + 1 }, 'p'));
    expect(await row()).toMatchObject({ state: 'calling', outcome_id: null });
  });

  it('of another subject is another key, and one of an account another for each', async () => {
    const subjects = ['order', 'decision', 'lab_report', 'booking'] as const;
    const free = (kind: Partial<CallKind>): Promise<CallClaim> => claim({ ...booking, ...kind }, keys, null);
    const ids = subjects.map(async (subject) => (await free({ subject, isKeyOfAccount: true })).callId);
    expect(new Set([...(await Promise.all(ids)), (await free({ subject: 'order' })).callId]).size).toBe(5);
  });

  it('counts as unresolved if its call has no outcome and none is running', async () => {
    const count = (): Promise<number> => keys.countUnresolved('booking');
    const first = await claim();
    expect(await count()).toBe(0);
    clock.advance(100);
    expect([await count(), await keys.countUnresolved('order')]).toEqual([1, 0]);
    await fail(first, false);
    expect(await count()).toBe(1);
    await fail(await claim(), true);
    expect(await count()).toBe(0);
  });
});
