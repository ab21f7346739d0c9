import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWriter } from '../../src/storage/database/store.js';
import { runCli } from '../operations/cli/support/run-cli.js';
import { adminCall, childEnvironment } from '../support/child-env.js';
import { ChildPulsekeep } from '../support/child-pulsekeep.js';
import { signedMessage } from '../support/signed-message.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';

/** PostgreSQL's own tools are not wherever a PostgreSQL can be reached. */
const hasTools = spawnSync('pg_dump', ['--version']).status === 0;
const onPostgres = process.env['TEST_DATABASE_URL'] && hasTools ? describe : describe.skip;

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

  it('is made while a process writes, compared row by row, and put back whole once none runs', async () => {
    await deliver('one');
    await deliver('two');
    const made = await runCli(['backup', '--out', backup, '--json'], env);
    expect([made.code, made.err]).toEqual([0, '']);
    expect(made.json()).toMatchObject({ database: 'postgres', counts: { messages: 2, message_bodies: 2 } });
    expect(readdirSync(folder).sort()).toEqual(['backup.dump', 'backup.dump.json']);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    await deliver('three');

    const refused = await runCli(['restore', backup], env);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('Processes run on this database.')]);
    expect(await messages()).toEqual(['one', 'three', 'two']);

    await stop();
    const restored = await runCli(['restore', backup], env);
    expect([restored.code, restored.err]).toEqual([0, '']);
    expect(restored.out).toContain('old database  replaced');
    service = await ChildPulsekeep.start(env);
    expect(await messages()).toEqual(['one', 'two']);
    await deliver('four');
  });

  it('is not made of a database that was migrated and never started', async () => {
    const migrated = await testDatabase();
    const { code, err } = await runCli(['backup', '--out', backup], childEnvironment(migrated, 'http://127.0.0.1:9'));
    await migrated.drop();
    expect([code, err]).toEqual([1, expect.stringContaining('No service has started on the database yet')]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that is put back names the people who were erased after it', async () => {
    const writer = await openWriter(database.config, []);
    await writer.query(
      `INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES ('anna', 'active', 0, 0)`,
    );
    await writer.destroy();
    expect((await runCli(['backup', '--out', backup], env)).code).toBe(0);
    const { erasure_id: id } = await adminCall<{ erasure_id: string }>(
      String(service?.url),
      'DELETE',
      '/accounts/anna',
    );
    await stop();
    const { code, out } = await runCli(['restore', backup], env);
    expect([code, out]).toEqual([0, expect.stringContaining(`cli erase 'anna' --yes    (was ${id})`)]);
  });

  it.each<[string, () => void, RegExp]>([
    ['with one flipped byte', () => patch(backup), /SHA-256 differs/],
    ['without its description', () => rmSync(`${backup}.json`), /description/],
    ['whose rows are not those described', () => retell(backup, { counts: { messages: 7 } }), /rows of 1 tables/],
    ['of another region', () => retell(backup, { region: 'eu' }), /belongs to eu/],
    ['of a newer program', () => retell(backup, { migrations: ['Future1999999999999'] }), /newer program/],
    ['of SQLite', () => retell(backup, { database: undefined }), /backup of SQLite/],
  ])('%s is not good, and is not put back', async (_, spoil, reason) => {
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
