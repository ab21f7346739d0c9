import { createDecipheriv, createHmac, pbkdf2Sync } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createApp } from '../../../src/app/app.js';
import { entities } from '../../../src/app/rooms.js';
import { reasonOf } from '../../../src/app/start-failure.js';
import { pulledResources } from '../../../src/health/catalogue/catalogue.js';
import { databaseCheck } from '../../../src/operations/probes/storage-checks.js';
import { readConfig } from '../../../src/platform/config/environment.js';
import { Secret } from '../../../src/platform/config/secret.js';
import { BackupScheduleWorker } from '../../../src/storage/backup/backup-schedule.worker.js';
import { inspectFile } from '../../../src/storage/backup/contents.js';
import { LogCheckpoints, type LogPages } from '../../../src/storage/database/log-checkpoints.js';
import { openingOf } from '../../../src/storage/database/sqlite-driver.js';
import { openWriter } from '../../../src/storage/database/store.js';
import { migrate } from '../../../src/storage/schema/migrate.js';
import { mindfulness } from '../../ingest/inbox/support/events.js';
import { runCli } from '../../operations/cli/support/run-cli.js';
import { childEnvironment } from '../../support/child-env.js';
import { programRun } from '../../support/child-pulsekeep.js';
import { anotherKey, databaseKey, describeEncrypted } from '../../support/encrypted-files.js';
import { environmentOn, newAccountId, nowhere } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { type TestDatabase, testDatabase } from '../../support/test-store.js';

const mark = 'MARKED-IN-A-BODY';
const plainHeader = 'SQLite format 3';

const pathOf = ({ config }: TestDatabase): string => (config.kind === 'sqlite' ? config.path : '');

/** Names of a folder's files that hold any of these texts. */
function filesHolding(folder: string, texts: readonly string[]): string[] {
  return readdirSync(folder).filter((name) => {
    const bytes = readFileSync(join(folder, name));
    return texts.some((text) => bytes.includes(text));
  });
}

/**
 * A page of a file of SQLCipher 4 as it is without encryption: 4,096 bytes, of which the last 80 are the vector of
 * AES-256-CBC and an HMAC-SHA-512 of what is before it; the first page begins with the salt of the HMAC's key.
 */
function pageOf(file: Buffer, index: number): Buffer {
  const key = Buffer.from(databaseKey, 'hex');
  const salt = file.subarray(0, 16).map((byte) => byte ^ 0x3a);
  const page = file.subarray(index * 4_096 + (index === 0 ? 16 : 0), (index + 1) * 4_096);
  const [rows, vector, mac] = [page.subarray(0, -80), page.subarray(-80, -64), page.subarray(-64)];
  const number = Buffer.alloc(4);
  number.writeUInt32LE(index + 1);
  const hmac = createHmac('sha512', pbkdf2Sync(key, salt, 2, 32, 'sha512'));
  if (!hmac.update(rows).update(vector).update(number).digest().equals(mac)) throw new Error('The page was changed.');
  return createDecipheriv('aes-256-cbc', key, vector).setAutoPadding(false).update(rows);
}

/** What a start says that fails. */
async function refusalOf(env: Readonly<Record<string, string>>): Promise<string> {
  const started = await createApp(readConfig(env, pulledResources), {
    logDestination: { write: () => undefined },
  }).catch((error: unknown) => reasonOf(error));
  if (typeof started === 'string') return started;
  await started.stop();
  return 'It started.';
}

