import { withinRequest } from '../../../src/platform/platform/request-context.js';
import type { Store } from '../../../src/storage/database/store.js';
import { readByThreads } from '../../support/read-here.js';
import { testStore } from '../../support/test-store.js';

const MANY = 300;
/** Reads that may run at once: connections of PostgreSQL, or threads of SQLite. */
const AT_ONCE = 10;

describe('waiting reads and writes', () => {
  let store: Store;

  beforeEach(async () => {
    store = await testStore();
    if (store.dialect === 'sqlite') readByThreads(store.reader);
  });

  afterEach(() => store.close());

  it('of one caller do not hold up the reads of another', async () => {
    const ended: string[] = [];
    const reads = (caller: string): Promise<unknown> =>
      withinRequest({ caller }, () => store.reader.rows('SELECT 1 AS one').then(() => ended.push(caller)));
    const greedy = Array.from({ length: MANY }, () => reads('greedy'));
    await Promise.all([...greedy, reads('second'), reads('third')]);
    expect(ended).toHaveLength(MANY + 2);
    for (const caller of ['second', 'third']) expect(ended.indexOf(caller)).toBeLessThan(3 * AT_ONCE);
  });

  it('to write do not hold up the writes of another, and keep their order', async () => {
    const ended: string[] = [];
    const sql = 'INSERT INTO sample_attributes (content) VALUES (?)';
    const write = (caller: string, content: string): Promise<unknown> =>
      withinRequest({ caller }, () =>
        store.lane.run((tx) => tx.execute(sql, [content]).then(() => ended.push(content))),
      );
    const greedy = Array.from({ length: MANY }, (_, index) => write('greedy', `greedy ${index}`));
    await Promise.all([...greedy, write('second', 'second'), write('third', 'third')]);
    expect(ended).toHaveLength(MANY + 2);
    for (const content of ['second', 'third']) expect(ended.indexOf(content)).toBeLessThan(3 * AT_ONCE);
    if (store.dialect === 'sqlite') {
      const own = ended.filter((content) => content.startsWith('greedy'));
      expect(own).toEqual(greedy.map((_, index) => `greedy ${index}`));
    }
  });

  it('that fail let the next ones run', async () => {
    const fails = (): Promise<unknown> => store.reader.rows('SELECT * FROM nothing_of_the_kind');
    await Promise.allSettled(Array.from({ length: 3 * AT_ONCE }, fails));
    expect(await store.reader.rows('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});
