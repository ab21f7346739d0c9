// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { alongIndex, type NumberOrder } from '../../../src/storage/database/conditions.js';
import type { SqlInput } from '../../../src/storage/database/dialect.js';
import { type TestStore, testStore } from '../../support/test-store.js';

const ROWS = 5_000;
/** Only the first fifth of the entries are of sleep. */
const fill = `INSERT INTO access_log (seq, at, actor, action, resource, request_id, status, previous_hash, hash)
  WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ROWS})
  SELECT n, n, CASE n % 3 WHEN 0 THEN 'clinic' ELSE 'app' END, 'GET /v1/me/today',
    CASE WHEN n <= ${ROWS / 5} THEN 'sleep' ELSE 'steps' END, 'r', 200, '', '' FROM numbers`;

/** PostgreSQL then prefers the index of all numbers, as it does for millions of rows. */
const asOfALargeTable = [
  'random_page_cost = 1000',
  `effective_cache_size = '8kB'`,
  'enable_seqscan = off',
  'enable_sort = off',
];

const newest: NumberOrder = { number: 'seq', order: 'DESC', from: ROWS + 1 };

describe('rows with one value in order of their number', () => {
  let store: TestStore;

  beforeAll(async () => {
    store = await testStore();
    await store.lane.run((tx) => tx.execute(fill));
    await store.lane.run((tx) => tx.execute('ANALYZE access_log'));
  });

  afterAll(() => store.close());

  function statement(order: NumberOrder, values: Record<string, SqlInput>, isTimed = false): [string, SqlInput[]] {
    const { conditions, orderBy } = alongIndex(order, values, isTimed);
    return [`SELECT * FROM access_log ${conditions.where} ORDER BY ${orderBy} LIMIT 10`, [...conditions.values]];
  }

  async function found(...given: Parameters<typeof statement>): Promise<number[]> {
    return (await store.reader.rows<{ seq: number }>(...statement(...given))).map(({ seq }) => seq);
  }

  const down = (first: number, step = 1): number[] => Array.from({ length: 10 }, (_, index) => first - index * step);
  const up = (first: number, step = 1): number[] => Array.from({ length: 10 }, (_, index) => first + index * step);

  it.each<[string, Parameters<typeof statement>, number[]]>([
    ['the newest of all', [newest, {}], down(5_000)],
    ['the newest of one value', [newest, { resource: 'sleep' }], down(1_000)],
    ['those before a number', [{ ...newest, from: 501 }, { resource: 'sleep' }], down(500)],
    ['those after a number', [{ number: 'seq', order: 'ASC', from: 500 }, { resource: 'sleep' }], up(501)],
    [
      'those up to a number',
      [{ number: 'seq', order: 'ASC', from: 992, to: 995 }, { resource: 'sleep' }],
      [993, 994, 995],
    ],
    ['none beyond the last', [{ number: 'seq', order: 'ASC', from: 1_000 }, { resource: 'sleep' }], []],
    ['none of a value that no row has', [newest, { resource: 'sleeping' }], []],
    ['those of two values', [newest, { resource: 'sleep', actor: 'clinic' }], down(999, 3)],
    ['those of one value at a time', [newest, { resource: 'sleep' }, true], down(1_000)],
    ['all if a value is not given', [newest, { resource: undefined }], down(5_000)],
  ])('are %s', async (_, given, expected) => {
    expect(await found(...given)).toEqual(expected);
  });

  it('are read from the index of the value, although the newest rows have others', async () => {
    const [sql, values] = statement(newest, { resource: 'sleep' });
    const plan = await store.lane.run(async (tx) => {
      if (tx.dialect === 'sqlite') return tx.rows(`EXPLAIN QUERY PLAN ${sql}`, values);
      for (const setting of asOfALargeTable) await tx.execute(`SET LOCAL ${setting}`);
      return tx.rows(`EXPLAIN ${sql}`, values);
    });
    expect(JSON.stringify(plan)).toContain('access_log_resource_seq');
    expect(JSON.stringify(plan)).not.toMatch(/sort|TEMP B-TREE/i);
  });
});