describeEncrypted('an encrypted SQLite file', () => {
  let database: TestDatabase;
  let folder: string;
  const opened: TestApp[] = [];

  const open = async (more: Record<string, string> = {}): Promise<TestApp> => {
    const app = await TestApp.create({ database, env: { DATABASE_KEY: databaseKey, ...more } });
    opened.push(app);
    return app;
  };
  const close = async (): Promise<void> => {
    for (const app of opened.splice(0)) await app.close();
  };

  beforeEach(async () => {
    database = await testDatabase('unmigrated');
    folder = dirname(pathOf(database));
  });

  afterEach(async () => {
    await close();
    await database.drop();
  });

  it('works with messages, reads, backups, erasures and restores, and contains no readable data', async () => {
    const app = await open();
    const env = childEnvironment(database, nowhere, { DATABASE_KEY: databaseKey });
    const account = newAccountId('anna');
    const { body: login } = await app.as<{ user_id: string }>(account, 'POST', '/me/sign-in-token', {});
    const user = { client_user_id: account, user_id: login.user_id };
    const data = { event_type: 'moon.phase.changed', ...user, data: { text: mark } };
    const { message_id } = await app.sandbox.control.send({ envelope: false, data });
    const minutes = mindfulness({ start: '2026-11-20T08:00:00Z', value: 10 });
    const event_type = 'daily.data.mindfulness_minutes.created';
    await app.sandbox.control.send({ event_type, user_id: login.user_id, data: minutes });
    await app.settle();
    const records = await app.as<{ data: unknown[] }>(account, 'GET', '/me/records/mindfulness_minutes');
    expect(records.body.data).toHaveLength(1);
    const message = await app.admin('GET', `/messages/${message_id}`, undefined, 'reader');
    expect(message.body).toMatchObject({ body: { data: { text: mark } } });

    const backup = join(folder, 'backup.sqlite');
    const made = await runCli(['backup', '--out', backup, '--json'], env);
    expect(made).toMatchObject({ code: 0 });
    expect(made.json()).toMatchObject({ counts: { messages: 2, accounts: 1, samples: 1 } });
    expect(readdirSync(folder)).toEqual(expect.arrayContaining([`${basename(pathOf(database))}-wal`, 'backup.sqlite']));
    expect(filesHolding(folder, [mark, account, login.user_id, plainHeader, databaseKey])).toEqual([]);

    const { body: receipt } = await app.admin<{ erasure_id: string }>('DELETE', `/accounts/${account}`);
    await app.settle();
    const erased = await app.admin('GET', `/erasures/${receipt.erasure_id}`);
    expect(erased.body).toMatchObject({ scrub: 'rewritten' });
    expect((await app.admin('GET', `/accounts/${account}`)).status).toBe(404);
    await close();

    const wrong = await runCli(['restore', backup], { ...env, DATABASE_KEY: anotherKey });
    expect(wrong).toMatchObject({
      code: 1,
      err: `DATABASE_KEY is not the key of the file ${backup} (or that is damaged).\n`,
    });
    const restored = await runCli(['restore', backup, '--json'], env);
    expect(restored).toMatchObject({ code: 0 });
    const again = await open();
    await again.settle();
    expect((await again.admin('GET', `/accounts/${account}`)).status).toBe(404);
  });

  it('is backed up on schedule, and checkpointed by the thread, under its key', async () => {
    const backups = join(folder, 'backups');
    const app = await open({ BACKUP_FOLDER: backups });
    await app.run(BackupScheduleWorker);
    const made = readdirSync(backups).find((name) => name.endsWith('.sqlite')) ?? '';
    const file = { path: join(backups, made), key: new Secret(databaseKey) };
    expect(inspectFile(file)).toMatchObject({ faults: null });
    expect(filesHolding(backups, [plainHeader])).toEqual([]);

    const long: LogPages = { log: 1_000_000, checkpointed: 0 };
    const noted = { pages: () => long, hold: <T>(work: () => Promise<T>) => work(), cut: () => false };
    const checkpoints = new LogCheckpoints(openingOf({ ...file, path: pathOf(database) }), noted);
    expect(statSync(`${pathOf(database)}-wal`).size).toBeGreaterThan(0);
    expect(await checkpoints.cut()).toBe(true);
    expect(statSync(`${pathOf(database)}-wal`).size).toBe(0);
    await checkpoints.close();
  });

  it('is in the format of SQLCipher 4, so that other programs can read it', async () => {
    await open();
    await close();
    const bytes = readFileSync(pathOf(database));
    const rows = Buffer.concat(Array.from({ length: bytes.length / 4_096 }, (_, page) => pageOf(bytes, page)));
    expect(rows.toString('latin1')).toMatch(/CREATE TABLE "?accounts"? \(/);
  });

  it('is copied under its key before a migration', async () => {
    const config = readConfig(environmentOn(database, nowhere, { DATABASE_KEY: databaseKey }), pulledResources);
    const source = await openWriter(config.database, entities);
    await migrate(source, config.database, 0);
    class Broken9999999999999 {
      name = 'Broken9999999999999';
      up = async (): Promise<void> => Promise.reject(new Error('planned'));
      down = async (): Promise<void> => undefined;
    }
    source.migrations.push(new Broken9999999999999());
    const failure: unknown = await migrate(source, config.database, 1_000).catch((error: unknown) => error);
    await source.destroy();
    const copy = `${pathOf(database)}.before-migration-19700101T000001000Z`;
    expect(failure).toMatchObject({ copy });
    expect(filesHolding(folder, [plainHeader])).toEqual([]);
    cpSync(copy, pathOf(database));
    expect(await refusalOf(environmentOn(database, nowhere, { DATABASE_KEY: databaseKey }))).toBe('It started.');
  });

  it('is not opened without its key or with another, nor a plain one with a key, and nothing changes', async () => {
    await open();
    const crashed = join(folder, 'crashed');
    mkdirSync(crashed);
    for (const suffix of ['', '-wal', '-shm', '.erasures'])
      cpSync(pathOf(database) + suffix, join(crashed, `file${suffix}`));
    await close();
    const plain = await testDatabase();
    cpSync(pathOf(plain), join(crashed, 'plain'));
    await plain.drop();
    const held = (): Record<string, string> =>
      Object.fromEntries(
        readdirSync(crashed).map((name) => [
          name,
          // SQLite writes this one anew for every reader; it holds no row.
          name.endsWith('-shm') ? '' : readFileSync(join(crashed, name)).toString('base64'),
        ]),
      );
    const before = held();
    const start = (name: string, key: Record<string, string>): Promise<string> =>
      refusalOf(environmentOn({ config: { kind: 'sqlite', path: join(crashed, name) } }, nowhere, key));
    const [file, plainFile] = [join(crashed, 'file'), join(crashed, 'plain')];
    expect(await start('file', {})).toBe(
      `DATABASE_KEY is not set, and the file ${file} is encrypted (or damaged at its beginning).`,
    );
    expect(await start('file', { DATABASE_KEY: anotherKey })).toBe(
      `DATABASE_KEY is not the key of the file ${file} (or that is damaged).`,
    );
    expect(await start('plain', { DATABASE_KEY: databaseKey })).toBe(
      `DATABASE_KEY is set, and the file ${plainFile} is not encrypted; the command change-database-key encrypts it.`,
    );
    expect(held()).toEqual(before);
    expect(await start('file', { DATABASE_KEY: databaseKey })).toBe('It started.');
  });

  it('is reported by the doctor, with nothing else', async () => {
    await open();
    await close();
    const finding = async (env: Record<string, string>): Promise<string> =>
      (await databaseCheck(readConfig(environmentOn(database, nowhere, env), pulledResources), entities)).finding;
    expect(await finding({ DATABASE_KEY: databaseKey })).toBe(
      'It opens and belongs to us/sandbox. The file is encrypted.',
    );
    expect(await finding({})).toMatch(/^DATABASE_KEY is not set, and the file .* is encrypted/);
  });
});

describe('a key of the database', () => {
  it('ends the start with one sentence if the driver of encrypted files cannot be loaded', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'no-driver-'));
    const path = join(folder, 'pulsekeep.sqlite');
    const hook = `import Module from 'node:module';
      const load = Module._load;
      Module._load = (name, ...rest) => {
        if (name.includes('multiple-ciphers')) throw new Error('It is not there.');
        return load(name, ...rest);
      };`;
    const preload = join(folder, 'preload.mjs');
    writeFileSync(preload, hook);
    const env = environmentOn({ config: { kind: 'sqlite', path } }, nowhere, { DATABASE_KEY: databaseKey });
    const { code, output } = await programRun('src/main.js', { ...env, NODE_OPTIONS: `--import=${preload}` });
    expect([code, output]).toEqual([
      1,
      'DATABASE_KEY: the driver of encrypted files cannot be loaded; run `npm ci && npm run driver -- --encrypted`.\n',
    ]);
    expect(readdirSync(folder)).toEqual(['preload.mjs']);
    rmSync(folder, { recursive: true });
  });
});
