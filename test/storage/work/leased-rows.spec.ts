// .ci/run runs this on PostgreSQL too: its outcome depends on the database.

import { LEASE_MS } from '../../../src/storage/database/tuning.js';
import { endsBefore } from '../../../src/storage/work/lease.js';
import { LeaseLost } from '../../../src/storage/work/leased-rows.js';
import { type TestStore, testStore } from '../../support/test-store.js';
import { type Chore, chores, createChores, insertChore, storedChores } from './support/chores.js';

/** When a lease ends that began at 30. */
const over = 30 + LEASE_MS;

describe('leased rows', () => {
  let store: TestStore;

  beforeEach(async () => {
    store = await testStore();
    await createChores(store);
  });

  afterEach(() => store.close());

  const insert = (number: number, dueAt?: number | null): Promise<void> => insertChore(store, number, dueAt);
  const claim = (now: number, limit = 10): Promise<Chore[]> => store.lane.run((tx) => chores.claim(tx, { now, limit }));
  async function claimOne(now: number): Promise<Chore> {
    const [chore] = await claim(now, 1);
    if (!chore) throw new Error('nothing is due');
    return chore;
  }
  const stored = (): Promise<Chore[]> => storedChores(store);
  const numbers = (rows: readonly Chore[]): number[] => rows.map(({ number }) => number);

  it('are claimed when due, longest due first, up to the limit', async () => {
    await insert(1, 30);
    await insert(2, 20);
    await insert(3, 10);
    await insert(4, 31);
    await insert(5, null);
    expect(numbers(await claim(30, 2))).toEqual([3, 2]);
    expect(numbers(await claim(30))).toEqual([1]);
    expect(await claim(30)).toEqual([]);
  });

  const isDone = {
    columns: [{ name: 'note', type: 'text' }],
    values: [['first'], ['second'], ['third']],
  } as const;

  it('are completed together, each with its own values', async () => {
    for (const number of [1, 2, 3]) await insert(number);
    const held = await claim(30);
    await store.lane.run((tx) => chores.completeAll(tx, held, {}, isDone));
    const unheld = { attempts: 1, waits: 0, due_at: null, lease_owner: null, lease_until: null };
    expect(await stored()).toMatchObject(['first', 'second', 'third'].map((note) => ({ ...unheld, note })));
  });

  it('are not completed together if another process holds one of them', async () => {
    for (const number of [1, 2, 3]) await insert(number);
    const held = await claim(30);
    await store.lane.run((tx) => chores.release(tx, held[1] as Chore));
    const before = await stored();
    await expect(store.lane.run((tx) => chores.completeAll(tx, held, {}, isDone))).rejects.toThrow(LeaseLost);
    expect(await stored()).toEqual(before);
  });

  it('are returned by a claim as they are stored', async () => {
    await insert(1);
    const [claimed] = await claim(30);
    expect(claimed).toMatchObject({ attempts: 1, lease_until: over, due_at: 10 });
    expect([claimed]).toEqual(await stored());
  });

  it('are claimed within a restriction', async () => {
    await insert(1);
    await insert(2);
    const only = { where: 'number > ?', values: [1] };
    expect(await chores.anyDue(store.reader, 10, only)).toBe(true);
    expect(numbers(await store.lane.run((tx) => chores.claim(tx, { now: 10, limit: 9, only })))).toEqual([2]);
    expect(await chores.anyDue(store.reader, 10, only)).toBe(false);
    expect(await chores.anyDue(store.reader, 10)).toBe(true);
  });

  it.each([
    [LEASE_MS - 1, false],
    [LEASE_MS, true],
    [LEASE_MS + 1, true],
  ])('after %i ms of a lease can be claimed: %s', async (passed, free) => {
    await insert(1);
    await claim(30);
    expect(await chores.anyDue(store.reader, 30 + passed)).toBe(free);
    expect(await claim(30 + passed)).toHaveLength(free ? 1 : 0);
  });

  it('are held longer with every heartbeat, which resets the attempts', async () => {
    await insert(1);
    await store.lane.run((tx) => tx.execute('UPDATE chores SET attempts = 7, waits = 3'));
    const held = await claimOne(30);
    const after = await store.lane.run((tx) => chores.heartbeat(tx, held, 120, { note: 'half done' }));
    expect(await stored()).toEqual([after]);
    expect(after).toMatchObject({ attempts: 1, waits: 0, lease_until: 120 + LEASE_MS, note: 'half done' });
    expect(await claim(119 + LEASE_MS)).toEqual([]);
  });

  it('are marked as held, with their holder', async () => {
    await insert(1);
    const late = await claimOne(30);
    const before = await stored();
    await store.lane.run((tx) => chores.assertHeld(tx, late));
    expect(await stored()).toEqual(before);
    const held = await claimOne(over);
    await expect(store.lane.run((tx) => chores.assertHeld(tx, late))).rejects.toThrow(LeaseLost);
    await store.lane.run((tx) => chores.assertHeld(tx, held));
  });

  it('are renewed as long as they are held, and keep their attempts', async () => {
    for (const number of [1, 2, 3]) await insert(number);
    const held = await claim(30);
    const [first, , third] = held as [Chore, Chore, Chore];
    await store.lane.run((tx) => chores.complete(tx, first, null));
    await store.lane.run((tx) => tx.execute(`UPDATE chores SET lease_owner = 'next' WHERE number = 2`));
    expect(await store.lane.run((tx) => chores.renew(tx, held, 500))).toBe(1);
    expect(await stored()).toMatchObject([
      { due_at: null, lease_until: null },
      { lease_owner: 'next', lease_until: over },
      { ...third, lease_until: 500 + LEASE_MS },
    ]);
  });

  it('are never due again once completed for good, and due later when completed until a time', async () => {
    await insert(1);
    await insert(2);
    const [first, second] = await claim(30);
    await store.lane.run(async (tx) => {
      await chores.complete(tx, first as Chore, null, { note: 'clean' });
      await chores.complete(tx, second as Chore, 500);
    });
    const free = { attempts: 0, waits: 0, lease_owner: null, lease_until: null, error_code: null };
    expect(await stored()).toMatchObject([
      { ...free, due_at: null, note: 'clean' },
      { ...free, due_at: 500, note: null },
    ]);
  });

  it('keep their attempts when deferred for others, and use one up when deferred for their own failure', async () => {
    await insert(1);
    const busy = await claimOne(30);
    await store.lane.run((tx) => chores.defer(tx, busy, { dueAt: 40, code: 'busy', counts: false }));
    expect(await stored()).toMatchObject([
      { due_at: 40, error_code: 'busy', attempts: 0, waits: 1, lease_owner: null },
    ]);
    const odd = await claimOne(40);
    await store.lane.run((tx) => chores.defer(tx, odd, { dueAt: 50, code: 'odd', counts: true }));
    expect(await stored()).toMatchObject([{ due_at: 50, error_code: 'odd', attempts: 1, waits: 0, lease_owner: null }]);
  });

  it('are as before the claim once released', async () => {
    await insert(1);
    const before = await stored();
    const held = await claimOne(30);
    await store.lane.run((tx) => chores.release(tx, held));
    expect(await stored()).toEqual(before);
  });

  it('are not due once buried, and have the reason', async () => {
    await insert(1);
    const held = await claimOne(30);
    await store.lane.run((tx) => chores.bury(tx, held, 'odd', { note: 'failed' }));
    expect(await stored()).toMatchObject([{ due_at: null, error_code: 'odd', note: 'failed', lease_owner: null }]);
    expect(await chores.anyDue(store.reader, 1_000_000)).toBe(false);
  });

  it.each<[string, (held: Chore) => Promise<unknown>]>([
    ['heartbeat', (held) => store.lane.run((tx) => chores.heartbeat(tx, held, 200))],
    ['completion', (held) => store.lane.run((tx) => chores.complete(tx, held, null))],
    ['deferral', (held) => store.lane.run((tx) => chores.defer(tx, held, { dueAt: 1, code: 'x', counts: true }))],
    ['release', (held) => store.lane.run((tx) => chores.release(tx, held))],
    ['burial', (held) => store.lane.run((tx) => chores.bury(tx, held, 'x'))],
  ])('are not changed by the %s of a late holder, which gets an error', async (_, write) => {
    await insert(1);
    const late = await claimOne(30);
    const [next] = await claim(over);
    await expect(write(late)).rejects.toThrow(LeaseLost);
    expect(await stored()).toEqual([next]);
  });

  it('are due when they were requested if that was during the try after which they are buried', async () => {
    await insert(1);
    const held = await claimOne(30);
    await store.lane.run((tx) => tx.execute('UPDATE chores SET due_at = 35'));
    await store.lane.run((tx) => chores.buryUnlessRequested(tx, held, 'refused'));
    expect(numbers(await claim(34))).toEqual([]);
    expect(numbers(await claim(35))).toEqual([1]);
  });

  it('stay with a late holder if no other process claimed them', async () => {
    await insert(1);
    const late = await claimOne(30);
    await store.lane.run((tx) => chores.complete(tx, late, null));
    expect(await stored()).toMatchObject([{ due_at: null }]);
  });

  it('roll back the writes of a late holder', async () => {
    await insert(1);
    await insert(2, null);
    const late = await claimOne(30);
    await claim(over);
    const step = store.lane.run(async (tx) => {
      await tx.execute(`UPDATE chores SET note = 'late' WHERE number = 2`);
      await chores.complete(tx, late, null);
    });
    await expect(step).rejects.toThrow(LeaseLost);
    expect((await stored()).map(({ note }) => note)).toEqual([null, null]);
  });

  it('are claimed alone after a lease without an outcome, and count each such holder', async () => {
    for (const number of [1, 2, 3]) await insert(number);
    await claim(30);
    await insert(4, 5);
    expect(numbers(await claim(over))).toEqual([4]);
    expect(await claim(over)).toMatchObject([{ number: 1, attempts: 2 }]);
    expect(await claim(over)).toMatchObject([{ number: 2, attempts: 2 }]);
    expect(await claim(over + LEASE_MS)).toMatchObject([{ number: 4, attempts: 2 }]);
    expect(await claim(over + LEASE_MS)).toMatchObject([{ number: 3, attempts: 2 }]);
  });

  it('that ended two holders in a row wait for others, longer after each, and are marked after five', async () => {
    await insert(1);
    let now = 30;
    await claim(now);
    for (let ends = 1; ends <= 5; ends++) {
      now += LEASE_MS;
      if (ends > 1 && ends < 5) {
        await insert(ends, now);
        const [other, ...more] = await claim(now);
        expect([other?.number, more]).toEqual([ends, []]);
        await store.lane.run((tx) => chores.complete(tx, other as Chore, null));
        const pause = 1_000 * 2 ** (ends - 2);
        expect(await claim(now + pause - 1)).toEqual([]);
        now += 2 * pause;
      }
      const [held] = await claim(now, 1);
      expect(held).toMatchObject({ number: 1, attempts: ends + 1 });
      expect(held && endsBefore(held)).toEqual({ all: ends, alone: ends });
    }
  });

  it('are no longer suspected after a successful step', async () => {
    await insert(1);
    await claim(30);
    const [second] = await claim(30 + LEASE_MS);
    if (!second) throw new Error('nothing is due');
    const at = 40 + LEASE_MS;
    await store.lane.run((tx) => chores.heartbeat(tx, second, at));
    const [third] = await claim(at + LEASE_MS);
    expect(third && endsBefore(third)).toEqual({ all: 1, alone: 1 });
  });

  it('whose holders ended while other rows were in flight wait like others, and lose no attempt by it', async () => {
    await insert(1);
    let held = await claimOne(30);
    let now = 30;
    for (let ends = 1; ends <= 8; ends++) {
      now += LEASE_MS;
      expect(await claim(now)).toHaveLength(ends === 1 ? 1 : 0);
      if (ends > 1) {
        now += 60_000;
        held = await claimOne(now);
      } else held = (await stored())[0] as Chore;
      expect(held.attempts).toBe(2);
      expect(endsBefore(held)).toEqual({ all: ends, alone: 1 });
      await store.lane.run((tx) => chores.markCompany(tx, held));
    }
    await store.lane.run((tx) => chores.assertHeld(tx, held));
    expect(await store.lane.run((tx) => chores.renew(tx, [held], now))).toBe(1);
    await store.lane.run((tx) => chores.complete(tx, held, null));
    expect(await stored()).toMatchObject([{ attempts: 0, lease_owner: null, lease_until: null, due_at: null }]);
  });

  it('of dead holders are free immediately if one process has the store, and still claimed alone', async () => {
    for (const number of [1, 2]) await insert(number);
    await claim(30);
    await insert(3, null);
    expect(await store.lane.run((tx) => chores.releaseDead(tx, 40))).toBe(2);
    expect(await claim(40)).toMatchObject([{ number: 1, attempts: 2 }]);
    expect(await claim(40)).toMatchObject([{ number: 2, attempts: 2 }]);
    expect((await stored())[2]).toMatchObject({ number: 3, due_at: null, lease_until: null });
  });

  it('belong to one claim each, for any number of simultaneous claims', async () => {
    for (let number = 1; number <= 20; number++) await insert(number);
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim(30, 5)));
    const taken = claims.flatMap(numbers);
    expect(new Set(taken).size).toBe(taken.length);
    const rest = await claim(30, 20);
    expect([...taken, ...numbers(rest)].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    const owners = (await stored()).map(({ lease_owner }) => lease_owner);
    expect(owners).not.toContain(null);
  });
});
