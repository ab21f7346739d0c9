// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { AlarmsWorker } from '../../../src/operations/alarms/alarms.worker.js';
import { AccessWriterEntity, PendingEntryEntity } from '../../../src/privacy/access-log/access-log.entity.js';
import { AccessLog } from '../../../src/privacy/access-log/access-log.service.js';
import { ChainRetentionWorker } from '../../../src/privacy/access-log/chain-retention.worker.js';
import { AccessLogVerification } from '../../../src/privacy/access-log/verification.service.js';
import { HOUR, nowhere, SECOND } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { access } from './support/access.js';

describe('an entry that waits for the chain', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create({ upstream: { url: nowhere } });
  });

  afterEach(() => app.close());

  const record = async (...names: string[]): Promise<void> => {
    for (const request_id of names) await app.get(AccessLog).record(access({ request_id }));
  };
  const execute = (sql: string): Promise<number> => app.store.lane.run((tx) => tx.execute(sql));
  const verify = async () => {
    const { entries, broken, unchained } = await app.get(AccessLogVerification).verify();
    return { entries, broken, unchained };
  };
  const intact = (entries: number) => ({ entries, broken: null, unchained: 0 });
  const alarms = async (): Promise<string[]> => {
    await app.run(AlarmsWorker);
    const { body } = await app.admin<{ data: { code: string }[] }>('GET', '/alarms');
    return body.data.map(({ code }) => code);
  };
  const names = async (table: 'access_log' | 'access_log_pending', key: string): Promise<unknown[]> =>
    (await app.store.reader.rows<{ request_id: string }>(`SELECT request_id FROM ${table} ORDER BY ${key}`)).map(
      ({ request_id }) => request_id,
    );
  /** What the owner of the database does first. */
  const unguard = (): Promise<number> =>
    execute(
      `DROP TRIGGER access_log_pending_unchanged${app.store.dialect === 'postgres' ? ' ON access_log_pending' : ''}`,
    );

  it('is stored when its recording resolves, and chained by a worker, in order', async () => {
    await record('a', 'b');
    expect(await names('access_log_pending', 'id')).toEqual(['a', 'b']);
    expect(await names('access_log', 'seq')).toEqual([]);
    await app.chainAccesses();
    expect(await names('access_log_pending', 'id')).toEqual([]);
    expect(await names('access_log', 'seq')).toEqual(['a', 'b']);
    expect(await verify()).toEqual(intact(2));
  });

  it('is chained before the log is listed or verified', async () => {
    await record('a');
    const { body } = await app.admin<{ data: { request_id: string }[] }>('GET', '/access-log');
    expect(body.data.map(({ request_id }) => request_id)).toEqual(['a']);
    expect(await verify()).toEqual(intact(2));
  });

  it('is in an export before it is chained', async () => {
    await app.store.lane.run((tx) =>
      tx.execute(`INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES ('anna', 'pending', 1, 1)`),
    );
    const [anna] = await app.store.reader.few<{ id: number }>(`SELECT id FROM accounts WHERE account_id = 'anna'`);
    await app.get(AccessLog).record(access({ request_id: 'waiting', account_ref: anna?.id ?? null }));
    const { body } = await app.admin<string>('GET', '/accounts/anna/export');
    expect(body).toContain('"request_id":"waiting"');
  });

  it('is chained once by two processes at the same time', async () => {
    const other = await app.another({ upstream: { url: nowhere } });
    const each = Array.from({ length: 40 }, (_, n) => `request-${n}`);
    await Promise.all(
      [app, other].flatMap((one) => each.map((request_id) => one.get(AccessLog).record(access({ request_id })))),
    );
    await Promise.all([app.chainAccesses(), other.chainAccesses()]);
    expect(await verify()).toEqual(intact(80));
  });

  it.each([
    ['the first was removed', `DELETE FROM access_log_pending WHERE request_id = 'a'`, 'b'],
    ['one in the middle was removed', `DELETE FROM access_log_pending WHERE request_id = 'b'`, 'c'],
    ['the newest was removed', `DELETE FROM access_log_pending WHERE request_id = 'c'`, 'd'],
    ['all were removed', `DELETE FROM access_log_pending`, 'd'],
    ['one was changed', `UPDATE access_log_pending SET actor = 'other' WHERE request_id = 'b'`, 'b'],
    ['one got the mark of another', `UPDATE access_log_pending SET mark = 'x' WHERE request_id = 'b'`, 'b'],
  ])('shows with the next one of its process that %s', async (_, sql, after) => {
    await unguard();
    await record('a', 'b', 'c');
    await execute(sql);
    await record('d');
    await app.chainAccesses();
    const chain = await names('access_log', 'seq');
    const { broken } = await verify();
    expect(broken).toEqual({ seq: chain.indexOf(after), reason: 'entries_lost' });
    expect(app.logs.join('')).toContain('"event":"access_log.broken"');
    expect(await alarms()).toContain('access_log_broken');
  });

  it('shows the loss of chained ones of its process together with their writer', async () => {
    await record('a');
    await app.chainAccesses();
    await execute('DELETE FROM access_log_writers');
    await record('b');
    expect(await verify()).toMatchObject({ broken: { seq: 2, reason: 'entries_lost' } });
  });

  it('cannot be changed', async () => {
    await record('a');
    const refused = { message: expect.stringContaining('the access log is append-only') as string };
    await expect(execute(`UPDATE access_log_pending SET actor = 'other'`)).rejects.toMatchObject(refused);
    expect(await verify()).toEqual(intact(1));
  });

  it('is no loss if it could not be stored', async () => {
    await record('a');
    await execute('ALTER TABLE access_log_pending RENAME TO hidden_log');
    await expect(record('b')).rejects.toMatchObject({ code: 'storage_unavailable' });
    await execute('ALTER TABLE hidden_log RENAME TO access_log_pending');
    await record('c');
    expect(await verify()).toEqual(intact(2));
  });

  it('after a long pause has another writer, and old writers are forgotten', async () => {
    await record('a');
    await app.chainAccesses();
    const [first] = await app.table(AccessWriterEntity, 'writer').all();
    app.clock.advance(25 * HOUR);
    await record('b');
    await app.run(ChainRetentionWorker);
    await app.chainAccesses();
    const writers = await app.table(AccessWriterEntity, 'writer').all();
    expect(writers).toHaveLength(1);
    expect(writers[0]?.writer).not.toBe(first?.writer);
    expect(await verify()).toEqual(intact(2));
  });

  it('keeps its writer while it waits', async () => {
    await record('a');
    await app.chainAccesses();
    app.clock.advance(HOUR / 2);
    await record('b');
    app.clock.advance(25 * HOUR);
    await app.run(ChainRetentionWorker);
    expect(await verify()).toEqual(intact(2));
  });

  it('raises an alarm after a minute, which clears once it is chained', async () => {
    await record('a');
    app.clock.advance(60 * SECOND);
    expect(await alarms()).toEqual([]);
    app.clock.advance(1);
    expect(await alarms()).toEqual(['access_log_unchained']);
    await app.chainAccesses();
    expect(await alarms()).toEqual([]);
    expect(await app.table(PendingEntryEntity).all()).toEqual([]);
  });
});
