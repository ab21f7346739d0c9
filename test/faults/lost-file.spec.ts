import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { createApp } from '../../src/app/app.js';
import { reasonOf } from '../../src/app/start-failure.js';
import { pulledResources } from '../../src/health/catalogue/catalogue.js';
import { readConfig } from '../../src/platform/config/environment.js';
import { SqliteDatabase } from '../../src/storage/database/sqlite-driver.js';
import { runCli } from '../operations/cli/support/run-cli.js';
import { childEnvironment, operatorKey } from '../support/child-env.js';
import { ChildPulsekeep, programRun } from '../support/child-pulsekeep.js';
import { nowhere } from '../support/environment.js';
import { signedMessage } from '../support/signed-message.js';
import { TestApp } from '../support/test-app.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';
import { until } from '../support/until.js';

const onLinux = existsSync('/proc/locks') ? it : it.skip;
const onSqlite = process.env['TEST_DATABASE_URL'] ? describe.skip : describe;

onSqlite('a database file that is removed, moved or replaced under the service', () => {
  let database: TestDatabase;
  let path: string;

  beforeEach(async () => {
    database = await testDatabase();
    if (database.config.kind !== 'sqlite') throw new Error('This is about SQLite.');
    path = database.config.path;
  });

  afterEach(() => database.drop());

  const deliver = async (url: string, id: string, at?: number): Promise<number> => {
    const { headers, body } = signedMessage(id, { event_type: 'unheard.of' }, undefined, at);
    return (await fetch(`${url}/webhooks`, { method: 'POST', headers, body })).status;
  };
  const storedIn = (file: string): string[] => {
    const db = new SqliteDatabase(file, { readonly: true, fileMustExist: true });
    try {
      const rows = db.prepare('SELECT message_id FROM messages ORDER BY message_id').all();
      return rows.map((row) => (row as { message_id: string }).message_id);
    } finally {
      db.close();
    }
  };

  describe('while it serves', () => {
    let app: TestApp;
    const now = (id: string): Promise<number> => deliver(app.url, id, app.clock.now());
    const ready = async (): Promise<unknown> => {
      const { status, body } = await app.call<{ errors?: { message: string }[] }>('GET', '/readyz');
      return [status, body.errors?.[0]?.message];
    };

    beforeEach(async () => {
      app = await TestApp.create({ database, webhooks: false, upstream: { url: nowhere } });
      expect(await now('kept')).toBe(204);
    });

    afterEach(() => app.close());

    it.each([
      ['removed', '', () => rmSync(path), 'a file of the database was removed or moved while it was open'],
      [
        'moved',
        '',
        () => renameSync(path, `${path}.elsewhere`),
        'a file of the database was removed or moved while it was open',
      ],
      [
        'replaced by a copy',
        '',
        () => {
          copyFileSync(path, `${path}.copy`);
          renameSync(`${path}.copy`, path);
        },
        'a file of the database was replaced while it was open',
      ],
      [
        'without its log',
        '-wal',
        () => rmSync(`${path}-wal`),
        'a file of the database was removed or moved while it was open',
      ],
      [
        'without its index',
        '-shm',
        () => rmSync(`${path}-shm`),
        'a file of the database was removed or moved while it was open',
      ],
      [
        'without its lock',
        '.owner',
        () => rmSync(`${path}.owner`),
        'a file of the database was removed or moved while it was open',
      ],
    ])(
      '%s: refuses the next delivery, and reports it in readyz, log and alarms',
      async (_how, suffix, change, message) => {
        change();
        expect(await now('after')).toBe(503);
        expect(await ready()).toEqual([503, message]);
        await until(async () => (await alarms()).includes('database_file_lost'));
        const lines = app.logs.map((line) => JSON.parse(line) as { event: string; file?: string });
        expect(lines.find(({ event }) => event === 'database.file_lost')?.file).toBe(`${path}${suffix}`);
      },
    );

    const alarms = async (): Promise<string[]> => {
      const { body } = await app.call<{ data: { code: string }[] }>('GET', '/admin/v1/alarms', 'Bearer operator-key');
      return body.data.map(({ code }) => code);
    };

    it('leaves all acknowledged messages in a file that was moved, although its log stayed behind', async () => {
      renameSync(path, `${path}.elsewhere`);
      expect(await now('after')).toBe(503);
      expect(storedIn(`${path}.elsewhere`)).toContain('kept');
    });

    it('leaves all acknowledged messages in the file if only the log was removed', async () => {
      rmSync(`${path}-wal`);
      expect(await now('after')).toBe(503);
      copyFileSync(path, `${path}.copy`);
      expect(storedIn(`${path}.copy`)).toContain('kept');
    });

    it('does not mix its log into a file that replaces the open one', async () => {
      const other = await testDatabase();
      if (other.config.kind !== 'sqlite') throw new Error('This is about SQLite.');
      renameSync(other.config.path, path);
      expect(await now('after')).toBe(503);
      await app.close();
      expect(storedIn(path)).toEqual([]);
      await other.drop();
    });

    it('continues after its own checkpoints and those of other programs', async () => {
      const other = new SqliteDatabase(path);
      other.pragma('wal_checkpoint(TRUNCATE)');
      expect(await now('one')).toBe(204);
      other.exec('CREATE TABLE grown (a)');
      other.pragma('wal_checkpoint(PASSIVE)');
      other.close();
      expect(await now('two')).toBe(204);
      expect(app.store.lane.lostFile).toBeNull();
    });

    it('refuses deliveries within seconds when a file is copied over it', async () => {
      writeFileSync(path, 'SQLite format 3\0 of another database');
      const answers: number[] = [];
      await until(async () => {
        answers.push(await now(`after-${answers.length}`));
        return answers.at(-1) === 503;
      });
      expect(app.store.lane.lostFile).toBeNull();
    });
  });

  // Without the lock, an older SQLite that closes the file removes its log under the service.
  onLinux('stays locked against other programs when the service examines itself', async () => {
    const locks = (): string[] => {
      const inode = ` [\\da-f]+:[\\da-f]+:${statSync(path).ino} `;
      return readFileSync('/proc/locks', 'utf8').match(new RegExp(inode, 'g')) ?? [];
    };
    const service = await ChildPulsekeep.start(childEnvironment(database, nowhere));
    try {
      expect(await deliver(service.url, 'before')).toBe(204);
      const headers = { authorization: `Bearer ${operatorKey}` };
      const before = locks();
      expect(before.length).toBeGreaterThan(0);
      expect((await fetch(`${service.url}/admin/v1/doctor`, { headers })).status).toBe(200);
      expect(locks()).toEqual(before);
    } finally {
      await service.kill();
    }
  });

  it('ends the process with 1, so that a supervisor starts it again', async () => {
    const hurry = { NODE_OPTIONS: `--import ${resolve(import.meta.dirname, 'support/hurry.js')}` };
    const child = await ChildPulsekeep.start(childEnvironment(database, nowhere, hurry));
    expect(await deliver(child.url, 'kept')).toBe(204);
    renameSync(path, `${path}.elsewhere`);
    expect(await deliver(child.url, 'after')).toBe(503);
    await until(async () => child.hasEnded);
    expect(await child.kill()).toBe(1);
    // The log has another pipe, so its lines may come after it.
    expect(child.output).toContain(
      `DATABASE_URL: ${path} was removed, moved or replaced while it was open (file_removed).`,
    );
  });

  describe('while nothing serves', () => {
    const started = async (more: Readonly<Record<string, string>> = {}): Promise<string> => {
      const config = readConfig(childEnvironment(database, nowhere, more), pulledResources);
      const logDestination = { write: () => undefined };
      return createApp(config, { logDestination }).then(async (app) => (await app.stop(), 'started'), reasonOf);
    };
    const lost = (left: string): string =>
      `DATABASE_URL: the file ${path} does not exist, but what a service keeps with it does. Mount its disk, put the file back or restore a backup; to begin with an empty database, move ${left} away.`;

    it('is not created again until its lock and its erasure journal are moved away', async () => {
      expect(await started()).toBe('started');
      renameSync(path, `${path}.elsewhere`);
      const both = lost(`${path}.owner and ${path}.erasures`);
      expect([await started(), existsSync(path)]).toEqual([both, false]);
      expect(await doctor()).toMatch(/^bad +database +DATABASE_URL: .* does not exist, but what/m);
      const migrated = await programRun('src/main-migrate.js', childEnvironment(database, nowhere));
      expect(migrated).toEqual({ code: 1, output: `${both}\n` });
      renameSync(`${path}.elsewhere`, path);
      expect(await started()).toBe('started');
      for (const file of [path, `${path}.owner`, `${path}.erasures`]) rmSync(file);
      expect(await started()).toBe('started');
    });

    it.each([[[]], [['--without-erasures']]])(
      'leaves nothing if a restore created no database, so that the first start may create it: %j',
      async (more) => {
        rmSync(path);
        const restored = await runCli(['restore', `${path}.nothing`, ...more], childEnvironment(database, nowhere));
        expect([restored.code, existsSync(`${path}.owner`), existsSync(`${path}.erasures`)]).toEqual([1, false, false]);
        expect(await started()).toBe('started');
      },
    );

    it('is not created again in an empty folder if its journal is elsewhere', async () => {
      const backups = mkdtempSync(join(tmpdir(), 'backups-'));
      const journal = join(backups, `${basename(path)}.erasures`);
      expect(await started({ BACKUP_FOLDER: backups })).toBe('started');
      for (const file of readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)))) {
        rmSync(join(dirname(path), file));
      }
      expect([await started({ BACKUP_FOLDER: backups }), existsSync(path)]).toEqual([lost(journal), false]);
      renameSync(journal, `${journal}.earlier`);
      expect(await started({ BACKUP_FOLDER: backups })).toBe('started');
      rmSync(backups, { recursive: true });
    });

    const doctor = async (): Promise<string> => (await runCli(['doctor'], childEnvironment(database, nowhere))).out;
  });
});
