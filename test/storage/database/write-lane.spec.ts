// .ci/run runs this on PostgreSQL too: its outcome depends on the database.

import { AppError } from '../../../src/platform/platform/errors.js';
import type { SqliteWriteLane } from '../../../src/storage/database/sqlite-write-lane.js';
import type { Tx } from '../../../src/storage/database/tx.js';
import type { JobOptions } from '../../../src/storage/database/write-lane.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type TestStore, testStore } from '../../support/test-store.js';

const insert = 'INSERT INTO sample_attributes (content) VALUES (?)';

/** A generator of our own, so that a failing run can be repeated. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

describe('write lane', () => {
  let store: TestStore;

  beforeEach(async () => {
    store = await testStore();
  });

  afterEach(() => store.close());

  const contents = async (): Promise<string[]> =>
    (await store.reader.few<{ content: string }>('SELECT content FROM sample_attributes ORDER BY content')).map(
      (row) => row.content,
    );

  it('keeps all acknowledged writes and no refused ones over 1,000 jobs, 50 at a time, that fail at random', async () => {
    const roll = random(7);
    const plans = Array.from({ length: 1000 }, (_, index) => ({
      writes: [`${index}-a`, `${index}-b`],
      fails: (['never', 'before', 'between', 'after', 'database'] as const)[Math.floor(roll() * 5)],
    }));
    const run = ({ writes, fails }: (typeof plans)[number]): Promise<void> =>
      store.lane.run(async (tx) => {
        if (fails === 'before') throw new Error('planned');
        await tx.execute(insert, [writes[0]]);
        if (fails === 'between') throw new Error('planned');
        await tx.execute(insert, [fails === 'database' ? writes[0] : writes[1]]);
        if (fails === 'after') throw new Error('planned');
      });
    const outcomes: PromiseSettledResult<void>[] = [];
    // A job that waits for a connection for too long is refused, so a slow server gets no more than 50 at a time.
    while (outcomes.length < plans.length) {
      const some = plans.slice(outcomes.length, outcomes.length + 50);
      outcomes.push(...(await Promise.allSettled(some.map(run))));
    }
    const kept = plans.filter((plan) => plan.fails === 'never').flatMap((plan) => plan.writes);
    expect(outcomes.map((outcome) => outcome.status === 'fulfilled')).toEqual(plans.map((p) => p.fails === 'never'));
    expect(kept.length).toBeGreaterThan(200);
    expect(new Set(await contents())).toEqual(new Set(kept));
  });

  it('runs the reports of a job once after the commit, and none of a rolled-back job', async () => {
    const reports: string[] = [];
    const job = (name: string, fails: boolean): Promise<void> =>
      store.lane.run(async (tx) => {
        tx.afterCommit(() => reports.push(`${name}, ${store.lane.inside() ? 'inside' : 'outside'}`));
        await tx.execute(insert, [name]);
        if (fails) throw new Error('planned');
      });
    const jobs = [job('a', false), job('b', true), job('c', false)];
    const seen = jobs.map((each, index) =>
      each.then(
        () => reports.some((report) => report.startsWith('abc'[index] as string)),
        () => 'rolled back',
      ),
    );
    expect(await Promise.all(seen)).toEqual([true, 'rolled back', true]);
    expect(reports.toSorted()).toEqual(['a, outside', 'c, outside']);
    expect(await contents()).toEqual(['a', 'c']);
  });

  it('reports nothing of a commit that fails', async () => {
    const reports: string[] = [];
    const failing = store.lane.run(async (tx) => {
      tx.afterCommit(() => reports.push('committed'));
      await tx.execute('INSERT INTO message_bodies (seq, body) VALUES (1, ?)', [Buffer.from('of no message')]);
    });
    await expect(failing).rejects.toThrow();
    expect(reports).toEqual([]);
  });

  it('lets jobs of TypeORM and of plain SQL share a transaction', async () => {
    await expect(
      store.lane.run(async (tx) => {
        await tx.execute(insert, ['plain']);
        await tx.orm.query(`INSERT INTO sample_attributes (content) VALUES ('orm')`);
        throw new Error('planned');
      }),
    ).rejects.toThrow('planned');
    expect(await contents()).toEqual([]);
  });

  it('refuses a network call inside a job and keeps the calls around it', async () => {
    const call = async (): Promise<string> => {
      store.gate.assertOpen('GET /v2/user');
      return 'called';
    };
    const inside = store.lane.run(async (tx) => {
      await tx.execute(insert, ['never']);
      return call();
    });
    await expect(inside).rejects.toMatchObject({ code: 'lane_refused' });
    await expect(call()).resolves.toBe('called');
    expect(await contents()).toEqual([]);
  });

  it('keeps a transaction from being used after its job', async () => {
    const leaked = await store.lane.run(async (tx) => ({ tx }));
    await expect(leaked.tx.execute(insert, ['late'])).rejects.toBeInstanceOf(AppError);
    expect(() => leaked.tx.orm).toThrow(AppError);
    expect(await contents()).toEqual([]);
  });

  it('shows a reader only what is committed', async () => {
    const seen = await store.lane.run(async (tx) => {
      await tx.execute(insert, ['x']);
      return store.dialect === 'sqlite' ? await contents() : [];
    });
    expect(seen).toEqual([]);
    expect(await contents()).toEqual(['x']);
  });

  it('refuses to write through the reader', async () => {
    await expect(store.reader.rows(`INSERT INTO sample_attributes (content) VALUES ('x')`)).rejects.toThrow();
    expect(await contents()).toEqual([]);
  });

  it('gives usual jobs their share of the time while urgent ones keep arriving', async () => {
    let urgent = 0;
    let before = 0;
    let isDone = false;
    const usual = store.lane
      .run((tx) => tx.execute(insert, ['usual']))
      .then(() => {
        isDone = true;
        before = urgent;
      });
    // Longer than a turn of the lane.
    const busy = async (tx: Tx): Promise<void> => {
      const end = performance.now() + 6;
      while (performance.now() < end) await tx.rows('SELECT 1 AS one');
    };
    while (!isDone && urgent < 100) {
      urgent += 1;
      await store.lane.run(busy, { priority: 'first' });
    }
    await usual;
    expect(before).toBeLessThan(5);
  });

  it('gathers small writes and rejects only the faulty one among them', async () => {
    const sizes: number[] = [];
    const batcher = store.lane.batcher<string, string>(async (tx, items) => {
      sizes.push(items.length);
      for (const item of items) await tx.execute(insert, [item === 'bad' ? null : item]);
      return items.map((item) => item.toUpperCase());
    });
    const outcomes = await Promise.allSettled(['a', 'b', 'bad', 'c'].map((item) => batcher.add(item)));
    expect(outcomes.map((o) => (o.status === 'fulfilled' ? o.value : 'rejected'))).toEqual(['A', 'B', 'rejected', 'C']);
    expect(await contents()).toEqual(['a', 'b', 'c']);
    expect(sizes[0]).toBe(4);
    expect(new Set(sizes.slice(1))).toEqual(new Set([1]));
  });

  it('does not retry small writes one by one that failed together because the store is unavailable', async () => {
    const sizes: number[] = [];
    const batcher = store.lane.batcher<string, string>(async (_tx, items) => {
      sizes.push(items.length);
      throw new AppError('storage_unavailable', 'The database is unavailable.');
    });
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((item) => batcher.add(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(sizes).toEqual([3]);
  });

  it('writes waiting small writes with one commit', async () => {
    let batches = 0;
    const batcher = store.lane.batcher<number, number>(async (tx, items) => {
      batches += 1;
      for (const item of items) await tx.execute(insert, [`item ${item}`]);
      return items;
    });
    const results = await Promise.all(Array.from({ length: 200 }, (_, item) => batcher.add(item)));
    expect(results).toEqual(Array.from({ length: 200 }, (_, item) => item));
    expect(batches).toBeLessThan(10);
    expect(await contents()).toHaveLength(200);
  });

  it('tells a job when it began, by the clock of the program', async () => {
    const clock = new FakeClock(1_000);
    const store = await testStore(clock);
    const seen = await store.lane.run(async (tx) => {
      clock.advance(5);
      await tx.few('SELECT 1');
      return tx.now;
    });
    expect([seen, await store.lane.run(async (tx) => tx.now)]).toEqual([1_000, 1_005]);
    await store.close();
  });

  it('waits for the disk at each commit', async () => {
    const setting = store.dialect === 'sqlite' ? 'PRAGMA synchronous' : 'SHOW synchronous_commit';
    const [row] = await store.lane.run((tx) => tx.rows<Record<string, unknown>>(setting));
    expect(Object.values(row ?? {})).toEqual([store.dialect === 'sqlite' ? 2 : 'on']);
  });
});

const onSqlite = process.env['TEST_DATABASE_URL'] ? describe.skip : describe;

/** PostgreSQL lets a job wait (each has a connection of its own); there, only the network gate refuses. */
onSqlite('write lane on SQLite', () => {
  it('starts no job while exclusive work runs', async () => {
    const store = await testStore();
    const lane = store.lane as SqliteWriteLane;
    const seen: string[] = [];
    const write = (name: string): Promise<void> =>
      lane.run(async (tx) => {
        seen.push(name);
        await tx.execute(insert, [name]);
      });
    const before = write('before');
    let goOn = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      const alone = lane.hold(async () => {
        seen.push(lane.inside() ? 'inside' : 'alone');
        resolve();
        await new Promise<void>((end) => (goOn = end));
      });
      void alone.then(() => seen.push('over'));
    });
    await begun;
    const after = write('after');
    await Promise.race([after, new Promise((resolve) => setImmediate(resolve))]);
    expect(seen).not.toContain('after');
    goOn();
    await Promise.all([before, after]);
    expect(seen.indexOf('after')).toBeGreaterThan(seen.indexOf('alone'));
    expect(await store.reader.few('SELECT content FROM sample_attributes')).toHaveLength(2);
    await store.close();
  });

  it('runs urgent jobs before jobs that already wait', async () => {
    const store = await testStore();
    const order: string[] = [];
    const job = (name: string, options?: JobOptions) => store.lane.run(async () => void order.push(name), options);
    await Promise.all([job('a'), job('b'), job('urgent', { priority: 'first' })]);
    expect(order).toEqual(['urgent', 'a', 'b']);
    await store.close();
  });

  it('settles urgent jobs before it begins other jobs', async () => {
    const store = await testStore();
    const order: string[] = [];
    await Promise.all([
      store.lane.run(async () => void order.push('other work begins')),
      store.lane.run(async () => undefined, { priority: 'first' }).then(() => order.push('urgent work is answered')),
    ]);
    expect(order).toEqual(['urgent work is answered', 'other work begins']);
    await store.close();
  });

  it('rolls back and refuses a job that waits for anything but its transaction', async () => {
    const store = await testStore();
    const held = store.lane.run(async (tx) => {
      await tx.execute(insert, ['held']);
      await new Promise((resolve) => setImmediate(resolve));
      await tx.execute(insert, ['after']);
    });
    const other = store.lane.run((tx) => tx.execute(insert, ['other']));
    await expect(held).rejects.toMatchObject({ code: 'lane_refused' });
    await expect(other).resolves.toBe(1);
    expect(await store.reader.rows('SELECT content FROM sample_attributes')).toEqual([{ content: 'other' }]);
    await store.close();
  });

  it('reports a full file as an unavailable store, and accepts writes again once there is room', async () => {
    const store = await testStore();
    const limit = (pages: number): Promise<unknown> =>
      store.lane.run((tx) => tx.rows(`PRAGMA max_page_count = ${pages}`));
    const write = (): Promise<number> => store.lane.run((tx) => tx.execute(insert, ['x'.repeat(100_000)]));
    await limit(1);
    await expect(write()).rejects.toMatchObject({ code: 'storage_unavailable', cause: { code: 'SQLITE_FULL' } });
    await limit(1_000_000);
    expect(await write()).toBe(1);
    await store.close();
  });
});

const onPostgres = process.env['TEST_DATABASE_URL'] ? describe : describe.skip;

onPostgres('write lane on PostgreSQL', () => {
  it('refuses a second statement of a single-statement job, and texts with several statements', async () => {
    const store = await testStore();
    const twice = store.lane.run(
      async (tx) => {
        await tx.execute(insert, ['first']);
        await tx.execute(insert, ['second']);
      },
      { calls: 'one' },
    );
    await expect(twice).rejects.toMatchObject({ code: 'lane_refused' });
    const orm = store.lane.run(async (tx) => void (await tx.orm.query('SELECT 1')), { calls: 'one' });
    await expect(orm).rejects.toMatchObject({ code: 'lane_refused' });
    // The first was committed by itself.
    expect(await store.reader.few('SELECT content FROM sample_attributes')).toEqual([{ content: 'first' }]);
    await store.close();
  });
});
