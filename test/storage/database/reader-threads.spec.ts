import { ReaderThreads } from '../../../src/storage/database/reader-threads.js';
import { sqliteHandle } from '../../../src/storage/database/sqlite.js';
import { openingOf } from '../../../src/storage/database/sqlite-driver.js';
import { openWriter } from '../../../src/storage/database/store.js';
import { refusing } from '../../support/no-thread.js';
import { readByThreads } from '../../support/read-here.js';
import { type TestDatabase, testDatabase, testStore } from '../../support/test-store.js';

const counting = (upTo: number): string =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${upTo})`;

/** What is asked and answered goes on; pauses do not. */
const real = ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] as const;

const pathOf = ({ config }: TestDatabase): string => (config.kind === 'sqlite' ? config.path : '');

const describeOnSqlite = process.env['TEST_DATABASE_URL'] ? describe.skip : describe;

// PostgreSQL is asked over the network and needs no threads.
describeOnSqlite('reader threads', () => {
  let database: TestDatabase;
  let threads: ReaderThreads;

  beforeEach(async () => {
    database = await testDatabase();
    threads = new ReaderThreads(openingOf({ path: pathOf(database) }));
  });

  afterEach(async () => {
    jest.useRealTimers();
    await threads.close();
    await database.drop();
  });

  it('return numbers, texts, nulls and bytes like a connection', async () => {
    const writer = await openWriter(database.config, []);
    const messages = `INSERT INTO messages (seq, message_id, received_at, sent_at, status, attempts, size)
      VALUES (1, 'a', 1, 1, 'done', 0, 3)`;
    sqliteHandle(writer).exec(`${messages}; INSERT INTO message_bodies (seq, body) VALUES (1, x'00ff10')`);
    await writer.destroy();
    const [row] = await threads.rows('SELECT b.*, ? AS number, ? AS text, ? AS missing FROM message_bodies b', [
      9_007_199_254_740_991,
      '\u00fc',
      null,
    ]);
    expect(row).toEqual({
      seq: 1,
      body: Buffer.from([0, 255, 16]),
      number: 9_007_199_254_740_991,
      text: '\u00fc',
      missing: null,
    });
    expect(Buffer.isBuffer(row?.['body'])).toBe(true);
  });

  it('let the event loop continue while they read', async () => {
    let turns = 0;
    let isRead = false;
    const count = (): void => {
      turns++;
      if (!isRead) setImmediate(count);
    };
    setImmediate(count);
    const [row] = await threads.rows(`${counting(300_000)} SELECT COUNT(*) AS rows FROM n`, []);
    isRead = true;
    expect(row).toEqual({ rows: 300_000 });
    expect(turns).toBeGreaterThan(10);
  });

  it('are two once a query waits for a long one, and one again after the second was idle', async () => {
    const ended: string[] = [];
    const long = threads
      .rows(`${counting(5_000_000)} SELECT COUNT(*) AS rows FROM n`, [])
      .then(() => ended.push('long'));
    expect(threads.size).toBe(1);
    jest.useFakeTimers({ doNotFake: [...real] });
    const short = threads.rows('SELECT 1 AS one', []).then(() => ended.push('short'));
    jest.advanceTimersByTime(99);
    expect(threads.size).toBe(1);
    jest.advanceTimersByTime(1);
    expect(threads.size).toBe(2);
    await short;
    await long;
    expect(ended).toEqual(['short', 'long']);
    jest.advanceTimersByTime(9_999);
    await threads.rows('SELECT 1 AS one', []);
    expect(threads.size).toBe(2);
    jest.advanceTimersByTime(1);
    while (threads.size === 2) await new Promise((resolve) => setImmediate(resolve));
    expect(await threads.rows('SELECT 1 AS one', [])).toEqual([{ one: 1 }]);
  });

  it('run queries while the second ends', async () => {
    jest.useFakeTimers({ doNotFake: [...real] });
    const long = threads.rows(`${counting(300_000)} SELECT COUNT(*) AS rows FROM n`, []);
    const short = threads.rows('SELECT 1 AS one', []);
    jest.advanceTimersByTime(100);
    await Promise.all([long, short]);
    jest.advanceTimersByTime(10_000);
    const answers = Array.from({ length: 20 }, (_, n) => threads.rows('SELECT ? AS n', [n]));
    jest.advanceTimersByTime(100);
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 20 }, (_, n) => [{ n }]));
  });

  it('refuse queries while the file is locked, continue, and keep few pages', async () => {
    const writer = await openWriter(database.config, []);
    const db = sqliteHandle(writer);
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; CREATE TABLE locked (id INTEGER) STRICT; ROLLBACK');
    await expect(threads.rows('SELECT 1 AS one', [])).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
    await writer.destroy();
    expect(await threads.rows('PRAGMA cache_size', [])).toEqual([{ cache_size: -4_000 }]);
  });

  it('fail a statement with the code of the database, refuse to write, and continue', async () => {
    await expect(threads.rows('SELECT * FROM nothing_of_the_kind', [])).rejects.toMatchObject({ code: 'SQLITE_ERROR' });
    const write = threads.rows(`DELETE FROM accounts RETURNING id`, []);
    await expect(write).rejects.toMatchObject({ code: 'SQLITE_READONLY' });
    expect(await threads.rows('SELECT 1 AS one', [])).toEqual([{ one: 1 }]);
  });

  it('that cannot open the file, or end, fail only their current query', async () => {
    const absent = new ReaderThreads(openingOf({ path: '/absent/file' }));
    const answers = await Promise.allSettled([1, 2, 3].map((n) => absent.rows('SELECT ? AS n', [n])));
    const failed = { status: 'rejected', reason: { code: 'SQLITE_CANTOPEN' } };
    expect(answers).toMatchObject([failed, failed, failed]);
    await absent.close();
    expect(await threads.rows('SELECT 1 AS one', [])).toEqual([{ one: 1 }]);
  });

  it('fail waiting queries if the system has no thread left, and start once it has', async () => {
    const few = new ReaderThreads(refusing(openingOf({ path: pathOf(database) }), [1, 2]));
    for (const n of [1, 2]) {
      const read = few.rows('SELECT ? AS n', [n]);
      await expect(read).rejects.toMatchObject({ code: 'ERR_WORKER_INIT_FAILED' });
    }
    expect(await few.rows('SELECT ? AS n', [3])).toEqual([{ n: 3 }]);
    await few.close();
  });

  it('are one if the system has none left for the second', async () => {
    const few = new ReaderThreads(refusing(openingOf({ path: pathOf(database) }), [2]));
    jest.useFakeTimers({ doNotFake: [...real] });
    const long = few.rows(`${counting(300_000)} SELECT COUNT(*) AS rows FROM n`, []);
    const short = few.rows('SELECT 1 AS one', []);
    jest.advanceTimersByTime(100);
    expect(few.size).toBe(1);
    expect(await Promise.all([long, short])).toEqual([[{ rows: 300_000 }], [{ one: 1 }]]);
    await few.close();
  });

  it('run each query once, in turn, and accept only a limited number of waiting ones', async () => {
    const asked = Array.from({ length: 5_200 }, (_, n) => threads.rows('SELECT ? AS n', [n]));
    const answers = await Promise.allSettled(asked);
    const answered = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    expect(answered).toEqual(Array.from({ length: 5_001 }, (_, n) => ({ n })));
    expect(answers.at(-1)).toMatchObject({ status: 'rejected', reason: { code: 'SQLITE_BUSY' } });
  });

  it('finish their current queries when they are closed, and refuse the rest', async () => {
    const inHand = threads.rows(`${counting(100_000)} SELECT COUNT(*) AS rows FROM n`, []);
    const others = [1, 2].map((n) => threads.rows('SELECT ? AS n', [n]));
    const [closed, first, ...rest] = await Promise.allSettled([threads.close(), inHand, ...others]);
    expect([closed?.status, first]).toEqual(['fulfilled', { status: 'fulfilled', value: [{ rows: 100_000 }] }]);
    expect(rest.at(-1)).toMatchObject({ status: 'rejected', reason: { code: 'SQLITE_CANTOPEN' } });
    await expect(threads.rows('SELECT 1', [])).rejects.toMatchObject({ code: 'SQLITE_CANTOPEN' });
  });

  it('return storage_unavailable through the reader of a closed store', async () => {
    const store = await testStore();
    readByThreads(store.reader);
    expect(await store.reader.rows('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await store.close();
    for (const read of ['rows', 'few'] as const) {
      await expect(store.reader[read]('SELECT 1 AS one')).rejects.toMatchObject({ code: 'storage_unavailable' });
    }
  });
});
