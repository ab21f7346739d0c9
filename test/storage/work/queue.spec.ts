// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { AppError } from '../../../src/platform/platform/errors.js';
import { Log } from '../../../src/platform/platform/log.js';
import { Metrics } from '../../../src/platform/platform/metrics.js';
import { LEASE_MS } from '../../../src/storage/database/tuning.js';
import { LeaseKeeper } from '../../../src/storage/work/lease-keeper.js';
import { Queue, type QueueOptions } from '../../../src/storage/work/queue.js';
import { UpstreamError } from '../../../src/upstream/transport/upstream-error.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type TestStore, testStore } from '../../support/test-store.js';
import { until } from '../../support/until.js';
import { type Chore, chores, createChores, insertChore, storedChores } from './support/chores.js';

const retry = { pause: { baseMs: 1_000, capMs: 60_000, factor: 2, jitter: 0 }, mostAttempts: 3 };

describe('a queue', () => {
  let store: TestStore;
  let clock: FakeClock;
  let metrics: Metrics;
  let leases: LeaseKeeper;
  let lines: string[];
  /** Numbers of the rows that were worked on. */
  let begun: number[];

  beforeEach(async () => {
    store = await testStore();
    clock = new FakeClock(10);
    metrics = new Metrics();
    leases = new LeaseKeeper(store.lane, clock);
    [lines, begun] = [[], []];
    await createChores(store);
  });

  afterEach(() => store.close());

  function queue(work: (row: Chore) => Promise<unknown>, options: Partial<QueueOptions<Chore>> = {}): Queue<Chore> {
    const handle = async (row: Chore): Promise<void> => {
      begun.push(row.number);
      await work(row);
    };
    const log = new Log({ level: 'debug', destination: { write: (line: string) => lines.push(line) } });
    const around = { lane: store.lane, reader: store.reader, clock, log, metrics, leases };
    return new Queue({ name: 'chores', batch: 10, rows: chores, retry, handle, ...options }, around);
  }

  const done = (row: Chore): Promise<unknown> => store.lane.run((tx) => chores.complete(tx, row, null));
  const { signal } = new AbortController();
  const stored = (): Promise<Chore[]> => storedChores(store);
  const outcomes = async (outcome: string): Promise<number | undefined> => {
    const metric = await metrics.counter('worker_rows_total', '', ['worker', 'outcome']).get();
    return metric.values.find(({ labels }) => labels.outcome === outcome)?.value;
  };
  const upstream = (facts: object): UpstreamError =>
    new UpstreamError({ kind: 'unavailable', reason: 'status', operation: 'GET /v2/user', ...facts });

  it('works on due rows, and reports whether there were any', async () => {
    for (const number of [1, 2]) await insertChore(store, number);
    const chore = queue(done);
    expect(await chore.round(signal)).toBe('more');
    expect(await chore.round(signal)).toBe('idle');
    expect(begun).toEqual([1, 2]);
    expect(await stored()).toMatchObject([{ due_at: null }, { due_at: null }]);
  });

  it('buries a row that kills its process, but none that were claimed with it', async () => {
    for (const number of [1, 2, 3]) await insertChore(store, number);
    for (let life = 1; life <= 6; life++) {
      leases = new LeaseKeeper(store.lane, clock);
      await new Promise<void>((die) => {
        const killedBy2 = queue((row) => (row.number === 2 ? new Promise(() => die()) : done(row)));
        void killedBy2.round(signal).then(() => die());
      });
      clock.advance(LEASE_MS);
    }
    expect(begun).toEqual([1, 2, 2, 3, 2]);
    expect(await stored()).toMatchObject([
      { due_at: null, error_code: null },
      { due_at: null, error_code: 'abandoned' },
      { due_at: null, error_code: null },
    ]);
  });

  it('does not bury rows in flight together whose process is killed again and again', async () => {
    for (const number of [1, 2]) await insertChore(store, number);
    const putOff = async (): Promise<void> => {
      expect(await store.lane.run((tx) => chores.claim(tx, { now: clock.now(), limit: 9 }))).toEqual([]);
      clock.advance(60_000);
    };
    for (let life = 1; life <= 9; life++) {
      leases = new LeaseKeeper(store.lane, clock);
      if (life > 2) await putOff();
      for (const number of [1, 2]) {
        const only = { where: 'number = ?', values: [number] };
        void queue(() => new Promise(() => undefined), { only }).round(signal);
      }
      await until(async () => begun.length === 2 * life);
      if (life > 1) await until(async () => (await stored()).every(({ lease_owner }) => lease_owner?.endsWith('+')));
      clock.advance(LEASE_MS);
    }
    await putOff();
    leases = new LeaseKeeper(store.lane, clock);
    for (let times = 0; times < 2; times++) await queue(done).round(signal);
    const isDone = { due_at: null, error_code: null };
    expect(await stored()).toMatchObject([isDone, isDone]);
  });

  it('releases claimed rows at a shutdown, with their attempts', async () => {
    for (const number of [1, 2]) await insertChore(store, number);
    const before = await stored();
    const stopper = new AbortController();
    const stopped = queue(async () => {
      stopper.abort();
      throw new Error('interrupted');
    });
    expect(await stopped.round(stopper.signal)).toBe('more');
    expect(await stored()).toEqual(before);
    expect(begun).toEqual([1]);
    expect(await outcomes('released')).toBe(2);
    expect(await queue(done).round(stopper.signal)).toBe('idle');
  });

  it('releases unbegun rows for which earlier ones left no time', async () => {
    for (const number of [1, 2]) await insertChore(store, number);
    await queue(async (row) => {
      clock.advance(LEASE_MS);
      await done(row);
    }).round(signal);
    expect(begun).toEqual([1]);
    expect((await stored())[1]).toMatchObject({ due_at: 10, attempts: 0, lease_owner: null });
  });

  it('holds its rows for as long as the work on them takes', async () => {
    for (const number of [1, 2]) await insertChore(store, number);
    await queue(async (row) => {
      for (let times = 0; times < 3; times++) {
        clock.advance(LEASE_MS - 1);
        await leases.renew();
        expect(await store.lane.run((tx) => chores.claim(tx, { now: clock.now(), limit: 9 }))).toEqual([]);
      }
      await done(row);
    }).round(signal);
    expect(begun).toEqual([1, 2]);
    expect(await stored()).toMatchObject([
      { due_at: null, lease_until: null },
      { due_at: null, lease_until: null },
    ]);
  });

  it('leaves work without progress to others, and reports it until it progresses', async () => {
    await insertChore(store, 1);
    let goOn: () => void = () => undefined;
    const hanging = new Promise<void>((resolve) => (goOn = resolve));
    const round = queue(() => hanging, { stuckAfterMs: 60_000 }).round(signal);
    await until(async () => begun.length === 1);
    clock.advance(59_999);
    await leases.renew();
    expect(leases.stuck()).toEqual([]);
    clock.advance(2);
    expect(leases.stuck()).toEqual(['chores']);
    clock.advance(LEASE_MS);
    await leases.renew();
    expect(await chores.anyDue(store.reader, clock.now())).toBe(true);
    goOn();
    await round;
    expect(leases.stuck()).toEqual([]);
  });

  it('does not report work as stuck that progresses step by step', async () => {
    await insertChore(store, 1);
    await queue(
      async (row) => {
        for (let step = 0; step < 3; step++) {
          clock.advance(60_000);
          await store.lane.run((tx) => chores.heartbeat(tx, row, clock.now()));
          expect(leases.stuck()).toEqual([]);
        }
        await done(row);
      },
      { stuckAfterMs: 60_000 },
    ).round(signal);
    expect(begun).toEqual([1]);
  });

  it.each([true, false])(
    'releases rows whose outcome the store refused, as soon as it accepts that (%s)',
    async (sideBySide) => {
      for (const number of [1, 2, 3]) await insertChore(store, number);
      const before = await stored();
      const away = new AppError('storage_unavailable', 'The database is unavailable.');
      const failing = queue(
        async (row) => {
          if (row.number === 1) return done(row);
          jest.spyOn(store.lane, 'run').mockRejectedValue(away);
          throw away;
        },
        { sideBySide },
      );
      await expect(failing.round(signal)).rejects.toBe(away);
      await leases.renew();
      expect((await stored())[1]).toMatchObject({ lease_owner: expect.any(String) });
      jest.restoreAllMocks();
      await leases.renew();
      expect((await stored()).slice(1)).toEqual(before.slice(1));
    },
  );

  it('leaves a row to its new holder, counts that, and continues with the others', async () => {
    for (const number of [1, 2]) await insertChore(store, number);
    await queue(async (row) => {
      if (row.number === 1) {
        await store.lane.run((tx) => tx.execute(`UPDATE chores SET lease_owner = 'next' WHERE number = 1`));
      }
      await done(row);
    }).round(signal);
    expect(await stored()).toMatchObject([{ lease_owner: 'next', due_at: 10 }, { due_at: null }]);
    expect(await outcomes('lost')).toBe(1);
    expect(lines.join()).toContain('worker.lease_lost');
  });

  it('retries a fault of the program a few times, without its text, and buries it', async () => {
    await insertChore(store, 1);
    const faulty = queue(async () => {
      throw new TypeError('MARKED-SECRET');
    });
    const seen = [];
    for (let round = 0; round < 3; round++) {
      await faulty.round(signal);
      const [row] = await stored();
      seen.push(row?.due_at === null ? null : Number(row?.due_at) - clock.now());
      clock.advance(60_000);
    }
    expect(seen).toEqual([1_000, 2_000, null]);
    expect(await stored()).toMatchObject([{ error_code: 'internal', attempts: 3 }]);
    expect(lines.join()).toContain('worker.row_failed');
    expect(lines.join()).not.toContain('MARKED');
  });

  it('calls upstream for no other row while upstream asks every caller to wait', async () => {
    await insertChore(store, 1);
    const busy = queue(async () => {
      throw upstream({ kind: 'throttled', retryAfterMs: 30_000, isForAll: true });
    });
    await busy.round(signal);
    await insertChore(store, 2);
    clock.advance(29_999);
    expect(await busy.round(signal)).toBe('idle');
    expect(begun).toEqual([1]);
    clock.advance(1);
    await busy.round(signal);
    expect(begun).toEqual([1, 2, 1]);
  });

  it('reports deferred and buried rows', async () => {
    for (const number of [1, 2]) await insertChore(store, number);
    const told: unknown[] = [];
    const deferred: QueueOptions<Chore>['deferred'] = ({ number }, { code, delayMs }) =>
      told.push([number, code, delayMs]);
    const buried: QueueOptions<Chore>['buried'] = ({ number }, code) => told.push([number, code]);
    await queue(
      async ({ number }) => {
        throw number === 1 ? upstream({}) : upstream({ kind: 'rejected', status: 403 });
      },
      { deferred, buried },
    ).round(signal);
    expect(told).toEqual([
      [1, 'upstream_unavailable', 1_000],
      [2, 'upstream_rejected'],
    ]);
  });

  it('writes nothing if nothing is due', async () => {
    await insertChore(store, 1, 11);
    const run = jest.spyOn(store.lane, 'run');
    expect(await queue(done).round(signal)).toBe('idle');
    expect(run).not.toHaveBeenCalled();
  });
});
