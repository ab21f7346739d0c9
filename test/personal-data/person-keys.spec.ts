import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeBackup } from '../../src/backup/make-backup.js';
import { SqliteDatabase } from '../../src/database/sqlite-driver.js';
import { PersonKeysWorker } from '../../src/person-keys/person-keys.worker.js';
import { newAccountId } from '../support/environment.js';
import { TestApp, type TestAppOptions } from '../support/test-app.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';
import { mindfulness, uuid } from '../webhooks/support/events.js';
import { filesWith, tablesWith } from './support/filling.js';
import type { Receipt } from './support/receipt.js';

jest.setTimeout(120_000);

const describeOnSqlite = process.env['TEST_DATABASE_URL'] ? describe.skip : describe;
const secret = 'a-master-key-of-at-least-32-bytes-long';
const other = 'another-master-key-of-at-least-32-bytes';
const mark = 'MARKED-IN-A-BODY';
const DAY_S = 86_400;

interface Line {
  readonly type: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

describeOnSqlite('with keys of persons', () => {
  let folder: string;
  let keys: string;
  let database: TestDatabase;
  let app: TestApp;
  const opened: TestApp[] = [];

  const env = (more: Record<string, string> = {}): Record<string, string> => ({
    PERSON_KEYS_PATH: keys,
    PERSON_KEYS_SECRET: secret,
    ...more,
  });
  const open = async (options: TestAppOptions): Promise<TestApp> => {
    const started = await TestApp.create({ env: env(), ...options });
    opened.push(started);
    return started;
  };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'person-keys-'));
    keys = join(folder, 'keys.sqlite');
    database = await testDatabase();
  });

  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A person of whom a body and a result are stored. */
  async function person(name: string, text = mark): Promise<{ account: string; order: string; message: string }> {
    const account = newAccountId(name);
    const { body: login } = await app.as<{ user_id: string }>(account, 'POST', '/me/sign-in-token', {});
    const data = { event_type: 'moon.phase.changed', client_user_id: account, user_id: login.user_id, data: { text } };
    const { message_id } = await app.sandbox.control.send({ envelope: false, data });
    const minutes = mindfulness({ start: '2026-11-20T08:00:00Z', value: 10 });
    const event_type = 'daily.data.mindfulness_minutes.created';
    await app.sandbox.control.send({ event_type, user_id: login.user_id, data: minutes });
    const { order } = await app.sandbox.control.createOrder({ user_id: login.user_id, notify: false });
    await app.sandbox.control.walkOrder(order.id, { to: 'completed' });
    await app.settle();
    expect((await result(app, order.id)).status).toBe(200);
    return { account, order: order.id, message: message_id };
  }

  const putBack = (copy: TestDatabase, more = {}): Promise<TestApp> =>
    open({ database: copy, upstream: app.sandbox, clock: app.clock, webhooks: false, env: env(more) });
  const result = (through: TestApp, order: string, query = '') =>
    through.admin('GET', `/orders/${order}/result${query}`, undefined, 'reader');
  const message = async (through: TestApp, id: string) =>
    (await through.admin('GET', `/messages/${id}`, undefined, 'reader')).body;
  const exported = async (through: TestApp, account: string): Promise<Line[]> => {
    const { status, body } = await through.admin<string>('GET', `/accounts/${account}/export`);
    expect(status).toBe(200);
    return Array.from(body.trim().split('\n'), (line) => JSON.parse(line) as Line);
  };
  function copiedKeys(): string {
    const db = new SqliteDatabase(keys);
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
    cpSync(keys, join(folder, 'copied.sqlite'));
    return join(folder, 'copied.sqlite');
  }

  const pathOf = ({ config }: TestDatabase): string => (config.kind === 'sqlite' ? config.path : '');

  async function backup(): Promise<TestDatabase> {
    const copy = await testDatabase('unmigrated');
    const files = { source: { path: pathOf(database) }, target: pathOf(copy) };
    const { signal } = new AbortController();
    await makeBackup({ ...files, now: 0, version: '0', signal, onProgress: () => undefined });
    return copy;
  }

  async function erase(account: string): Promise<Receipt & { key_destroyed_at: string | null }> {
    const { body } = await app.admin<Receipt>('DELETE', `/accounts/${account}`);
    await app.settle();
    return (await app.admin<Receipt & { key_destroyed_at: string | null }>('GET', `/erasures/${body.erasure_id}`)).body;
  }

  it('bodies and results are nowhere in the database as they are, and are read, exported and replayed as ever', async () => {
    app = await open({ database });
    const { account, order, message: id } = await person('anna');
    const { body: shown } = await result(app, order);
    expect(shown.metadata).toMatchObject({ patient: 'Sample Patient' });
    for (const text of [mark, 'Sample Patient', String(shown.checksum)]) {
      expect([text, await tablesWith(app.store, text)]).toEqual([text, []]);
      expect(filesWith(database, [text])).toEqual([]);
    }
    expect(await message(app, id)).toMatchObject({ status: 'ignored', body: { data: { text: mark } } });
    const sql =
      'SELECT DISTINCT status FROM messages m JOIN message_keys k ON k.seq = m.seq WHERE k.key_id > 0 ORDER BY 1';
    expect(await app.store.reader.rows(sql)).toEqual([{ status: 'done' }, { status: 'ignored' }]);
    expect(await app.store.reader.rows('SELECT 1 FROM message_keys WHERE key_id < 0')).toEqual([]);
    const lines = await exported(app, account);
    expect(lines.find(({ type }) => type === 'lab_result')?.['data']).toMatchObject({
      content: { metadata: shown.metadata },
    });
    expect(JSON.stringify(lines.find(({ data }) => data?.message_id === id))).toContain(mark);
    expect(JSON.stringify(lines)).not.toContain('key_id');
    expect((await app.admin('POST', `/messages/${id}/replay`)).status).toBe(202);
    await app.settle();
    expect(await message(app, id)).toMatchObject({
      status: 'ignored',
      reason: 'unknown_event',
      body: { data: { text: mark } },
    });
    expect((await result(app, order)).body).toMatchObject({ version: 1, stale: false, checksum: shown.checksum });
  });

  it('a backup that is put back after an erasure shows nothing sealed of the erased person, and all of the others', async () => {
    app = await open({ database });
    const [gone, there] = [await person('gone'), await person('there', 'MARKED-OF-ANOTHER')];
    const copy = await backup();
    const receipt = await erase(gone.account);
    expect(receipt.key_destroyed_at).toBe('2026-11-20T12:00:00.000Z');

    const restored = await putBack(copy);
    const sealed = { has_body: true, body: null, body_problem: 'key_destroyed' };
    expect(await message(restored, gone.message)).toMatchObject(sealed);
    expect(await result(restored, gone.order, '?version=1')).toMatchObject({
      status: 410,
      body: { code: 'key_destroyed' },
    });
    const lines = await exported(restored, gone.account);
    const kept = lines.filter(({ type }) => ['lab_result', 'message'].includes(type));
    expect(kept.length).toBeGreaterThan(1);
    for (const { data } of kept) expect(data?.['problem'] ?? data?.['body_problem']).toBe('key_destroyed');
    expect((await restored.admin('POST', `/messages/${gone.message}/replay`)).status).toBe(202);
    await restored.settle();
    expect(await message(restored, gone.message)).toMatchObject({ status: 'ignored', reason: 'key_destroyed' });

    expect(await message(restored, there.message)).toMatchObject({ body: { data: { text: 'MARKED-OF-ANOTHER' } } });
    expect((await result(restored, there.order, '?version=1')).body.metadata).toMatchObject({
      patient: 'Sample Patient',
    });
    expect(JSON.stringify(await exported(restored, there.account))).toContain('MARKED-OF-ANOTHER');
    expect((await restored.admin('DELETE', `/accounts/${gone.account}`)).status).toBe(202);
    await restored.settle();
    await copy.drop();
  });

  it('a message that waited at the time of the backup can be read for some days, and the erasure is not done before', async () => {
    app = await open({ database });
    await app.sandbox.control.fault({ kind: 'status', status: 503, method: 'GET', path: '/v2/user' });
    const minutes = mindfulness({ start: '2026-11-20T08:00:00Z', value: 10 });
    const data = { event_type: 'daily.data.mindfulness_minutes.created', user_id: uuid(1), data: minutes };
    const { message_id } = await app.sandbox.control.send({ envelope: false, data });
    await app.settle();
    expect(await message(app, message_id)).toMatchObject({ status: 'retry', reason: 'waiting_for_user' });
    const lookUpAt = (at: number): Promise<number> =>
      app.store.lane.run((tx) => tx.execute('UPDATE owner_lookups SET due_at = ?', [at]));
    await lookUpAt(app.clock.now() + 90 * DAY_S * 1_000);
    await app.sandbox.control.clearFaults();
    const { account } = await person('anna');
    const periods = (): unknown => {
      const db = new SqliteDatabase(keys, { readonly: true });
      const sql = `SELECT period FROM keys WHERE kind = 'receipt' AND wrapped <> zeroblob(60) ORDER BY period`;
      const found = db.prepare(sql).pluck().all();
      db.close();
      return found;
    };
    expect(periods()).toEqual(['receipt 2026-11-20']);
    const { erasure_id } = await erase(account);
    await app.advance(9 * DAY_S, 9);
    expect(await message(app, message_id)).toMatchObject({ status: 'retry', reason: 'waiting_for_user' });
    expect(periods()).toEqual(['receipt 2026-11-20']);
    const waiting = (await app.admin<Receipt>('GET', `/erasures/${erasure_id}`)).body;
    expect(waiting).toMatchObject({ state: 'waiting', error_code: 'receipt_key_in_use' });
    await lookUpAt(app.clock.now());
    await app.advance(2 * DAY_S, 24);
    expect(await message(app, message_id)).toMatchObject({ status: 'dead', reason: 'unknown_user' });
    expect(periods()).toEqual([]);
    expect((await app.admin<Receipt>('GET', `/erasures/${erasure_id}`)).body.state).toBe('done');
  });

  it('a destroyed key leaves nothing of itself in the key file', async () => {
    app = await open({ database });
    const { account } = await person('anna');
    const wrapped = (): Buffer[] => {
      const db = new SqliteDatabase(keys, { readonly: true });
      const found = db.prepare(`SELECT wrapped FROM keys WHERE kind = 'person'`).pluck().all() as Buffer[];
      db.close();
      return found;
    };
    const [before = Buffer.from('none')] = wrapped();
    const everywhere = (): string[] =>
      ['', '-wal', '-journal'].filter((end) => existsSync(keys + end) && readFileSync(keys + end).includes(before));
    expect(everywhere().length).toBeGreaterThan(0);
    await erase(account);
    expect(wrapped()).toEqual([Buffer.alloc(60)]);
    expect(everywhere()).toEqual([]);
  });

  it('starts with no other key file, none, or another secret: it says so, and makes none', async () => {
    app = await open({ database });
    const { message: id } = await person('anna');
    const copy = await backup();
    const start = (more: Record<string, string>): Promise<unknown> =>
      TestApp.create({ database: copy, upstream: app.sandbox, env: env(more), webhooks: false }).then(
        (started) => started.close(),
        (error: unknown) => String(error),
      );
    const elsewhere = join(folder, 'elsewhere.sqlite');
    expect(await start({ PERSON_KEYS_PATH: elsewhere })).toContain(`${elsewhere} is not there`);
    expect(existsSync(elsewhere)).toBe(false);
    expect(await start({ PERSON_KEYS_PATH: '' })).toContain('the database is sealed with keys of a key file');
    expect(await start({ PERSON_KEYS_SECRET: other })).toContain('was made with another PERSON_KEYS_SECRET');
    const foreign = await testDatabase();
    const second = await TestApp.create({
      webhooks: false,
      database: foreign,
      upstream: app.sandbox,
      env: env({ PERSON_KEYS_PATH: elsewhere }),
    });
    await second.close();
    await foreign.drop();
    expect(await start({ PERSON_KEYS_PATH: elsewhere })).toContain('belongs to another database');
    const unstamped = await testDatabase();
    const taken = TestApp.create({ database: unstamped, upstream: app.sandbox, env: env() });
    await expect(taken).rejects.toThrow('belongs to another database');
    await unstamped.drop();
    expect(await message(app, id)).toMatchObject({ body: { data: { text: mark } } });
    await copy.drop();
  });

  it('reads with a new secret what was sealed with the old one, once both are given, and then without it', async () => {
    app = await open({ database });
    const { message: id, account } = await person('anna');
    const copy = await backup();
    const keysNow = copiedKeys();
    for (const PERSON_KEYS_SECRET of [`${other},${secret}`, other]) {
      const renewed = await putBack(copy, { PERSON_KEYS_PATH: keysNow, PERSON_KEYS_SECRET });
      expect(await message(renewed, id)).toMatchObject({ body: { data: { text: mark } } });
      expect((await exported(renewed, account)).at(-1)).toMatchObject({ type: 'footer' });
      await opened.pop()?.close();
    }
    await copy.drop();
  });

  it('an older copy of the key file does not know newer persons: their rows say so, all else goes on', async () => {
    app = await open({ database });
    const first = await person('first', 'MARKED-OF-THE-FIRST');
    const old = copiedKeys();
    const second = await person('second');
    const copy = await backup();
    const later = await putBack(copy, { PERSON_KEYS_PATH: old });
    expect(await message(later, second.message)).toMatchObject({ body: null, body_problem: 'key_missing' });
    expect(await message(later, first.message)).toMatchObject({ body: { data: { text: 'MARKED-OF-THE-FIRST' } } });
    await later.admin('POST', `/messages/${second.message}/replay`);
    await later.settle();
    expect(await message(later, second.message)).toMatchObject({ status: 'dead', reason: 'key_missing' });
    expect((await result(later, second.order, '?version=1')).body.code).toBe('key_missing');
    await copy.drop();
  });

  it('results from before are sealed in the background, bodies from before stay as they are until retention', async () => {
    app = await open({ database, env: {} });
    const { message: id, order } = await person('anna');
    expect(await tablesWith(app.store, 'Sample Patient')).toContain('lab_results');
    const copy = await backup();
    const sealing = await putBack(copy);
    await sealing.run(PersonKeysWorker);
    expect(await tablesWith(sealing.store, 'Sample Patient')).toEqual([]);
    expect(await tablesWith(sealing.store, mark)).toEqual(['message_bodies']);
    expect((await result(sealing, order, '?version=1')).body.metadata).toMatchObject({ patient: 'Sample Patient' });
    expect(await message(sealing, id)).toMatchObject({ body: { data: { text: mark } } });
    await sealing.admin('POST', `/messages/${id}/replay`);
    await sealing.settle();
    expect(await message(sealing, id)).toMatchObject({ status: 'ignored', body: { data: { text: mark } } });
    await copy.drop();
  });
});
