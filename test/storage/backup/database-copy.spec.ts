// .ci/run runs this on PostgreSQL too: it copies to PostgreSQL and back.
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import { entities } from '../../../src/app/rooms.js';
import { running } from '../../../src/operations/alarms/alarms.repository.js';
import { NetworkGate } from '../../../src/platform/platform/network-gate.js';
import { type Copied, type CopyOptions, copyDatabase } from '../../../src/storage/backup/copy-database.js';
import { openStore, openWriter, type Store } from '../../../src/storage/database/store.js';
import { ensureIdentity } from '../../../src/storage/schema/database-identity.js';
import { migrate } from '../../../src/storage/schema/migrate.js';
import { CleanerWorker } from '../../../src/storage/work/cleaner.worker.js';
import { runCli, spawnCli } from '../../operations/cli/support/run-cli.js';
import { columnsOf, countsOf, Filling, stateOf, tableNames } from '../../privacy/erasure/support/filling.js';
import { databaseKey, isEncryptionInstalled } from '../../support/encrypted-files.js';
import { environmentOn, nowhere, START, webhookSecret } from '../../support/environment.js';
import { FakeClock } from '../../support/fake-clock.js';
import { writeRow } from '../../support/tables.js';
import { behindProxy } from '../../support/tcp-proxy.js';
import { TestApp, type TestAppOptions } from '../../support/test-app.js';
import { fastFolder, type TestDatabase, testDatabase } from '../../support/test-store.js';

const onPostgres = process.env['TEST_DATABASE_URL'] ? describe : describe.skip;
/** The driver of encrypted files is optional: npm run driver -- --encrypted. */
const withEncryption = isEncryptionInstalled() ? it : it.skip;
const stamp = { region: 'us', environment: 'sandbox' };
const marks = ['database_copies', 'database_copy_tables'];
const copiedNames = tableNames().filter((name) => !marks.includes(name));

let folder: string;
const databases: TestDatabase[] = [];

beforeEach(() => {
  folder = fastFolder('pulsekeep-copy-');
});

