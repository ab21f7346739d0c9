import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteTx } from '../../src/database/sqlite-driver.js';
import { EventsService } from '../../src/events/events.service.js';
import { PersonKeys } from '../../src/person-keys/person-keys.service.js';
import { TestApp } from '../support/test-app.js';
import { deliver, messagesOf, processed } from '../webhooks/support/deliveries.js';
import { event, mindfulness, type User } from '../webhooks/support/events.js';

const describeOnSqlite = process.env['TEST_DATABASE_URL'] ? describe.skip : describe;
const START = Date.parse('2026-10-01T00:00:00Z');

const minutes = (user: User, minute: number) => {
  const start = new Date(START + minute * 60_000).toISOString();
  return event('daily.data.mindfulness_minutes.created', user, mindfulness({ start, value: 10 }));
};

interface Bound {
  readonly message_id: string;
  readonly owner: string | null;
  readonly key_id: number;
  /** The key of the owner. */
  readonly person_key: number | null;
}

describeOnSqlite('the bodies of messages of one claim', () => {
  let folder: string;
  let app: TestApp;
  const users: Record<string, User> = {};

  afterEach(async () => {
    jest.restoreAllMocks();
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(isSealed = true): Promise<void> {
    folder = mkdtempSync(join(tmpdir(), 'person-keys-'));
    const path = join(folder, 'keys.sqlite');
    const env = { PERSON_KEYS_PATH: path, PERSON_KEYS_SECRET: 'a-master-key-of-at-least-32-bytes-long' };
    app = await TestApp.create({ webhooks: false, env: isSealed ? env : {} });
    for (const name of ['anna', 'ben', 'carl']) {
      const { users: made } = await app.sandbox.control.createUsers({ client_user_id: name });
      users[name] = made[0] as unknown as User;
      await deliver(app, minutes(user(name), 0), { id: `first-of-${name}` });
    }
    await processed(app);
  }

  const user = (name: string): User => users[name] as User;
  const message = (id: string) => messagesOf(app).byId(id);
  const body = async (id: string) => (await app.admin('GET', `/messages/${id}`, undefined, 'reader')).body;
  const execute = (sql: string, values: (string | number)[] = []): Promise<number> =>
    app.store.lane.run((tx) => tx.execute(sql, values));
  const accountOf = async (name: string): Promise<number> => {
    const row = await app.store.reader.row<{ id: number }>('SELECT id FROM accounts WHERE account_id = ?', [name]);
    return row?.id ?? 0;
  };

  async function bound(...ids: string[]): Promise<Bound[]> {
    const rows = await app.store.reader.rows<Bound>(
      `SELECT m.message_id, a.account_id AS owner, k.key_id, p.key_id AS person_key
       FROM messages m JOIN message_keys k ON k.seq = m.seq LEFT JOIN accounts a ON a.id = m.account_id
       LEFT JOIN person_keys p ON p.account_id = a.id ORDER BY m.seq`,
    );
    return rows.filter(({ message_id }) => ids.includes(message_id));
  }

  /** Answers which statements have read or written keys since: what was read, then what was written. */
  function watchKeys(): () => string[] {
    const given = jest.spyOn(SqliteTx.prototype, 'given');
    const rows = jest.spyOn(SqliteTx.prototype, 'rows');
    const executed = jest.spyOn(SqliteTx.prototype, 'execute');
    const bulk = jest.spyOn(SqliteTx.prototype, 'bulk');
    return () =>
      [
        ...given.mock.calls.map(([{ sql }]) => sql),
        ...rows.mock.calls.map(([sql]) => sql),
        ...executed.mock.calls.map(([sql]) => sql),
        ...bulk.mock.calls.flatMap(([{ table }, values]) => (values.length > 0 ? `bulk ${table}` : [])),
      ].filter((text) => /message_keys|person_keys/.test(text));
  }

  async function deliverAll(): Promise<void> {
    await deliver(app, minutes(user('anna'), 60), { id: 'a' });
    await deliver(app, minutes(user('ben'), 60), { id: 'b' });
    await deliver(app, minutes(user('anna'), 120), { id: 'c' });
  }

  it('are bound each to the key of its own person, by two reads and one write for all', async () => {
    await start();
    await deliverAll();
    expect(new Set((await bound('a', 'b', 'c')).map(({ key_id }) => key_id < 0))).toEqual(new Set([true]));
    const statements = watchKeys();
    await processed(app);
    expect(statements()).toEqual([
      expect.stringContaining('SELECT k.seq, k.key_id, k.data_key FROM given'),
      expect.stringContaining('SELECT k.account_id, k.key_id FROM given'),
      'bulk message_keys',
    ]);
    const found = await bound('a', 'b', 'c');
    expect(found.map(({ owner }) => owner)).toEqual(['anna', 'ben', 'anna']);
    for (const { key_id, person_key } of found) expect([key_id, key_id > 0]).toEqual([person_key, true]);
    expect(new Set(found.map(({ key_id }) => key_id)).size).toBe(2);
    for (const [id, name] of Object.entries({ a: 'anna', b: 'ben', c: 'anna' })) {
      expect(await body(id)).toMatchObject({ body: { client_user_id: name } });
    }
  });

  it('cost no statement where nothing is sealed', async () => {
    await start(false);
    await deliverAll();
    const statements = watchKeys();
    await processed(app);
    expect(await message('b')).toMatchObject({ status: 'done' });
    expect(statements()).toEqual([]);
  });

  it('are written no more once they are bound', async () => {
    await start();
    await deliverAll();
    await processed(app);
    const before = await bound('a', 'b', 'c');
    for (const id of ['a', 'b', 'c']) await app.admin('POST', `/messages/${id}/replay`);
    const statements = watchKeys();
    await processed(app);
    expect(await message('b')).toMatchObject({ status: 'done', attempts: 1 });
    expect(statements().filter((text) => text.startsWith('bulk'))).toEqual([]);
    expect(await bound('a', 'b', 'c')).toEqual(before);
  });

  it('of a person whose erasure is asked for meanwhile go, those of the others are bound', async () => {
    await start();
    await deliverAll();
    const events = app.get(EventsService);
    const owner = events.owner.bind(events);
    events.owner = async (envelope, known) => {
      events.owner = owner;
      expect((await app.admin('DELETE', '/accounts/ben')).status).toBe(202);
      return owner(envelope, known);
    };
    await processed(app);
    expect(await message('b')).toMatchObject({ status: 'ignored', reason: 'account_erased' });
    const found = await bound('a', 'b', 'c');
    expect(found.map(({ message_id }) => message_id)).toEqual(['a', 'c']);
    for (const { key_id, person_key } of found) expect([key_id, key_id > 0]).toEqual([person_key, true]);
  });

  it('of a person whose key was destroyed are bound to another key', async () => {
    await start();
    const [before] = await bound('first-of-ben');
    expect(await app.get(PersonKeys).destroyOf(await accountOf('ben'))).toBe(true);
    await deliverAll();
    await processed(app);
    const [, ofBen] = await bound('a', 'b', 'c');
    expect(ofBen).toMatchObject({ message_id: 'b', key_id: ofBen?.person_key });
    expect(ofBen?.key_id).not.toBe(before?.key_id);
    expect(await body('b')).toMatchObject({ body: { client_user_id: 'ben' } });
    expect(await body('first-of-ben')).toMatchObject({ body: null, body_problem: 'key_destroyed' });
  });

  it('of a person whose key is missing stay as they are, and the message says so; the others are bound', async () => {
    await start();
    const ben = await accountOf('ben');
    await execute('UPDATE person_keys SET key_id = key_id + 1 WHERE account_id = ?', [ben]);
    await deliverAll();
    await processed(app);
    expect(await message('b')).toMatchObject({
      status: 'retry',
      attempts: 1,
      reason: 'key_missing',
      account_id: ben,
      lease_owner: null,
    });
    expect(await body('b')).toMatchObject({ body: { client_user_id: 'ben' } });
    const [ofAnna, ofBen] = await bound('a', 'b');
    expect(ofAnna?.key_id).toBe(ofAnna?.person_key);
    expect(ofBen?.key_id).toBeLessThan(0);
    expect(await message('c')).toMatchObject({ status: 'done' });
    await execute('UPDATE person_keys SET key_id = key_id - 1 WHERE account_id = ?', [ben]);
    app.clock.advance(10_000);
    await processed(app);
    expect(await message('b')).toMatchObject({ status: 'done' });
    const [again] = await bound('b');
    expect(again?.key_id).toBe(again?.person_key);
  });

  it('that were stored before there were keys stay as they are', async () => {
    await start();
    await deliverAll();
    await execute(`DELETE FROM message_keys WHERE seq = (SELECT seq FROM messages WHERE message_id = 'b')`);
    const plain = JSON.stringify(minutes(user('ben'), 60));
    await app.store.lane.run((tx) =>
      tx.orm.query(`UPDATE message_bodies SET body = ? WHERE seq = (SELECT seq FROM messages WHERE message_id = 'b')`, [
        Buffer.from(plain),
      ]),
    );
    await processed(app);
    expect(await message('b')).toMatchObject({ status: 'done' });
    expect((await bound('a', 'b', 'c')).map(({ message_id }) => message_id)).toEqual(['a', 'c']);
    expect(await body('b')).toMatchObject({ body: { client_user_id: 'ben' } });
  });
});
