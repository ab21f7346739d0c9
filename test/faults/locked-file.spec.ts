import type BetterSqlite3 from 'better-sqlite3';
import { SqliteDatabase } from '../../src/storage/database/sqlite-driver.js';
import { messagesOf } from '../ingest/inbox/support/deliveries.js';
import { signedMessage } from '../support/signed-message.js';
import { TestApp } from '../support/test-app.js';

const onSqlite = process.env['TEST_DATABASE_URL'] ? describe.skip : describe;

onSqlite('a SQLite file that another program has locked', () => {
  let app: TestApp;
  let other: BetterSqlite3.Database;

  beforeEach(async () => {
    app = await TestApp.create({ webhooks: false });
    if (app.database.config.kind !== 'sqlite') throw new Error('This is about SQLite.');
    other = new SqliteDatabase(app.database.config.path, { timeout: 0 });
    other.exec('BEGIN IMMEDIATE');
  });

  afterEach(async () => {
    other.close();
    await app.close();
  });

  const deliver = async (id: string): Promise<{ status: number; code?: string }> => {
    const { headers, body } = signedMessage(id, { event_type: 'unheard.of' }, undefined, app.clock.now());
    const answer = await fetch(`${app.url}/webhooks`, { method: 'POST', headers, body });
    const { code } = answer.status === 204 ? {} : ((await answer.json()) as { code: string });
    return { status: answer.status, ...(code !== undefined && { code }) };
  };
  /** However slow the machine is, the lock is not given up before this is undone. */
  const stopTime = () => jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  const stored = async (): Promise<string[]> => (await messagesOf(app).all()).map(({ message_id }) => message_id);

  it('refuses deliveries with 503 during the lock, and accepts them afterwards', async () => {
    const refused = { status: 503, code: 'storage_unavailable' };
    expect(await Promise.all([deliver('one'), deliver('two')])).toEqual([refused, refused]);
    expect((await app.call('GET', '/readyz')).status).toBe(503);
    other.exec('ROLLBACK');
    expect(await deliver('one')).toEqual({ status: 204 });
    expect(await stored()).toEqual(['one']);
  });

  it('leaves the process free for everything else', async () => {
    const passing = stopTime();
    let refused = false;
    const waiting = deliver('one').finally(() => (refused = true));
    let answers = 0;
    while (!refused) {
      answers += (await app.call('GET', '/livez')).status === 200 ? 1 : 0;
      if (answers > 5) passing.mockRestore();
    }
    expect((await waiting).status).toBe(503);
    expect(answers).toBeGreaterThan(5);
  });

  it('is retried for a short time', async () => {
    const passing = stopTime();
    const job = app.store.lane.run(async () => 'done');
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    other.exec('ROLLBACK');
    expect(await job).toBe('done');
    passing.mockRestore();
  });

  it('is retried by a start after others are refused', async () => {
    const start = app.store.lane.runAtStart(async () => 'started');
    expect((await deliver('one')).status).toBe(503);
    expect((await deliver('two')).status).toBe(503);
    other.exec('ROLLBACK');
    expect(await start).toBe('started');
  });

  it('never makes SQLite wait inside a reader either', async () => {
    expect(await app.store.reader.rows('PRAGMA busy_timeout')).toEqual([{ timeout: 0 }]);
  });
});