afterEach(async () => {
  for (const database of databases.splice(0)) await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** A file that does not exist yet. */
function sqliteDatabase(name: string): TestDatabase {
  return { config: { kind: 'sqlite', path: join(folder, name) }, drop: async () => undefined };
}

/** Of TEST_DATABASE_URL, without tables. */
async function emptyDatabase(): Promise<TestDatabase> {
  const database = await testDatabase('unmigrated');
  databases.push(database);
  return database;
}

const urlOf = ({ config }: TestDatabase): string =>
  config.kind === 'sqlite' ? `sqlite:${config.path}` : config.url.reveal();

const copyArgs = (to: TestDatabase, ...more: string[]): string[] => ['database', 'copy', '--to', urlOf(to), ...more];

interface Result extends Copied {
  readonly state: string;
  readonly rows: number;
  readonly journal: string | null;
}

async function opened<T>({ config }: TestDatabase, use: (store: Store) => Promise<T>): Promise<T> {
  const writer = await openWriter(config, entities);
  await migrate(writer, config, 0);
  const store = await openStore(writer, config, new NetworkGate());
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** A database with rows in every table, of which some tables have several pages. */
async function fill(database: TestDatabase): Promise<Record<string, number>> {
  return opened(database, async (store) => {
    await ensureIdentity(store.lane, store.reader, stamp, START);
    const account = { account_id: 'anna', status: 'active', created_at: START, updated_at: START };
    await writeRow(store, 'accounts', account);
    const [row] = await store.reader.few<{ id: number }>('SELECT id FROM accounts');
    await new Filling(store, Number(row?.id), { text: 'märk€d\u2028', number: 0.1 + 0.2 }).fill(3, {
      samples: 11_000,
      message_bodies: 300,
      messages: 300,
    });
    const counts = await countsOf(store);
    for (const name of copiedNames) if (counts[name] === 0) await oneRowMore(store, name);
    return countsOf(store);
  });
}

const oneRowMore = (store: Store, table: string): Promise<number> => writeRow(store, table, anyRow(table));

function anyRow(table: string): Record<string, number | string> {
  const columns = columnsOf(table).filter(({ counted }) => !counted);
  return Object.fromEntries(
    columns.map(({ name, type }) => [name, type === 'text' ? (stateOf(table, name) ?? `any ${name}`) : START]),
  );
}

function optionsOf(source: TestDatabase, target: TestDatabase, more: Partial<CopyOptions> = {}): CopyOptions {
  return {
    source: source.config,
    target: target.config,
    ...{ entities, stamp, running, now: START + 86_400_000, signal: new AbortController().signal },
    onProgress: () => undefined,
    ...more,
  };
}

onPostgres('a copy of a full database', () => {
  let full: { readonly folder: string; readonly counts: Record<string, number> };

  beforeAll(async () => {
    const own = fastFolder('pulsekeep-full-');
    const path = join(own, 'full.sqlite');
    full = { folder: own, counts: await fill({ config: { kind: 'sqlite', path }, drop: async () => undefined }) };
  });

  afterAll(() => rmSync(full.folder, { recursive: true, force: true }));

  function fullDatabase(name = 'source.sqlite'): TestDatabase {
    copyFileSync(join(full.folder, 'full.sqlite'), join(folder, name));
    return sqliteDatabase(name);
  }

  it('has every row of every declared table, on PostgreSQL and again on SQLite', async () => {
    const first = fullDatabase('first.sqlite');
    const { counts } = full;
    const empty = copiedNames.filter((name) => counts[name] === 0);
    expect(empty).toEqual([]);

    await statement(first, 'CREATE INDEX own_messages ON messages (sent_at)');
    const there = await emptyDatabase();
    const copied = await copyDatabase(optionsOf(first, there));
    expect(copied.leftOut).toEqual(['index own_messages']);
    expect(Object.keys(copied.tables).sort()).toEqual(copiedNames.toSorted());
    expect(Object.fromEntries(Object.entries(copied.tables).map(([name, { rows }]) => [name, rows]))).toEqual(
      Object.fromEntries(copiedNames.map((name) => [name, counts[name]])),
    );
    const second = sqliteDatabase('second.sqlite');
    const back = await copyDatabase(optionsOf(there, second));
    expect(back.tables).toEqual(copied.tables);
    expect(await everything(second)).toEqual(await everything(first));
  });

  it('is resumed after any number of interruptions, and equals an uninterrupted one', async () => {
    const source = fullDatabase();
    const [whole, parts] = [await emptyDatabase(), await emptyDatabase()];
    let runs = 0;
    let result: Copied | undefined;
    for (let stopAt = 0; result === undefined; stopAt += 4_000, runs += 1) {
      const stop = new AbortController();
      const onProgress: CopyOptions['onProgress'] = ({ phase, rows }) => {
        if (phase === 'copy' && rows > stopAt) stop.abort();
      };
      result = await copyDatabase(optionsOf(source, parts, { signal: stop.signal, onProgress })).catch(
        (error: Error) => {
          expect(error.message).toBe('Stopped. Run the same command again to resume the copy.');
          return undefined;
        },
      );
    }
    expect(runs).toBeGreaterThan(2);
    expect(result).toMatchObject({ resumed: true });
    // It gives the source another feed.
    await reopened(source);
    const { tables } = await copyDatabase(optionsOf(source, whole));
    expect({ ...tables, change_feed: null }).toEqual({ ...result?.tables, change_feed: null });
  });

  it('is resumed after its process was killed', async () => {
    const source = fullDatabase();
    const target = await emptyDatabase();
    const env = environmentOn(source, nowhere);
    // The first line comes with the first page.
    const die = `process.stderr.write=()=>process.kill(process.pid,'SIGKILL')`;
    const killed = await spawnCli(copyArgs(target), { ...env, NODE_OPTIONS: `--import=data:text/javascript,${die}` });
    expect(killed).toMatchObject({ code: null, out: '', err: '' });
    expect((await startOn(source)).err).toContain('A copy of this database has begun.');
    const { code, out } = await runCli(copyArgs(target, '--json'), env);
    expect(code).toBe(0);
    const { resumed, tables } = JSON.parse(out) as Result;
    expect(resumed).toBe(true);
    expect(Object.fromEntries(copiedNames.map((name) => [name, tables[name]?.rows]))).toEqual(
      Object.fromEntries(copiedNames.map((name) => [name, full.counts[name]])),
    );
  });

  it('is made over a slow connection, on which long rows take longer than one statement may', async () => {
    const source = fullDatabase();
    await statement(source, 'UPDATE message_bodies SET body = randomblob(20000)');
    const { network, through } = await behindProxy(await emptyDatabase());
    const onProgress: CopyOptions['onProgress'] = ({ phase, table }) =>
      network.slow(phase === 'copy' && table === 'message_bodies' ? 60 : 0);
    const { tables } = await copyDatabase(optionsOf(source, through, { onProgress }));
    await network.close();
    expect(tables['message_bodies']?.rows).toBe(full.counts['message_bodies']);
  });

  withEncryption('can be made into an encrypted file, and from one', async () => {
    const [plain, there, again] = [fullDatabase(), await emptyDatabase(), await emptyDatabase()];
    const copied = await copyDatabase(optionsOf(plain, there));
    const encrypted = sqliteDatabase('encrypted.sqlite');
    const keyFile = join(folder, 'key');
    writeFileSync(keyFile, `${databaseKey}\n`);
    const to = copyArgs(encrypted, '--to-key-file', keyFile, '--json');
    expect(await runCli(to, environmentOn(there, nowhere))).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, 'encrypted.sqlite')).includes('SQLite format 3')).toBe(false);
    const env = environmentOn(encrypted, nowhere);
    const wrong = await runCli(copyArgs(again), env);
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('DATABASE_KEY is not set')]);
    const back = await runCli(copyArgs(again, '--json'), { ...env, DATABASE_KEY: databaseKey });
    expect(back.json<Result>().tables).toEqual(copied.tables);
  });

  it('that differs from the source is detected by the comparison', async () => {
    const source = fullDatabase();
    const target = await emptyDatabase();
    const stop = new AbortController();
    const onProgress: CopyOptions['onProgress'] = ({ phase }) => phase === 'compare' && stop.abort();
    await expect(copyDatabase(optionsOf(source, target, { signal: stop.signal, onProgress }))).rejects.toThrow(
      'Stopped',
    );
    await opened(target, (store) =>
      store.lane.run((tx) => tx.execute('UPDATE summaries SET version = version + 1 WHERE summary_id LIKE ?', ['%'])),
    );
    await expect(copyDatabase(optionsOf(source, target))).rejects.toThrow('The table summaries differs');
    expect((await startOn(target)).err).toContain('The copy into this database is incomplete.');
  });

  it('cannot be completed once the source was used again', async () => {
    const source = fullDatabase();
    const target = await emptyDatabase();
    const stop = new AbortController();
    await expect(
      copyDatabase(optionsOf(source, target, { signal: stop.signal, onProgress: () => stop.abort() })),
    ).rejects.toThrow('Stopped');
    await reopened(source);
    const { code, err } = await runCli(copyArgs(target), environmentOn(source, nowhere));
    expect([code, err]).toEqual([1, expect.stringContaining('--to: the database contains an unfinished copy')]);
    const reopening = await runCli(['database', 'reopen'], environmentOn(target, nowhere));
    expect([reopening.code, reopening.err]).toEqual([1, expect.stringContaining('is incomplete')]);
  });

  it.each<[string, (target: TestDatabase) => Promise<unknown>]>([
    [
      'a service has started on',
      (target) => opened(target, (store) => ensureIdentity(store.lane, store.reader, stamp, 1)),
    ],
    ['has rows', (target) => opened(target, (store) => oneRowMore(store, 'token_issuance'))],
    ['belongs to another program', (target) => statement(target, 'CREATE TABLE accounts (id int)')],
    [
      'was written by a newer version',
      (target) =>
        opened(target, (store) =>
          store.lane.run((tx) => tx.execute(`INSERT INTO migrations ("timestamp", name) VALUES (1, 'Future')`)),
        ),
    ],
  ])('is not made into a database that %s', async (_, prepare) => {
    const source = sqliteDatabase('source.sqlite');
    await opened(source, (store) => ensureIdentity(store.lane, store.reader, stamp, START));
    const target = await emptyDatabase();
    await prepare(target);
    const { code, err, out } = await runCli(copyArgs(target, '--json'), environmentOn(source, nowhere));
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/--to: (the database is not empty|accounts in it belong to another program)/),
    ]);
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'copy_refused' } });
    expect((await runCli(['database', 'reopen'], environmentOn(source, nowhere))).out).toContain('not closed');
  });

  it('is not made of a database with running processes', async () => {
    const source = await emptyDatabase();
    await opened(source, async (store) => {
      await ensureIdentity(store.lane, store.reader, stamp, START);
      await oneRowMore(store, 'processes');
    });
    const target = sqliteDatabase('target.sqlite');
    await expect(copyDatabase(optionsOf(source, target, { now: START + 1_000 }))).rejects.toThrow(
      'Processes are using the database.',
    );
  });

  it('does not show the password of an unreachable URL', async () => {
    const source = sqliteDatabase('source.sqlite');
    await opened(source, (store) => ensureIdentity(store.lane, store.reader, stamp, START));
    const to = 'postgres://keeper:marked-secret@127.0.0.1:9/db';
    const { code, out, err } = await runCli(['database', 'copy', '--to', to], environmentOn(source, nowhere));
    expect([code, err]).toEqual([1, expect.stringMatching(/^--to: the database at 127\.0\.0\.1:9 cannot be used/)]);
    expect(`${out}${err}`).not.toContain('marked-secret');
  });
});

