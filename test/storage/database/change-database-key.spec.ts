import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Secret } from '../../../src/platform/config/secret.js';
import { changeDatabaseKey } from '../../../src/storage/backup/change-database-key.js';
import { inspectFile } from '../../../src/storage/backup/contents.js';
import { openSqlite, SqliteDatabase, type SqliteFile } from '../../../src/storage/database/sqlite-driver.js';
import { acquireDatabaseLock } from '../../../src/storage/schema/database-lock.js';
import { runCli, spawnCli } from '../../operations/cli/support/run-cli.js';
import { anotherKey, databaseKey, describeEncrypted } from '../../support/encrypted-files.js';
import { environmentOn, nowhere } from '../../support/environment.js';
import { type TestDatabase, testDatabase } from '../../support/test-store.js';

const key = new Secret(databaseKey);
const other = new Secret(anotherKey);

describeEncrypted('the key of a database file', () => {
  let database: TestDatabase;
  let path: string;

  beforeEach(async () => {
    database = await testDatabase();
    path = database.config.kind === 'sqlite' ? database.config.path : '';
    fill();
  });

  afterEach(() => database.drop());

  /** Rows that are in the write-ahead log alone, as a crash leaves them. */
  function fill(): void {
    const living = `${path}.living`;
    cpSync(path, living);
    const db = new SqliteDatabase(living);
    db.pragma('journal_mode = WAL');
    const columns = 'account_id, status, created_at, updated_at';
    const insert = db.prepare(`INSERT INTO accounts (${columns}) VALUES (?, 'active', 0, 0)`);
    db.transaction(() => {
      for (let n = 0; n < 50; n++) insert.run(`account-${n}`);
      db.prepare('DELETE FROM accounts WHERE account_id = ?').run('account-49');
    })();
    for (const suffix of ['', '-wal']) cpSync(living + suffix, path + suffix);
    db.close();
  }

  /** What a file holds with a key: every row's count, the schema, and where numbers go on. */
  function held(file: SqliteFile): unknown {
    const db = openSqlite(file, { readonly: true });
    try {
      const schema = db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all();
      const ids = db.prepare('SELECT id, account_id FROM accounts ORDER BY id').raw().all();
      const sequence = db.prepare('SELECT name, seq FROM sqlite_sequence ORDER BY name').raw().all();
      return { schema, ids, sequence, inspection: inspectFile(file) };
    } finally {
      db.close();
    }
  }

  const opens = (given: Secret | undefined): boolean => inspectFile({ path, key: given }).faults === null;
  const beside = (): string[] => readdirSync(dirname(path)).filter((name) => !name.includes('.living'));
  const environment = (more: Record<string, string>): Record<string, string> => environmentOn(database, nowhere, more);

  it('is added, changed and removed again, and every row stays', async () => {
    const oldKeyFile = `${path}.old-key`;
    const change = async (env: Record<string, string>, oldKey?: string): Promise<unknown> => {
      if (oldKey !== undefined) writeFileSync(oldKeyFile, `${oldKey}\n`);
      const from = oldKey === undefined ? [] : ['--old-key-file', oldKeyFile];
      const ended = await runCli(['change-database-key', ...from, '--json'], environment(env));
      return ended.code === 0 ? ended.json() : ended.err;
    };
    expect(await change({ DATABASE_KEY: databaseKey })).toEqual({ encrypted: true, changed: true });
    const first = held({ path, key });
    expect(first).toMatchObject({ inspection: { faults: null, contents: { counts: { accounts: 49 } } } });
    expect(await change({ DATABASE_KEY: databaseKey })).toEqual({ encrypted: true, changed: false });
    expect(await change({ DATABASE_KEY: anotherKey }, databaseKey)).toEqual({ encrypted: true, changed: true });
    expect(held({ path, key: other })).toEqual(first);
    expect(readFileSync(path).includes('account-')).toBe(false);
    expect(await change({}, anotherKey)).toEqual({ encrypted: false, changed: true });
    expect(held({ path })).toEqual(first);
    expect(beside().sort()).toEqual(['', '.old-key', '.owner'].map((suffix) => basename(path) + suffix));
  });

  it('is not changed if the old one is wrong, a process serves the file, or there is none', async () => {
    const refused = (target: SqliteFile, oldKey?: Secret): Promise<unknown> =>
      changeDatabaseKey({ target, oldKey }).catch((error: unknown) => (error as Error).message);
    expect(await refused({ path, key }, other)).toBe('The file is not encrypted: omit --old-key-file.');
    await changeDatabaseKey({ target: { path, key }, oldKey: undefined });
    const bytes = readFileSync(path);
    expect(await refused({ path, key: other })).toMatch(/^The file is encrypted with another key than DATABASE_KEY/);
    expect(await refused({ path }, other)).toMatch(/^The key in --old-key-file does not open the file/);
    const release = acquireDatabaseLock(path);
    expect(await refused({ path, key: other }, key)).toBe('Another process is using this database file.');
    release(true);
    const reader = openSqlite({ path, key });
    reader.pragma('journal_mode = WAL');
    reader.prepare('SELECT COUNT(*) FROM accounts').get();
    expect(await refused({ path, key: other }, key)).toMatch(/^Another process is reading the database/);
    reader.pragma('journal_mode = DELETE');
    reader.close();
    expect(await refused({ path: `${path}.absent`, key })).toMatch(/^There is no database file/);
    expect(existsSync(`${path}.absent`)).toBe(false);
    expect(readFileSync(path).subarray(4_096)).toEqual(bytes.subarray(4_096));
    const { code, err } = await runCli(['change-database-key', '--old-key-file', path], environment({}));
    expect([code, err]).toEqual([2, '--old-key-file must name a file with 32 bytes as 64 hex digits.\n']);
  });

  it.each([
    ['in the middle of copying', 'copying', undefined],
    ['before the new file takes its name', 'before', undefined],
    ['after the new file has taken its name', 'after', key],
  ] as const)(
    'is the old or the new one after a kill %s, and is changed by the next attempt',
    async (_, moment, after) => {
      const preload = `${path}.living-preload.mjs`;
      writeFileSync(preload, killAt(moment));
      const env = environment({ DATABASE_KEY: databaseKey });
      const killed = await spawnCli(['change-database-key'], { ...env, NODE_OPTIONS: `--import=${preload}` });
      expect(killed).toMatchObject({ code: null, out: '', err: '' });
      expect([undefined, key].map(opens)).toEqual([undefined, key].map((each) => each === after));
      expect(beside().includes(`${basename(path)}.changing-key`)).toBe(moment !== 'after');
      const again = await runCli(['change-database-key', '--json'], env);
      expect(again.json()).toEqual({ encrypted: true, changed: moment !== 'after' });
      expect(held({ path, key })).toMatchObject({ inspection: { contents: { counts: { accounts: 49 } } } });
      expect(beside().filter((name) => /changing-key|-wal|-journal/.test(name))).toEqual([]);
    },
  );
});

/** Ends the process it is loaded into at once, when it has come so far. */
function killAt(moment: 'copying' | 'before' | 'after'): string {
  const root = join(process.cwd(), 'package.json');
  return `
    import fs from 'node:fs';
    import { createRequire, syncBuiltinESMExports } from 'node:module';
    const die = () => process.kill(process.pid, 'SIGKILL');
    const { rename } = fs.promises;
    if ('${moment}' === 'before') fs.promises.rename = die;
    if ('${moment}' === 'after') fs.promises.rename = async (...names) => (await rename(...names), die());
    syncBuiltinESMExports();
    if ('${moment}' === 'copying') {
      const suffix = Number(process.versions.napi) >= 10 ? '' : '-node-20';
      const Database = createRequire(${JSON.stringify(root)})('better-sqlite3-multiple-ciphers' + suffix);
      const { exec } = Database.prototype;
      Database.prototype.exec = function (sql) {
        const answer = exec.call(this, sql);
        if (sql.startsWith('INSERT INTO main."accounts"')) die();
        return answer;
      };
    }`;
}
