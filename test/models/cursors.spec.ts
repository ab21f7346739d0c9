import { PageStore } from '../../src/ingest/pulls/page-store.js';
import { SyncWorld } from '../ingest/pulls/support/sync-world.js';
import { explore, type Model, renumbered, type Step } from './support/explore.js';

/*
 * Two pages of two slices, two workers that may die or lose their lease between any two transactions, and one that may
 * come late. Each transaction is one step: a slice that holds alone, or the last one together with the cursor.
 */

const PAGES = 2;

interface Holder {
  /** The page being stored, and how many of its slices are. */
  readonly page: number;
  readonly slices: number;
  readonly lease: number;
}

interface State {
  /** Slices that are stored, two a page. */
  readonly stored: readonly boolean[];
  /** The page the next holder begins with; PAGES once all are done. */
  readonly cursor: number;
  /** The lease of the task, or 0; and whether it has run out. */
  readonly lease: number;
  readonly isOver: boolean;
  readonly held: readonly [Holder | null, Holder | null];
  readonly crashes: number;
}

interface Protocol {
  /** The cursor goes with the last slice, not with the first. */
  readonly cursorWith: 'last' | 'first';
  /** Slices and cursor are written by whoever holds the lease only. */
  readonly guarded: boolean;
}

function ranked(state: State): State {
  const rank = renumbered([state.lease, ...state.held.map((holder) => holder?.lease ?? 0)]);
  const [first, second] = state.held.map((holder) => holder && { ...holder, lease: rank(holder.lease) });
  return { ...state, lease: rank(state.lease), held: [first ?? null, second ?? null] };
}

function pull({ cursorWith, guarded }: Protocol): Model<State> {
  const hold = (state: State, worker: number, holder: Holder | null): State => ({
    ...state,
    held: worker === 0 ? [holder, state.held[1]] : [state.held[0], holder],
  });

  function claim(state: State, worker: number): Step<State>[] {
    const isFree = state.lease === 0 || state.isOver;
    if (!isFree || state.held[worker] || state.cursor === PAGES) return [];
    const lease = 1 + Math.max(state.lease, ...state.held.map((holder) => holder?.lease ?? 0));
    const holder = { page: state.cursor, slices: 0, lease };
    return [{ name: `claim ${worker}`, next: { ...hold(state, worker, holder), lease, isOver: false } }];
  }

  function write(state: State, worker: number, holder: Holder): Step<State> {
    const { page, slices, lease } = holder;
    const name = `write ${worker}`;
    if (guarded && lease !== state.lease) return { name, next: hold(state, worker, null) };
    const stored = state.stored.with(2 * page + slices, true);
    const isLast = slices === 1;
    const movesCursor = cursorWith === 'last' ? isLast : !isLast;
    const after = { ...state, stored, cursor: movesCursor ? page + 1 : state.cursor };
    if (!isLast) return { name, next: hold(after, worker, { ...holder, slices: 1 }) };
    if (page + 1 < PAGES) return { name, next: hold(after, worker, { page: page + 1, slices: 0, lease }) };
    return { name, next: { ...hold(after, worker, null), lease: 0 } };
  }

  function ofWorker(state: State, worker: number): Step<State>[] {
    const holder = state.held[worker];
    if (!holder) return claim(state, worker);
    const crash = { name: `crash ${worker}`, next: { ...hold(state, worker, null), crashes: state.crashes + 1 } };
    return [write(state, worker, holder), ...(state.crashes < 2 ? [crash] : [])];
  }

  const isDone = ({ cursor }: State): boolean => cursor === PAGES;
  return {
    initial: {
      stored: [false, false, false, false],
      cursor: 0,
      lease: 0,
      isOver: false,
      held: [null, null],
      crashes: 0,
    },
    steps: (state) =>
      [
        ...ofWorker(state, 0),
        ...ofWorker(state, 1),
        ...(state.lease !== 0 && !state.isOver ? [{ name: 'lease ends', next: { ...state, isOver: true } }] : []),
      ].map(({ name, next }) => ({ name, next: ranked(next) })),
    wrong: ({ stored, cursor }) =>
      stored.slice(0, 2 * cursor).includes(false) ? 'the cursor has passed what is not stored' : null,
    isRest: isDone,
  };
}

describe('the cursor of a pull, with every interleaving of two workers, crashes and late holders', () => {
  it('never passes unstored records, and reaches the end', () => {
    const { states, violation } = explore(pull({ cursorWith: 'last', guarded: true }));
    expect(violation).toBeNull();
    expect(states).toBeGreaterThan(200);
  });

  it('passes them if the cursor is written before the last slice', () => {
    expect(explore(pull({ cursorWith: 'first', guarded: true })).violation).toEqual({
      what: 'the cursor has passed what is not stored',
      path: ['claim 0', 'write 0'],
    });
  });
});

describe('a real pull', () => {
  const pageSize = 2_000;
  const pages = 2;
  /** Of up to 1,000 samples; see store-page.ts. */
  const jobs = pages * 2;
  let world: SyncWorld;

  beforeAll(async () => {
    world = await SyncWorld.create();
    await world.sandbox.control.configure({ page_size: pageSize });
  });

  afterAll(() => world.close());

  it.each(Array.from({ length: jobs }, (_, job) => job + 1))(
    'that dies in transaction %i of four has no cursor past stored records, and the next reaches the end',
    async (fatal) => {
      const { service } = world;
      const account = await world.account(service, `customer-${fatal}`);
      await world.data(account.userId, 'mindfulness_minutes', { days: 79, per_day: 50 });
      const store = service.app.get(PageStore) as unknown as { lane: { run(work: unknown): Promise<unknown> } };
      const { lane } = store;
      const id = await world.request(service, account.ref);
      let job = 0;
      store.lane = {
        run: (work) => (++job === fatal ? Promise.reject(new Error('the process has died')) : lane.run(work)),
      };
      await service.backfill.runUntilIdle();
      store.lane = lane;
      const { stored, upstream } = await world.samples(account, 'mindfulness_minutes');
      const task = await world.task(id);
      expect(task).toMatchObject({ status: 'pending', pages: fatal <= jobs / 2 ? 0 : 1 });
      expect(stored.slice(0, task.pages * pageSize)).toEqual(upstream.slice(0, task.pages * pageSize));
      await world.advance(3_600);
      await service.backfill.runUntilIdle();
      expect(await world.task(id)).toMatchObject({ status: 'done', pages });
      expect((await world.samples(account, 'mindfulness_minutes')).stored).toEqual(upstream);
    },
  );

  it.each(Array.from({ length: jobs }, (_, job) => job + 1))(
    'that is overtaken before transaction %i of four changes nothing when it continues',
    async (late) => {
      const { service } = world;
      const other = await world.another();
      const account = await world.account(service, `overtaken-${late}`);
      await world.data(account.userId, 'mindfulness_minutes', { days: 79, per_day: 50 });
      const store = service.app.get(PageStore) as unknown as { lane: { run(work: unknown): Promise<unknown> } };
      const { lane } = store;
      const id = await world.request(service, account.ref);
      let job = 0;
      store.lane = {
        run: async (work) => {
          if (++job === late) {
            await world.advance(3_600);
            await other.backfill.runUntilIdle();
          }
          return lane.run(work);
        },
      };
      await service.backfill.runUntilIdle();
      store.lane = lane;
      expect(await world.task(id)).toMatchObject({ status: 'done', pages });
      const { stored, upstream } = await world.samples(account, 'mindfulness_minutes');
      expect(stored).toEqual(upstream);
    },
  );
});
