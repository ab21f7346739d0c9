import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { SqliteDatabase } from '../../../src/storage/database/sqlite-driver.js';
import { newAccountId } from '../../support/environment.js';
import { readByThreads } from '../../support/read-here.js';
import { TestApp } from '../../support/test-app.js';

/** PostgreSQL reads in processes of its own. */
const describeOnSqlite = process.env['TEST_DATABASE_URL'] ? describe.skip : describe;

const seriesCount = 1_000;
const samplesEach = 40;
/** Rows that this thread may read meanwhile: its own look at the account, at keys, at what is due. */
const MAX_ROWS = 1_000;

interface Statement {
  all(...values: unknown[]): unknown[];
}

describeOnSqlite('an export of 40,000 samples', () => {
  let pulsekeep: TestApp;
  const account = newAccountId();

  beforeAll(async () => {
    pulsekeep = await TestApp.create();
    readByThreads(pulsekeep.store.reader);
    await pulsekeep.as(account, 'POST', '/me/sign-in-token', {});
    await pulsekeep.store.lane.run(async (tx) => {
      await tx.execute(`INSERT INTO observations (id, kind, ref, page) VALUES (1, 'sync', 1, 0)`);
      await tx.execute(
        `INSERT INTO sample_attributes (id, content) VALUES (1, '{"timezone_offset":3600,"unit":"bpm"}')`,
      );
      await tx.execute('INSERT INTO sample_groups (id, observation_id, attributes_id) VALUES (1, 1, 1)');
      await tx.execute(
        `INSERT INTO series (account_id, resource, provider, source_type, sub_series, floating_time, created_at)
         SELECT (SELECT id FROM accounts WHERE account_id = ?), 'heartrate', 'oura', 'ring', 'type-' || value, 0, 0
         FROM json_each(?)`,
        [account, JSON.stringify(numbers(seriesCount))],
      );
      await tx.execute(
        `INSERT INTO samples (series_id, time, sibling, value, group_id)
         SELECT s.id, (s.id * 300 + j.value) * 60000, 0, 60 + j.value % 40, 1 FROM series s, json_each(?) j`,
        [JSON.stringify(numbers(samplesEach))],
      );
    });
  });

  afterEach(() => jest.restoreAllMocks());
  afterAll(() => pulsekeep.close());

  it('leaves the event loop free: threads read its rows', async () => {
    const db = new SqliteDatabase(':memory:');
    const reads = jest.spyOn(Object.getPrototypeOf(db.prepare('SELECT 1')) as Statement, 'all');
    db.close();
    const bytes = await readWhole(`${pulsekeep.url}/admin/v1/accounts/${account}/export`);
    const rows = reads.mock.results.flatMap(({ value }) => value as unknown[]);
    expect(bytes).toBeGreaterThan(seriesCount * samplesEach * 100);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThan(MAX_ROWS);
  });
});

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** Asks and drops what comes; answers how much that was. */
async function readWhole(url: string): Promise<number> {
  const call = request(url, { headers: { authorization: 'Bearer reader-key' } }).end();
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) bytes += chunk.length;
  return bytes;
}