onPostgres('a service that moved to the other kind of database', () => {
  let sandbox: Sandbox;
  let clock: FakeClock;
  let app: TestApp | null;

  beforeEach(async () => {
    sandbox = await startSandbox({ timeScale: 0, startAt: START, webhookSecret });
    clock = new FakeClock(START);
    app = null;
  });

  afterEach(async () => {
    await app?.close();
    await sandbox.close();
  });

  async function serve(database: TestDatabase, env: TestAppOptions['env'] = {}): Promise<TestApp> {
    app = await TestApp.create({ database, upstream: sandbox, clock, env });
    return app;
  }

  async function stop(): Promise<void> {
    await app?.close();
    app = null;
  }

  /**
   * People with history, an order with its result, reads in the access log, and an erased person with the last number.
   */
  async function live(service: TestApp): Promise<{ order: string; erasure: string; erasedRef: number }> {
    const user_id = await service.connect('anna', 'oura', { days: 3, per_day: 4 });
    await service.advance(900, 5);
    const { order } = await sandbox.control.createOrder({ user_id });
    await sandbox.control.walkOrder(String(order['id']), {});
    await service.connect('boris', 'oura', { days: 1, per_day: 2 });
    await service.advance(900, 5);
    await service.admin('GET', `/orders/${String(order['id'])}/result`, undefined, 'reader');
    const { body } = await service.admin<{ erasure_id: string; account_ref: number }>('DELETE', '/accounts/boris');
    await service.settle();
    return { order: String(order['id']), erasure: body.erasure_id, erasedRef: body.account_ref };
  }

  async function reads(service: TestApp, { order, erasure }: { order: string; erasure: string }): Promise<unknown[]> {
    const paths = [
      '/accounts?limit=50',
      '/accounts/anna',
      '/accounts/anna/records/sleep?limit=500',
      '/accounts/anna/records/blood_pressure?limit=500',
      '/accounts/anna/coverage?resource=sleep',
      '/accounts/anna/timeline?kind=pull_done&limit=100',
      `/orders/${order}`,
      '/messages?limit=100',
      '/sync/tasks?limit=100',
      `/erasures/${erasure}`,
    ];
    const answers: unknown[] = [];
    for (const path of paths) {
      const { status, body } = await service.admin('GET', path);
      answers.push([path, status, body]);
    }
    expect(answers.filter((answer) => (answer as [string, number])[1] !== 200)).toEqual([]);
    return answers;
  }

  async function intactEntries(service: TestApp): Promise<number> {
    const { body } = await service.admin<{ intact: boolean; entries: number }>('GET', '/access-log/verification');
    expect(body).toMatchObject({ intact: true });
    return body.entries;
  }

  it('reads the same, continues, keeps erased people out, and can move back', async () => {
    const [first, there, third] = [
      sqliteDatabase('first.sqlite'),
      await emptyDatabase(),
      sqliteDatabase('third.sqlite'),
    ];
    const service = await serve(first);
    const facts = await live(service);
    const before = await reads(service, facts);
    const entries = await intactEntries(service);
    const busy = await runCli(copyArgs(there), environmentOn(first, sandbox.url));
    expect([busy.code, busy.err]).toEqual([1, 'Another process is using this database file. Stop it first.\n']);
    await stop();

    const moved = await runCli(copyArgs(there, '--json'), environmentOn(first, sandbox.url));
    expect([moved.code, moved.err]).toEqual([0, expect.stringMatching(/^copy: 100 %, compared \d+ of \d+ rows, /m)]);
    const journal = `${urlOf(first).slice('sqlite:'.length)}.erasures`;
    expect(moved.json<Result>()).toMatchObject({
      state: 'copied',
      from: 'sqlite',
      to: 'postgres',
      resumed: false,
      journal,
    });
    expect((await startOn(first)).err).toMatch(
      /^This database was copied to another one at .* `pulsekeep database reopen`/,
    );

    const env = { ERASURE_JOURNAL_PATH: journal };
    const onServer = await serve(there, env);
    expect(await reads(onServer, facts)).toEqual(before);
    expect(await intactEntries(onServer)).toBeGreaterThan(entries);
    expect((await onServer.as('boris', 'POST', '/me/sign-in-token', {})).status).toBe(409);
    await onServer.connect('clara', 'oura', { days: 1, per_day: 2 });
    await onServer.advance(900, 5);
    const [clara] = await onServer.store.reader.few<{ id: number }>(
      `SELECT id FROM accounts WHERE account_id = 'clara'`,
    );
    expect(clara?.id).toBeGreaterThan(facts.erasedRef);
    const later = await reads(onServer, facts);
    await stop();

    const back = await runCli(copyArgs(third), environmentOn(there, sandbox.url, env));
    expect([back.code, back.out]).toEqual([0, expect.stringContaining(`Set ERASURE_JOURNAL_PATH=${journal} as well`)]);
    const again = await serve(third, env);
    expect(await reads(again, facts)).toEqual(later);
    await intactEntries(again);
    const truth = await again.admin<{ data: unknown[] }>('GET', '/accounts/clara/records/sleep');
    expect(truth.body.data.length).toBeGreaterThan(0);
  });

  it('has the hourly sums of thinned samples, and the same numbers from them', async () => {
    const journal = join(folder, 'first.sqlite.erasures');
    const env = { SAMPLES_KEEP_DAYS: '30', SYNC_RESOURCES: 'glucose', ERASURE_JOURNAL_PATH: journal };
    const [first, there, third] = [
      sqliteDatabase('first.sqlite'),
      await emptyDatabase(),
      sqliteDatabase('third.sqlite'),
    ];
    const service = await serve(first, env);
    const { body } = await service.as<{ user_id: string }>('anna', 'POST', '/me/sign-in-token', {});
    const stream = { user_id: body.user_id, provider: 'apple_health_kit', resource: 'glucose' };
    await sandbox.control.connect({ user_id: stream.user_id, provider: stream.provider, resources: ['glucose'] });
    await sandbox.control.generate({ ...stream, days: 9, per_day: 40, notify: true });
    await service.advance(900, 5);
    await service.wait(40 * 86_400);
    await service.run(CleanerWorker);
    const told = async (of: TestApp): Promise<unknown[]> => {
      const from = new Date(START - 9 * 86_400_000).toISOString().slice(0, 10);
      const day = new Date(START - 6 * 86_400_000).toISOString().slice(0, 10);
      const daily = await of.as<unknown>('anna', 'GET', `/me/daily?resources=glucose&start=${from}`);
      const why = await of.admin<{ notes: unknown }>('GET', `/accounts/anna/explain?resource=glucose&day=${day}`);
      const rows = await of.store.reader.rows('SELECT * FROM sample_hours ORDER BY series_id, time, attributes_id');
      return [daily.status, daily.body, why.status, why.body.notes, rows];
    };
    const before = await told(service);
    expect(before[4]).not.toEqual([]);
    expect(JSON.stringify(before[1])).toContain('"thinned":true');
    await stop();
    for (const [from, to] of [
      [first, there],
      [there, third],
    ] as const) {
      const moved = await runCli(copyArgs(to), environmentOn(from, sandbox.url, env));
      expect([moved.code, moved.err]).toEqual([0, expect.any(String)]);
      expect(await told(await serve(to, env))).toEqual(before);
      await stop();
    }
  });
});

