// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import pg from 'pg';
import type { ChangeFeedEntity } from '../../../src/storage/change-log/change.entity.js';
import type { NewChange } from '../../../src/storage/change-log/change.js';
import { ChangeLogRepository } from '../../../src/storage/change-log/change-log.repository.js';
import { noteChanges } from '../../../src/storage/change-log/note-changes.js';
import { endFeed } from '../../../src/storage/schema/database-copy.js';
import { type TestStore, testStore } from '../../support/test-store.js';

const change = (subject: string): NewChange => ({ kind: 'order', action: 'changed', account: null, subject });

/** A failure in the middle of numbering, as of a process that is killed. */
class Killed extends Error {}

const onPostgres = process.env['TEST_DATABASE_URL'] ? it : it.skip;

describe('the sequencer', () => {
  let store: TestStore;
  let repository: ChangeLogRepository;

  beforeEach(async () => {
    store = await testStore();
    repository = new ChangeLogRepository(store.reader);
    await store.lane.run((tx) => repository.begin(tx, 0));
  });

  afterEach(() => store.close());

  const note = (...subjects: string[]): Promise<void> =>
    store.lane.run((tx) => noteChanges(tx, subjects.map(change), 1_000));
  const number = (limit = 100): Promise<unknown> => store.lane.run((tx) => repository.number(tx, limit, 0));
  const all = async (): Promise<[number, string][]> =>
    (await repository.page(0, Number.MAX_SAFE_INTEGER, 10_000)).map(({ number: at, subject }) => [at, subject]);

  onPostgres('restarts the feed before the first number on a server with another history', async () => {
    const feed = () => store.reader.row<ChangeFeedEntity>('SELECT * FROM change_feed WHERE id = 1');
    await repository.learnHistory();
    await store.lane.run((tx) => repository.begin(tx, 0));
    const first = await feed();
    expect(first?.history).toMatch(/^\d+\/[0-9A-F]{8}$/);
    expect(await repository.hasDeparted()).toBe(false);
    await store.lane.run((tx) => tx.execute(`UPDATE change_feed SET history = '1/00000001'`));
    expect(await repository.hasDeparted()).toBe(true);
    await store.lane.run((tx) =>
      noteChanges(tx, [{ kind: 'alarm', action: 'created', account: null, subject: 'x' }], 5),
    );
    expect(await store.lane.run((tx) => repository.number(tx, 10, 7))).toEqual({
      count: 1,
      last: 1,
      hasDeparted: true,
    });
    expect(await feed()).toMatchObject({ history: first?.history, departed_at: 7, last_number: 1 });
    expect((await feed())?.feed).not.toBe(first?.feed);
    expect(await repository.hasDeparted()).toBe(false);
  });

  it('numbers committed changes in the order in which they were noted', async () => {
    await note('a', 'b');
    await note('c');
    expect(await all()).toEqual([]);
    expect(await number(2)).toMatchObject({ count: 2, last: 2 });
    expect(await number(2)).toMatchObject({ count: 1, last: 3 });
    expect(await number(2)).toMatchObject({ count: 0, last: 3 });
    expect(await all()).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ]);
    expect(await repository.anyPending()).toBe(false);
  });

  it('keeps its feed id until the database is reset to another state', async () => {
    const feed = async (): Promise<string | undefined> => {
      await store.lane.run((tx) => repository.begin(tx, 0));
      return (await repository.feed())?.feed;
    };
    const first = await feed();
    expect(await feed()).toBe(first);
    await store.lane.run((tx) => tx.execute(endFeed));
    expect(await feed()).toMatch(/^[0-9a-f]{12}$/);
    expect(await feed()).not.toBe(first);
  });

  it.each([1, 3])(
    'gives no number twice where a restore left out the row of the feed, %i of 3 expired',
    async (expired) => {
      await note('a', 'b', 'c');
      await number();
      await store.lane.run((tx) => repository.expire(tx, expired));
      await store.lane.run((tx) => tx.execute('DELETE FROM change_feed'));
      await store.lane.run((tx) => repository.begin(tx, 0));
      expect(await repository.feed()).toMatchObject({ last_number: 3, expired_number: expired });
      await note('d');
      expect(await number()).toMatchObject({ count: 1, last: 4 });
    },
  );

  it('numbers no rolled-back change, and loses none when it is killed', async () => {
    await note('a');
    const rolledBack = store.lane.run(async (tx) => {
      await noteChanges(tx, [change('never')], 1_000);
      throw new Killed();
    });
    await expect(rolledBack).rejects.toThrow(Killed);
    const killed = store.lane.run(async (tx) => {
      await repository.number(tx, 100, 0);
      throw new Killed();
    });
    await expect(killed).rejects.toThrow(Killed);
    await number();
    expect(await all()).toEqual([[1, 'a']]);
  });

  onPostgres('continues while another transaction idles, and numbers its changes when it commits', async () => {
    if (store.config.kind !== 'postgres') throw new Error('This is about PostgreSQL.');
    const foreign = new pg.Client({ connectionString: store.config.url.reveal() });
    await foreign.connect();
    await foreign.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await foreign.query(
      `INSERT INTO pending_changes (at, kind, action, origin, subject) VALUES (1, 'order', 'changed', 'live', 'late')`,
    );
    for (let round = 0; round < 20; round++) {
      await note(String(round));
      expect(await number()).toMatchObject({ count: 1, last: round + 1 });
    }
    await foreign.query('COMMIT');
    await foreign.end();
    await number();
    expect((await all()).at(-1)).toEqual([21, 'late']);
  });

  it('gives one sequence without gaps for any number of racing writers and sequencers', async () => {
    const writers = Array.from({ length: 12 }, async (_, writer) => {
      for (let round = 0; round < 12; round++) await note(`${writer} ${2 * round}`, `${writer} ${2 * round + 1}`);
    });
    let written = false;
    const sequencers = Array.from({ length: 3 }, async (_, each) => {
      for (let round = 0; !written || (await repository.anyPending()); round++) {
        const run = store.lane.run(async (tx) => {
          const outcome = await repository.number(tx, 7, 0);
          if ((round + each) % 4 === 0) throw new Killed();
          return outcome;
        });
        await run.catch((error: unknown) => expect(error).toBeInstanceOf(Killed));
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    await Promise.all(writers);
    written = true;
    await Promise.all(sequencers);
    const changes = await all();
    expect(changes.map(([at]) => at)).toEqual(Array.from({ length: 288 }, (_, index) => index + 1));
    for (let writer = 0; writer < 12; writer++) {
      const own = changes.map(([, subject]) => subject.split(' ')).filter(([name]) => name === String(writer));
      expect(own.map(([, at]) => Number(at))).toEqual(Array.from({ length: 24 }, (_, index) => index));
    }
  });
});
