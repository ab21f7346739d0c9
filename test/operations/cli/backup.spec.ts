import { createHash } from 'node:crypto';
import {
  chownSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { SqliteDatabase } from '../../../src/storage/database/sqlite-driver.js';
import { childEnvironment, operatorKey } from '../../support/child-env.js';
import { ChildPulsekeep, runProgram } from '../../support/child-pulsekeep.js';
import { ServingPulsekeep } from '../../support/serving-pulsekeep.js';
import { signedMessage } from '../../support/signed-message.js';
import { fastFolder, type TestDatabase } from '../../support/test-store.js';
import { until } from '../../support/until.js';
import { runCli } from './support/run-cli.js';

const nowhere = 'http://127.0.0.1:9';
const writers = 16;

/** Backups are of SQLite files whatever database the other tests run on. */
function sqliteDatabase(folder: string): TestDatabase {
  const path = join(folder, 'pulsekeep.sqlite');
  return { config: { kind: 'sqlite', path }, drop: async () => rmSync(folder, { recursive: true, force: true }) };
}

const pathOf = ({ config }: TestDatabase): string => (config.kind === 'sqlite' ? config.path : '');

async function deliver(url: string, id: string): Promise<void> {
  const { headers, body } = signedMessage(id, {
    event_type: 'provider.dance.created',
    data: { text: 'x'.repeat(2_000) },
  });
  const { status } = await fetch(`${url}/webhooks`, { method: 'POST', headers, body });
  if (status !== 204) throw new Error(`A delivery was answered ${status}.`);
}

/** What `GET /v1/changes` answers. */
async function changes(url: string, query = ''): Promise<{ next?: string; code?: string }> {
  const answer = await fetch(`${url}/v1/changes?${query}`, { headers: { authorization: `Bearer ${operatorKey}` } });
  return (await answer.json()) as { next?: string; code?: string };
}

interface Made {
  counts: Record<string, number>;
  migrations: string[];
  sha256: string;
}

function messagesIn({ counts }: Made): number {
  return counts['messages'] ?? 0;
}

describe('a backup', () => {
  /** A database that a service has served, with one message; each test begins with a copy of it. */
  let served: TestDatabase;
  let folder: string;
  let database: TestDatabase;
  let env: Record<string, string>;
  let backup: string;
  let service: ChildPulsekeep | null;

  beforeAll(async () => {
    served = sqliteDatabase(fastFolder('pulsekeep-served-'));
    const first = await ServingPulsekeep.start(childEnvironment(served, nowhere));
    await deliver(first.url, 'msg_1');
    await first.stop();
  });

  afterAll(() => served.drop());

  beforeEach(() => {
    folder = fastFolder('pulsekeep-backup-');
    database = sqliteDatabase(folder);
    for (const suffix of ['', '.erasures']) copyFileSync(pathOf(served) + suffix, pathOf(database) + suffix);
    env = childEnvironment(database, nowhere);
    backup = join(folder, 'backup.sqlite');
    service = null;
  });

  afterEach(async () => {
    await service?.kill();
    await database.drop();
  });

  /** Serves the database; answers where. */
  async function serve(): Promise<string> {
    service = await ChildPulsekeep.start(env);
    return service.url;
  }

  const messagesNow = async (): Promise<number> => {
    const { code, out } = await runCli(['backup', '--out', join(folder, 'count.sqlite'), '--json'], env);
    expect(code).toBe(0);
    return messagesIn(JSON.parse(out) as Made);
  };

  it('is complete although 16 writers continue, and contains all earlier acknowledged messages', async () => {
    const url = await serve();
    let delivered = 0;
    let over = false;
    const write = async (writer: number): Promise<void> => {
      for (let n = 0; !over; n++) {
        await deliver(url, `msg_${writer}_${n}`);
        delivered += 1;
      }
    };
    const writing = Array.from({ length: writers }, (_, writer) => write(writer));
    await until(async () => delivered >= 200);
    const before = delivered;
    const made = await runCli(['backup', '--out', backup, '--json'], env);
    const after = delivered;
    over = true;
    await Promise.all(writing);

    expect([made.code, made.err]).toEqual([0, expect.stringContaining('backup: 100 %, copied')]);
    const { counts } = made.json<Made>();
    // And the one that was there.
    expect(messagesIn(made.json<Made>())).toBeGreaterThan(before);
    expect(after).toBeGreaterThan(before);
    expect(counts['message_bodies']).toBe(messagesIn(made.json<Made>()));
    const verified = await runCli(['restore', backup, '--verify', '--json'], env);
    expect(verified.code).toBe(0);
    expect(verified.json()).toMatchObject({ state: 'good', counts, migrations_to_run: [] });
  });

  it('is one file readable only by its owner, beside its description and nothing else', async () => {
    const { code } = await runCli(['backup', '--out', backup], env);
    expect(code).toBe(0);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    expect(statSync(`${backup}.json`).mode & 0o777).toBe(0o600);
    const told = JSON.parse(readFileSync(`${backup}.json`, 'utf8')) as Made;
    expect(told.sha256).toBe(createHash('sha256').update(readFileSync(backup)).digest('hex'));
    expect(told).toMatchObject({ region: 'us', environment: 'sandbox', counts: { accounts: 0 } });
    expect(messagesIn(told)).toBe(1);
    expect(readdirSync(folder).filter((name) => name.startsWith('backup'))).toEqual([
      'backup.sqlite',
      'backup.sqlite.json',
    ]);
  });

  /** Only root may give files to others. */
  const asRoot = process.getuid?.() === 0 ? it : it.skip;

  asRoot('made and restored by root belongs to the user of the service', async () => {
    const owner = 1_000;
    for (const name of ['', ...readdirSync(folder)]) chownSync(join(folder, name), owner, owner);
    expect((await runCli(['backup', '--out', backup], env)).code).toBe(0);
    expect((await runCli(['restore', backup], env)).code).toBe(0);
    const others = readdirSync(folder).filter((name) => statSync(join(folder, name)).uid !== owner);
    expect(others).toEqual([]);
  });

  it('overwrites nothing, and starts over after one that was killed', async () => {
    writeFileSync(`${backup}.part`, 'half of an earlier one');
    writeFileSync(`${backup}.json`, '{}');
    expect((await runCli(['backup', '--out', backup], env)).code).toBe(0);
    const bytes = readFileSync(backup);
    const { code, err } = await runCli(['backup', '--out', backup], env);
    expect([code, err]).toEqual([1, 'The file already exists and is not overwritten.\n']);
    expect(readFileSync(backup)).toEqual(bytes);
    expect(existsSync(`${backup}.part`)).toBe(false);
  });

  it.each<[string, (file: string) => void, Record<string, string>, RegExp]>([
    ['with one flipped byte', (file) => patch(file, 5_000), {}, /SHA-256 differs/],
    ['that was cut off', (file) => writeFileSync(file, readFileSync(file).subarray(0, 8_192)), {}, /8192 bytes/],
    ['without its description', (file) => rmSync(`${file}.json`), {}, /manifest/],
    [
      'of another region',
      () => undefined,
      { UPSTREAM_API_KEY: 'sk_eu_sandbox', UPSTREAM_REGION: 'eu' },
      /belongs to us/,
    ],
    ['whose damage was described as right', describeAnew, {}, /damaged/],
    ['of a newer program', fromTheFuture, {}, /manifest|newer/],
  ])('%s is invalid, and is not restored', async (_, spoil, more, reason) => {
    await runCli(['backup', '--out', backup], env);
    spoil(backup);
    const verified = await runCli(['restore', backup, '--verify'], { ...env, ...more });
    expect(verified.code).toBe(1);
    expect(verified.err).toMatch(reason);
    const bytes = readFileSync(join(folder, 'pulsekeep.sqlite'));
    const restored = await runCli(['restore', backup], { ...env, ...more });
    expect(restored.code).toBe(1);
    expect(readFileSync(join(folder, 'pulsekeep.sqlite'))).toEqual(bytes);
  });

  it('is restored only while no process serves the database, whose file is kept beside it', async () => {
    const url = await serve();
    await runCli(['backup', '--out', backup], env);
    await deliver(url, 'msg_2');
    const refused = await runCli(['restore', backup], env);
    expect([refused.code, refused.err]).toEqual([1, 'Another process is using this database file. Stop it first.\n']);

    await service?.kill();
    const restored = await runCli(['restore', backup, '--json'], env);
    expect(restored.code).toBe(0);
    const { kept } = restored.json<{ kept: string }>();
    expect(kept).toMatch(/pulsekeep\.sqlite\.before-restore-\d{8}T\d{9}Z$/);
    expect(await messagesNow()).toBe(1);
    rmSync(join(folder, 'count.sqlite'));
    copyFileSync(kept, join(folder, 'pulsekeep.sqlite'));
    expect(await messagesNow()).toBe(2);
    rmSync(join(folder, 'pulsekeep.sqlite'));
  });

  it('has another change feed once restored, even for cursors from before the backup', async () => {
    const url = await serve();
    const { next: before = '' } = await changes(url);
    await runCli(['backup', '--out', backup], env);
    await deliver(url, 'msg_2');
    expect(await changes(url, `after=${before}`)).toMatchObject({ next: expect.any(String) });
    await service?.kill();
    expect((await runCli(['restore', backup], env)).code).toBe(0);
    const here = await ServingPulsekeep.start(env);
    const old = await changes(here.url, `after=${before}`);
    const { next: now = '' } = await changes(here.url);
    const again = await changes(here.url, `after=${now}`);
    await here.stop();
    expect(old).toMatchObject({ status: 410, code: 'feed_restarted' });
    expect(again).toMatchObject({ next: now });
  });

  it('has no sessions of the console once restored, as some may have been ended since', async () => {
    const here = await ServingPulsekeep.start(env);
    const sessions = `${here.url}/admin/v1/sessions`;
    const opened = await fetch(sessions, { method: 'POST', headers: { authorization: `Bearer ${operatorKey}` } });
    const headers = {
      cookie: opened.headers.getSetCookie().join('; ').split(';')[0] ?? '',
      'x-pulsekeep-console': '1',
    };
    const before = await fetch(`${sessions}/current`, { headers });
    await runCli(['backup', '--out', backup], env);
    await here.stop();
    expect((await runCli(['restore', backup], env)).code).toBe(0);
    const again = await ServingPulsekeep.start(env);
    const after = await fetch(`${again.url}/admin/v1/sessions/current`, { headers });
    await again.stop();
    expect([before.status, after.status]).toEqual([200, 401]);
  });

  it('creates a missing database, on which a service starts', async () => {
    await runCli(['backup', '--out', backup], env);
    rmSync(join(folder, 'pulsekeep.sqlite'));
    const { code, out } = await runCli(['restore', backup], env);
    expect([code, out.includes('old database  none')]).toEqual([0, true]);
    const here = await ServingPulsekeep.start(env);
    await deliver(here.url, 'msg_2');
    await here.stop();
    expect(await messagesNow()).toBe(2);
  });

  it('takes no write-ahead log of a lost database for its own', async () => {
    const url = await serve();
    await runCli(['backup', '--out', backup], env);
    await deliver(url, 'msg_2');
    await service?.kill();
    rmSync(join(folder, 'pulsekeep.sqlite'));
    expect(existsSync(join(folder, 'pulsekeep.sqlite-wal'))).toBe(true);
    const { code, out } = await runCli(['restore', backup], env);
    expect([code, out.includes('old database  none')]).toEqual([0, true]);
    expect(await messagesNow()).toBe(1);
  });

  it('takes no rollback journal of a restore that was killed for its own', async () => {
    await runCli(['backup', '--out', backup], env);
    const other = join(folder, 'other.sqlite');
    copyFileSync(backup, other);
    const db = new SqliteDatabase(other);
    db.exec(`PRAGMA synchronous = OFF; UPDATE database_identity SET region = 'eu'`);
    db.exec(`BEGIN; UPDATE database_identity SET region = 'uk'`);
    copyFileSync(`${other}-journal`, join(folder, 'pulsekeep.sqlite.restoring-journal'));
    db.exec('ROLLBACK');
    db.close();
    expect((await runCli(['restore', backup], env)).code).toBe(0);
    expect(await messagesNow()).toBe(1);
    const restored = new SqliteDatabase(pathOf(database));
    expect(restored.prepare('SELECT region FROM database_identity').pluck().get()).toBe('us');
    restored.close();
  });

  it('replaces a damaged database', async () => {
    await runCli(['backup', '--out', backup], env);
    writeFileSync(join(folder, 'pulsekeep.sqlite'), 'not a database');
    expect((await runCli(['restore', backup], env)).code).toBe(0);
    expect(await messagesNow()).toBe(1);
  });

  it('of a database that was migrated and never started is refused with the reason', async () => {
    for (const suffix of ['', '.erasures']) rmSync(pathOf(database) + suffix);
    expect(await runProgram('src/main-migrate.js', env)).toBe(0);
    const { code, err } = await runCli(['backup', '--out', backup], env);
    expect([code, err]).toEqual([1, expect.stringContaining('No service has used this database yet')]);
    expect(existsSync(`${backup}.part`)).toBe(false);
  });

  it('of an unreachable PostgreSQL is refused without showing the login', async () => {
    const onPostgres = { ...env, DATABASE_URL: 'postgres://ops:marked@127.0.0.1:9/pulsekeep' };
    const { code, err } = await runCli(['backup', '--out', backup], onPostgres);
    const fault = 'DATABASE_URL: the database at 127.0.0.1:9 cannot be used: nothing listens there (ECONNREFUSED).\n';
    expect([code, err]).toEqual([1, fault]);
    expect(existsSync(`${backup}.part`)).toBe(false);
    const nowhere = await runCli(['backup', '--out', join(folder, 'none', 'backup')], onPostgres);
    expect([nowhere.code, nowhere.err]).toEqual([1, 'The backup could not be made: ENOENT.\n']);
  });

  it.each([[['backup', '--out']], [['restore', '--without-erasures']], [['change-database-key']]])(
    'is refused in words where the database is a folder: %j',
    async (args) => {
      const all = args[0] === 'backup' ? [...args, backup] : args;
      const { code, err } = await runCli(all, { ...env, DATABASE_URL: `sqlite:${folder}` });
      expect([code, err]).toEqual([1, expect.stringContaining('it is a folder (EISDIR).')]);
      expect(err).not.toContain('{');
    },
  );

  it('is not restored where no erasure journal can be written', async () => {
    await runCli(['backup', '--out', backup], env);
    const { code, err } = await runCli(['restore', backup, '--without-erasures'], {
      ...env,
      ERASURE_JOURNAL_PATH: folder,
    });
    expect([code, err]).toEqual([
      1,
      `ERASURE_JOURNAL_PATH: the erasure journal ${folder} cannot be written (EISDIR).\n`,
    ]);
  });
});

function patch(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(file, bytes);
}

function describeAnew(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(0xff, 4_096, 12_288);
  writeFileSync(file, bytes);
  retell(file, {});
}

function fromTheFuture(file: string): void {
  const { migrations } = JSON.parse(readFileSync(`${file}.json`, 'utf8')) as Made;
  retell(file, { migrations: [...migrations, 'Future1999999999999'] });
}

function retell(file: string, changes: object): void {
  const told = JSON.parse(readFileSync(`${file}.json`, 'utf8')) as Made;
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  writeFileSync(`${file}.json`, JSON.stringify({ ...told, sha256, ...changes }));
}