describe('a copy', () => {
  it.each([
    ['no target', ['database', 'copy'], /required option '--to <url>' not specified/],
    [
      'an address of another program',
      ['database', 'copy', '--to', 'mysql://marked@host/db'],
      /--to must be sqlite:PATH or postgres/,
    ],
    [
      'a key for PostgreSQL',
      ['database', 'copy', '--to', 'postgres://host/db', '--to-key-file', 'key'],
      /no database key/,
    ],
    ['a key that is none', ['database', 'copy', '--to', 'sqlite:x', '--to-key-file', 'package.json'], /64 hex digits/],
  ])('with %s is wrong usage', async (_, args, reason) => {
    const { code, err } = await runCli(args);
    expect([code, err]).toEqual([2, expect.stringMatching(reason)]);
    expect(err).not.toContain('marked');
  });

  it('to a file of the same kind, of another region, or of a database that does not exist, is refused', async () => {
    const source = sqliteDatabase('source.sqlite');
    const elsewhere = ['database', 'copy', '--to', 'postgres://127.0.0.1:9/db'];
    const none = await runCli(elsewhere, environmentOn(source, nowhere));
    expect([none.code, none.err]).toEqual([1, expect.stringContaining('there is nothing to copy')]);
    await opened(source, (store) => ensureIdentity(store.lane, store.reader, { ...stamp, region: 'eu' }, START));
    const same = await runCli(copyArgs(sqliteDatabase('b.sqlite')), environmentOn(source, nowhere));
    expect([same.code, same.err]).toEqual([1, expect.stringContaining('both name SQLite')]);
    const other = await runCli(elsewhere, environmentOn(source, nowhere));
    expect([other.code, other.err]).toEqual([1, expect.stringContaining('belongs to eu/sandbox')]);
  });

  it('leaves a mark that prevents every start until the database is reopened, with another change feed', async () => {
    const database = await testDatabase();
    databases.push(database);
    const feed = () => opened(database, ({ reader }) => reader.row<{ feed: string }>('SELECT feed FROM change_feed'));
    expect(await startOn(database)).toMatchObject({ code: 0 });
    const before = await feed();
    await opened(database, async (store) => {
      await ensureIdentity(store.lane, store.reader, stamp, START);
      await writeRow(store, 'database_copies', { id: 1, copy_id: 'c', side: 'source', begun_at: START });
    });
    expect((await startOn(database)).err).toContain('A copy of this database has begun.');
    const { out } = await runCli(['doctor', '--json'], environmentOn(database, nowhere));
    expect(out).toContain('A copy of this database has begun.');
    await reopened(database);
    expect(await startOn(database)).toMatchObject({ code: 0 });
    const after = await feed();
    expect(after?.feed).toMatch(/^[0-9a-f]{12}$/);
    expect(after).not.toEqual(before);
  });
});

/** A command that starts the service of the database for itself. */
function startOn(database: TestDatabase): ReturnType<typeof runCli> {
  return runCli(['overview', '--json'], environmentOn(database, nowhere));
}

async function reopened(database: TestDatabase): Promise<void> {
  const { code, out } = await runCli(['database', 'reopen'], environmentOn(database, nowhere));
  expect([code, out]).toEqual([0, 'The service may use the database again.\n']);
}

async function statement({ config }: TestDatabase, sql: string): Promise<void> {
  const writer = await openWriter(config, []);
  await writer.query(sql);
  await writer.destroy();
}

/** Every row of every table, and the last number of each that is numbered. */
function everything(database: TestDatabase): Promise<unknown> {
  return opened(database, async (store) => {
    const all: Record<string, unknown> = {};
    for (const table of [...copiedNames, 'sqlite_sequence']) {
      // PostgreSQL sets the numbers of accounts forward beyond those of erased people,
      // which only their logs still name.
      const others = table === 'sqlite_sequence' ? ` WHERE name <> 'accounts'` : '';
      const rows = await store.reader.rows(`SELECT * FROM ${table}${others}`);
      all[table] = rows.map((row) => JSON.stringify(row)).sort();
    }
    return all;
  });
}
