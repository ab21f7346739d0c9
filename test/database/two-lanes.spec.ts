import { openStore, openWriter, type Store } from '../../src/database/store.js';
import { entities } from '../../src/entities.js';
import { NetworkGate } from '../../src/platform/network-gate.js';
import { type Side, WriteTurns } from '../../src/write-turns/write-turns.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';

const insert = 'INSERT INTO sample_attributes (content) VALUES (?)';

const onSqlite = process.env['TEST_DATABASE_URL'] ? describe.skip : describe;

/* Of PostgreSQL each process has a pool: there are no turns. */
onSqlite('two lanes on one file', () => {
  let database: TestDatabase;
  let stores: Record<Side, Store>;

  beforeEach(async () => {
    database = await testDatabase();
    const memory = WriteTurns.memory();
    const open = async (side: Side): Promise<Store> => {
      const writer = await openWriter(database.config, entities);
      return openStore(writer, database.config, entities, new NetworkGate(), new WriteTurns(memory, side));
    };
    stores = { serving: await open('serving'), working: await open('working') };
  });

  afterEach(async () => {
    for (const store of Object.values(stores)) await store.close();
    await database.drop();
  });

  const write = (side: Side, content: string, priority?: 'first'): Promise<unknown> =>
    stores[side].lane.run((tx) => tx.execute(insert, [content]), { priority });

  const contents = async (side: Side): Promise<string[]> =>
    (await stores[side].reader.few<{ content: string }>('SELECT content FROM sample_attributes')).map(
      (row) => row.content,
    );

  it('commit all that either is given, and see what the other has committed', async () => {
    const names = Array.from({ length: 500 }, (_, n) => [`s${n}`, `w${n}`] as const);
    for (let from = 0; from < names.length; from += 50) {
      await Promise.all(
        names.slice(from, from + 50).flatMap(([s, w]) => [write('serving', s, 'first'), write('working', w)]),
      );
    }
    const expected = new Set(names.flat());
    expect([new Set(await contents('serving')), new Set(await contents('working'))]).toEqual([expected, expected]);
  });

  it('refuse only the job that fails, on either side', async () => {
    const outcomes = await Promise.allSettled([
      write('serving', 'a'),
      write('working', 'b'),
      stores.serving.lane.run(() => Promise.reject(new Error('planned'))),
      stores.working.lane.run(() => Promise.reject(new Error('planned'))),
      write('serving', 'c'),
      write('working', 'd'),
    ]);
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, false, true, true]);
    expect(new Set(await contents('working'))).toEqual(new Set(['a', 'b', 'c', 'd']));
  });

  it('both wait while the file is scrubbed, and lose nothing by it', async () => {
    await write('serving', 'before');
    const jobs = [write('serving', 'a', 'first'), write('working', 'b')];
    const scrubbed = stores.working.scrubber.scrub([], true);
    jobs.push(write('serving', 'c'), write('working', 'd'));
    await Promise.all(jobs);
    expect(await scrubbed).toBe('rewritten');
    expect(new Set(await contents('serving'))).toEqual(new Set(['before', 'a', 'b', 'c', 'd']));
  });

  it('leave leases to whoever opened the file first', () => {
    expect([stores.serving.lane.isFirstOfFile, stores.working.lane.isFirstOfFile]).toEqual([true, false]);
  });
});
