import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWriter } from '../../src/storage/database/store.js';
import { runCli, spawnCli } from '../operations/cli/support/run-cli.js';
import { adminCall, childEnvironment, operatorKey } from '../support/child-env.js';
import { ChildPulsekeep } from '../support/child-pulsekeep.js';
import { canDumpPostgres } from '../support/postgres-tools.js';
import { signedMessage } from '../support/signed-message.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';
import { until } from '../support/until.js';

/** PostgreSQL's own tools are not wherever a PostgreSQL can be reached. */
const onPostgres = canDumpPostgres ? describe : describe.skip;

onPostgres('a backup of PostgreSQL', () => {
  let folder: string;
  let database: TestDatabase;
  let env: Record<string, string>;
  let backup: string;
  let service: ChildPulsekeep | null;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pulsekeep-backup-'));
    database = await testDatabase();
    env = childEnvironment(database, 'http://127.0.0.1:9');
    backup = join(folder, 'backup.dump');
    service = await ChildPulsekeep.start(env);
  });

  afterEach(async () => {
    await stop();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function stop(): Promise<void> {
    await service?.stop();
    service = null;
  }
  async function deliver(id: string): Promise<void> {
    const { headers, body } = signedMessage(id, { event_type: 'unheard.of', data: { text: 'two\nlines\\.' } });
    const { status } = await fetch(`${service?.url}/webhooks`, { method: 'POST', headers, body });
    expect(status).toBe(204);
  }
  const messages = async (): Promise<string[]> => {
    const { data } = await adminCall<{ data: { message_id: string }[] }>(String(service?.url), 'GET', '/messages');
    return data.map(({ message_id }) => message_id).sort();
  };

  it('is made while a process writes, and restored completely once none runs', async () => {
    await deliver('one');
    await deliver('two');
    const made = await runCli(['backup', '--out', backup, '--json'], env);
    expect([made.code, made.err]).toEqual([0, '']);
    expect(made.json()).toMatchObject({ database: 'postgres', counts: { messages: 2, message_bodies: 2 } });
    expect(readdirSync(folder).sort()).toEqual(['backup.dump', 'backup.dump.json']);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    await deliver('three');

    const refused = await runCli(['restore', backup], env);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('Processes are using this database.')]);
    expect(await messages()).toEqual(['one', 'three', 'two']);

    await stop();
    const restored = await runCli(['restore', backup], env);
    expect([restored.code, restored.err]).toEqual([0, '']);
    expect(restored.out).toContain('old database  replaced');
    service = await ChildPulsekeep.start(env);
    expect(await messages()).toEqual(['one', 'two']);
    await deliver('four');
  });

  it('has another change feed once restored, also if the command is killed right after pg_restore', async () => {
    const changes = async (query = ''): Promise<{ next?: string; code?: string }> => {
      const headers = { authorization: `Bearer ${operatorKey}` };
      return (await (await fetch(`${service?.url}/v1/changes?${query}`, { headers })).json()) as { next?: string };
    };
    await adminCall(String(service?.url), 'POST', '/accounts', { account_id: 'anna' });
    await until(async () => !(await changes()).next?.includes('-0-'));
    const { next: before = '' } = await changes();
    expect((await runCli(['backup', '--out', backup], env)).code).toBe(0);
    await stop();
    const killing = `pg_restore=$(PATH=$REAL_PATH command -v pg_restore)
      "$pg_restore" "$@"; code=$?
      case "$*" in *--clean*) kill -9 $PPID ;; esac
      exit $code`;
    writeFileSync(join(folder, 'pg_restore'), `#!/bin/sh\n${killing}\n`, { mode: 0o755 });
    const REAL_PATH = String(process.env['PATH']);
    const killed = await spawnCli(['restore', backup], { ...env, REAL_PATH, PATH: `${folder}:${REAL_PATH}` });
    expect([killed.code, killed.out]).toEqual([null, '']);
    service = await ChildPulsekeep.start(env);
    expect(await changes(`after=${before}`)).toMatchObject({ code: 'feed_restarted' });
    const { next: now = '' } = await changes();
    await adminCall(String(service.url), 'POST', '/accounts', { account_id: 'boris' });
    await until(async () => (await changes(`after=${now}`)).next !== now);
  });

  it('is not made of a database that was migrated and never started', async () => {
    const migrated = await testDatabase();
    const { code, err } = await runCli(['backup', '--out', backup], childEnvironment(migrated, 'http://127.0.0.1:9'));
    await migrated.drop();
    expect([code, err]).toEqual([1, expect.stringContaining('No service has used this database yet')]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is not restored without an erasure journal, unless that is requested', async () => {
    await adminCall(String(service?.url), 'POST', '/accounts', { account_id: 'anna' });
    expect((await runCli(['backup', '--out', backup], env)).code).toBe(0);
    await adminCall(String(service?.url), 'DELETE', '/accounts/anna');
    await stop();
    const { code, err } = await runCli(['restore', backup], env);
    expect([code, err]).toEqual([1, expect.stringContaining('There is no erasure journal')]);
    expect((await runCli(['restore', backup, '--without-erasures'], env)).code).toBe(0);
  });

  describe('in a database that another application shares', () => {
    const role = `keep_${process.pid}`;

    const asOwner = (...statements: string[]): Promise<unknown> => withStatements(database, statements);
    const answer = (sql: string): Promise<unknown> => withStatements(database, [sql]);
    const partsOf = (dump: string): string[] =>
      execFileSync('pg_restore', ['--list', dump], { encoding: 'utf8' })
        .split('\n')
        .filter((line) => /^\d/.test(line));

    it('contains only our tables, and leaves the others unchanged when it is restored', async () => {
      await deliver('one');
      await asOwner(
        'CREATE SCHEMA shop',
        'CREATE TABLE shop.accounts (id int)',
        'INSERT INTO shop.accounts VALUES (1)',
        'CREATE TABLE spatial (id int)',
        'CREATE VIEW spatial_view AS SELECT id FROM spatial',
      );
      expect((await runCli(['backup', '--out', backup], env)).code).toBe(0);
      expect(partsOf(backup).filter((part) => / (shop|spatial\w*) /.test(part))).toEqual([]);
      await asOwner('INSERT INTO shop.accounts VALUES (2)', 'INSERT INTO spatial VALUES (3)');
      await stop();
      expect(await runCli(['restore', backup], env)).toMatchObject({ code: 0, err: '' });
      expect(await answer('SELECT id FROM shop.accounts ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }]);
      expect(await answer('SELECT id FROM spatial')).toEqual([{ id: 3 }]);
    });

    it('is restored with comments, checks and policies that were added to our tables', async () => {
      await asOwner(
        `COMMENT ON TABLE messages IS 'own'`,
        `COMMENT ON COLUMN messages.seq IS 'own'`,
        'ALTER TABLE messages ADD CONSTRAINT own_size CHECK (size >= 0) NOT VALID',
        'CREATE POLICY own_policy ON messages USING (true)',
      );
      expect((await runCli(['backup', '--out', backup], env)).code).toBe(0);
      await stop();
      expect(await runCli(['restore', backup], env)).toMatchObject({ code: 0, err: '' });
      const kept = `SELECT obj_description('messages'::regclass) AS comment,
        (SELECT COUNT(*) FROM pg_policies WHERE policyname = 'own_policy') AS policies`;
      expect(await answer(kept)).toEqual([{ comment: 'own', policies: 1 }]);
    });

    it('is made and restored whatever parameters the URL has for other drivers', async () => {
      await stop();
      await asOwner('DELETE FROM processes');
      const address = env['DATABASE_URL'];
      const forOthers = [
        'pgbouncer=true',
        'connection_limit=5&schema=public',
        'ssl=false',
        'uselibpqcompat=true&sslmode=disable',
      ];
      for (const more of forOthers) {
        env = { ...env, DATABASE_URL: `${address}?${more}` };
        expect(await runCli(['backup', '--out', `${backup}-${more}`], env)).toMatchObject({ code: 0, err: '' });
        expect(await runCli(['restore', `${backup}-${more}`], env)).toMatchObject({ code: 0, err: '' });
      }
    });

    it('is restored completely into an empty database, where the access log is append-only again', async () => {
      await deliver('one');
      expect((await runCli(['backup', '--out', backup], env)).code).toBe(0);
      await stop();
      const empty = await testDatabase();
      await withStatements(empty, ['DROP SCHEMA public CASCADE', 'CREATE SCHEMA public']);
      env = childEnvironment(empty, 'http://127.0.0.1:9');
      try {
        expect(await runCli(['restore', backup], env)).toMatchObject({ code: 1 });
        expect(await runCli(['restore', backup, '--without-erasures'], env)).toMatchObject({ code: 0, err: '' });
        service = await ChildPulsekeep.start(env);
        expect(await messages()).toEqual(['one']);
        await expect(withStatements(empty, ['TRUNCATE access_log'])).rejects.toThrow('append-only');
      } finally {
        await stop();
        await empty.drop();
      }
    });

    it('that contains more than the tables of this program is invalid, and is not restored', async () => {
      expect((await runCli(['backup', '--out', backup], env)).code).toBe(0);
      await asOwner('CREATE TABLE spatial (id int)');
      await stop();
      execFileSync('pg_dump', ['--format=custom', `--file=${backup}`, `--dbname=${env['DATABASE_URL']}`]);
      const bytes = readFileSync(backup);
      retell(backup, { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
      for (const args of [['--verify'], []]) {
        const { code, err } = await runCli(['restore', backup, ...args], env);
        expect([code, err]).toEqual([1, expect.stringContaining('contains more than the tables of this program')]);
      }
    });

    it("says the tool's own first line where it fails", async () => {
      await asOwner(`CREATE ROLE ${role} LOGIN`, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`);
      await asOwner(`GRANT USAGE ON SCHEMA public TO ${role}`, `REVOKE SELECT ON messages_seq_seq FROM ${role}`);
      try {
        const url = new URL(String(env['DATABASE_URL']));
        url.username = role;
        env = { ...env, DATABASE_URL: url.href };
        const { code, err } = await runCli(['backup', '--out', backup], env);
        expect([code, err]).toEqual([1, expect.stringMatching(/^pg_dump did not succeed: .*permission denied.*\n$/)]);
        expect(readdirSync(folder)).toEqual([]);
      } finally {
        await asOwner(`DROP OWNED BY ${role}`, `DROP ROLE ${role}`);
      }
    });
  });

  it.each<[string, () => void, RegExp]>([
    ['with one flipped byte', () => patch(backup), /SHA-256 differs/],
    ['without its description', () => rmSync(`${backup}.json`), /manifest/],
    ['of another region', () => retell(backup, { region: 'eu' }), /belongs to eu/],
    ['of a newer program', () => retell(backup, { migrations: ['Future1999999999999'] }), /newer version/],
    ['of SQLite', () => retell(backup, { database: undefined }), /backup of SQLite/],
  ])('%s is invalid, and is not restored', async (_, spoil, reason) => {
    await deliver('one');
    expect((await runCli(['backup', '--out', backup], env)).code).toBe(0);
    spoil();
    await stop();
    for (const args of [['--verify'], []]) {
      const { code, err } = await runCli(['restore', backup, ...args], env);
      expect([code, err]).toEqual([1, expect.stringMatching(reason)]);
    }
  });
});

/** As whoever owns the whole database; returns what the last one says. */
async function withStatements({ config }: TestDatabase, statements: readonly string[]): Promise<unknown> {
  const writer = await openWriter(config, []);
  try {
    let answer: unknown;
    for (const statement of statements) answer = await writer.query(statement);
    return answer;
  } finally {
    await writer.destroy();
  }
}

function patch(file: string): void {
  const bytes = readFileSync(file);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 0xff;
  writeFileSync(file, bytes);
}

function retell(file: string, changes: object): void {
  const described = JSON.parse(readFileSync(`${file}.json`, 'utf8')) as object;
  writeFileSync(`${file}.json`, JSON.stringify({ ...described, ...changes }));
}
