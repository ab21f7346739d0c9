import { LeaseLost } from '../../src/storage/work/leased-rows.js';
import { type Chore, chores, createChores, insertChore, storedChores } from '../storage/work/support/chores.js';
import { type TestStore, testStore } from '../support/test-store.js';
import { explore } from './support/explore.js';
import { LEASE, type LeaseState, type LeaseStep, leaseModel, type Row } from './support/lease-model.js';

const real = { owner: true, count: true } as const;

describe('a lease, with every interleaving of two workers, crashes and late holders', () => {
  it('has the work done once', () => {
    const { states, violation } = explore(leaseModel(real));
    expect(violation).toBeNull();
    expect(states).toBeGreaterThan(4_000);
  });

  it('gives up work that kills its process, once its attempts are used up', () => {
    expect(explore(leaseModel({ ...real, poison: true })).violation).toBeNull();
  });

  it('does the work twice without the guard of the owner', () => {
    const { violation } = explore(leaseModel({ ...real, owner: false }));
    expect(violation).toMatchObject({ what: 'the work was done twice' });
    expect(violation?.path).toEqual(['claim 0', 'tick 0', 'tick 0', 'claim 1', 'complete 0', 'complete 1']);
  });

  it('kills process after process if a claim does not count', () => {
    const { violation } = explore(leaseModel({ ...real, count: false, poison: true }));
    expect(violation).toMatchObject({ what: 'it kills more processes than it has tries' });
  });
});

describe('the statements of leased work', () => {
  let store: TestStore;
  /** Milliseconds of half a lease. */
  let unit: number;

  beforeAll(async () => {
    store = await testStore();
    await createChores(store);
    await insertChore(store, 1, 0);
    const [claimed] = await store.lane.run((tx) => chores.claim(tx, { now: 0, limit: 1 }));
    unit = (claimed?.lease_until ?? 0) / LEASE;
  });

  afterAll(() => store.close());

  const time = (units: number | null): number | null => (units === null ? null : units * unit);
  const asChore = (row: Row, owners: readonly string[] = []): Chore => ({
    room: 'hall',
    number: 1,
    note: null,
    error_code: null,
    due_at: time(row.due),
    attempts: row.attempts,
    waits: row.waits,
    lease_owner: row.owner === null ? null : (owners[row.owner - 1] ?? `claim ${row.owner}`),
    lease_until: time(row.until),
  });

  async function put(row: Row): Promise<void> {
    const { due_at, attempts, waits, lease_owner, lease_until } = asChore(row);
    const sql = 'UPDATE chores SET due_at = ?, attempts = ?, waits = ?, lease_owner = ?, lease_until = ?';
    await store.lane.run((tx) => tx.execute(sql, [due_at, attempts, waits, lease_owner, lease_until]));
  }

  /** What the model's step does, done by the real statement; true when the row was another's. */
  async function take({ now: units, held }: LeaseState, { act, worker, next }: LeaseStep): Promise<boolean> {
    const [now, later] = [units * unit, (units + 1) * unit];
    const row = asChore(held[worker] ?? next.row);
    const counts = act === 'defer';
    try {
      await store.lane.run<unknown>((tx) => {
        if (act === 'heartbeat') return chores.heartbeat(tx, row, now);
        if (act === 'complete') return chores.complete(tx, row, null);
        if (act === 'release') return chores.release(tx, row);
        if (act === 'bury') return chores.bury(tx, row, 'abandoned');
        if (act === 'defer' || act === 'wait') return chores.defer(tx, row, { dueAt: later, code: 'why', counts });
        return act === 'claim' ? chores.claim(tx, { now, limit: 1 }) : Promise.resolve();
      });
      return false;
    } catch (error) {
      if (error instanceof LeaseLost) return true;
      throw error;
    }
  }

  const columns = ({ due_at, attempts, waits, lease_until }: Chore): unknown => ({
    due_at,
    attempts,
    waits,
    lease_until,
  });

  it('change the row like every step of the model', async () => {
    const cases = new Map<string, { state: LeaseState; step: LeaseStep }>();
    const model = leaseModel(real);
    explore(model, (state, step) => {
      const { act, worker } = step as LeaseStep;
      const key = JSON.stringify([act, state.now, state.row, state.held[worker]]);
      if (act !== 'tick' && act !== 'crash') cases.set(key, { state, step: step as LeaseStep });
    });
    const different: unknown[] = [];
    for (const { state, step } of cases.values()) {
      await put(state.row);
      const isLost = await take(state, step);
      const [stored] = await storedChores(store);
      const expected = asChore(step.next.row);
      const isOwned = (stored as Chore).lease_owner !== null;
      const same =
        JSON.stringify(columns(stored as Chore)) === JSON.stringify(columns(expected)) &&
        isOwned === (expected.lease_owner !== null) &&
        isLost === step.isLost;
      if (!same) different.push({ step: step.name, before: state.row, expected, stored, isLost });
    }
    expect(different.slice(0, 3)).toEqual([]);
    expect(cases.size).toBeGreaterThan(500);
  });
});
