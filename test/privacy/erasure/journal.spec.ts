// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { appendFileSync, copyFileSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import { readJournal } from '../../../src/privacy/erasure/journal-file.js';
import { runCli } from '../../operations/cli/support/run-cli.js';
import { adminCall, childEnvironment } from '../../support/child-env.js';
import { programRun } from '../../support/child-pulsekeep.js';
import { webhookSecret } from '../../support/environment.js';
import { canBackUp } from '../../support/postgres-tools.js';
import { ServingPulsekeep } from '../../support/serving-pulsekeep.js';
import { fastFolder, type TestDatabase, testDatabase } from '../../support/test-store.js';
import { until } from '../../support/until.js';

interface Receipt {
  readonly erasure_id: string;
  readonly state: string;
  readonly requested_at: string;
  readonly requested_by: string;
  readonly journaled_at: string | null;
}

/** PostgreSQL's own tools are not wherever a PostgreSQL can be reached. */
const withTools = canBackUp ? describe : describe.skip;

withTools('the erasure journal', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let folder: string;
  let journal: string;
  let backup: string;
  let env: Record<string, string>;
  let service: ServingPulsekeep | null;

  beforeEach(async () => {
    folder = fastFolder('pulsekeep-journal-');
    [journal, backup] = [join(folder, 'journal'), join(folder, 'backup')];
    sandbox = await startSandbox({ timeScale: 1000, webhookSecret });
    database = await testDatabase();
    env = childEnvironment(database, sandbox.url, { ERASURE_JOURNAL_PATH: journal });
    await serve();
  });

  afterEach(async () => {
    await stop();
    await sandbox.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function serve(): Promise<void> {
    service = await ServingPulsekeep.start(env);
  }
  async function stop(): Promise<void> {
    await service?.stop();
    service = null;
  }
  const call = <T>(method: string, path: string, body?: unknown): Promise<T> =>
    adminCall<T>(String(service?.url), method, path, body);
  const make = (account_id: string): Promise<unknown> => call('POST', '/accounts', { account_id });
  const erase = (account: string): Promise<Receipt> => call('DELETE', `/accounts/${account}`);
  const active = async (): Promise<string[]> => {
    const { data } = await call<{ data: { account_id: string; status: string }[] }>('GET', '/accounts');
    return data.flatMap(({ account_id, status }) => (status === 'erasing' ? [] : account_id));
  };
  const receipts = async (): Promise<Receipt[]> => (await call<{ data: Receipt[] }>('GET', '/erasures')).data;
  /** Without repeats or empty lines: a request and the worker may both record an erasure, even at the same time. */
  const lines = (): string[] => [...new Set(readFileSync(journal, 'utf8').match(/.+/g))];

  /** A backup in which anna and ben are, then anna is erased. */
  async function annaErasedAfterBackup(): Promise<Receipt> {
    await make('anna');
    await make('ben');
    expect(await runCli(['backup', '--out', backup], env)).toMatchObject({ code: 0 });
    return erase('anna');
  }

  /**
   * Once anna is erased, the environment has a database without tables beside the journal. On SQLite its file exists,
   * because PostgreSQL has none that could be missing.
   */
  async function besideEmptyDatabase(work: () => Promise<void>): Promise<void> {
    await annaErasedAfterBackup();
    await stop();
    const empty = await testDatabase('unmigrated');
    try {
      if (empty.config.kind === 'sqlite') writeFileSync(empty.config.path, '');
      env = childEnvironment(empty, sandbox.url, { ERASURE_JOURNAL_PATH: journal });
      await work();
    } finally {
      await stop();
      await empty.drop();
    }
  }

  it('is readable only by its owner, names no one, and has an erasure before its confirmation', async () => {
    await make('anna');
    const [user] = (await sandbox.control.truthUsers()).users;
    const { erasure_id, journaled_at } = await erase('anna');
    expect(journaled_at).not.toBeNull();
    expect(lines()).toHaveLength(2);
    expect(lines()[1]).toContain(`"erasure":"${erasure_id}"`);
    expect(readFileSync(journal, 'utf8')).not.toMatch(new RegExp(`anna|${user?.user_id}`, 'i'));
    expect(statSync(journal).mode & 0o777).toBe(0o600);
  });

  it('erases people again after an older backup is restored, before anything is served', async () => {
    const before = await annaErasedAfterBackup();
    await stop();
    const restored = await runCli(['restore', backup, '--json'], env);
    expect([restored.code, restored.json()]).toMatchObject([0, { erasures_to_repeat: 1 }]);
    await serve();
    expect(await active()).toEqual(['ben']);
    const [again] = await receipts();
    expect(again).toMatchObject({ erasure_id: before.erasure_id, requested_at: before.requested_at });
    expect(['requested', 'deleting']).not.toContain(again?.state);
    expect(again).toMatchObject({ requested_by: 'journal', journaled_at: expect.any(String) as string });
    expect(service?.output.some((line) => line.includes('erasure.repeated'))).toBe(true);
    expect(await make('anna')).toMatchObject({ code: 'account_erased' });
    // Once, however often it starts.
    await until(async () => (await receipts())[0]?.state === 'waiting');
    await call('DELETE', `/erasures/${before.erasure_id}/fence`);
    expect(await make('anna')).toMatchObject({ account_id: 'anna' });
    await stop();
    await serve();
    expect((await active()).sort()).toEqual(['anna', 'ben']);
  });

  it('fences people unknown to the backup, until an operator opens the fence', async () => {
    expect(await runCli(['backup', '--out', backup], env)).toMatchObject({ code: 0 });
    await make('anna');
    await make('ben');
    const { erasure_id } = await erase('anna');
    await stop();
    expect(await runCli(['restore', backup], env)).toMatchObject({ code: 0 });
    await serve();
    // The number that anna had is another's now.
    await make('carl');
    expect(await make('anna')).toMatchObject({ code: 'account_erased' });
    const fence = await call<Receipt>('GET', '/erasure-fences/anna');
    expect(fence.erasure_id).toBe(erasure_id);
    await stop();
    await serve();
    expect(await active()).toEqual(['carl']);
  });

  it('is continued after a line that a crash cut off, and read without it', async () => {
    await make('anna');
    appendFileSync(journal, '{"database":"');
    const { journaled_at } = await erase('anna');
    expect(journaled_at).not.toBeNull();
    expect(lines()).toHaveLength(3);
    appendFileSync(journal, '{"database":"');
    await stop();
    await serve();
    expect(await active()).toEqual([]);
  });

  it('has an erasure once, although two attempts wrote it', async () => {
    await make('anna');
    await erase('anna');
    appendFileSync(journal, `${lines().at(-1)}\n`);
    const { database } = JSON.parse(lines()[0] ?? '') as { database: string };
    expect(readJournal(journal, database)).toHaveLength(1);
  });

  it('delays an erasure while it cannot be written, and has it once it can', async () => {
    await make('anna');
    renameSync(journal, `${journal}-away`);
    expect(await erase('anna')).toMatchObject({ code: 'storage_unavailable' });
    expect(await receipts()).toMatchObject([{ journaled_at: null }]);
    renameSync(`${journal}-away`, journal);
    await stop();
    await serve();
    expect(await receipts()).toMatchObject([{ journaled_at: expect.any(String) as string }]);
    expect(lines()).toHaveLength(2);
  });

  it.each<[string, () => void, RegExp]>([
    ['is not there', () => rmSync(journal), /does not exist.*--without-erasures/],
    ['is another one', () => writeFileSync(journal, '{"database":"other"}\n'), /another database, or is an older copy/],
    ['lacks an erasure that the database knows', () => writeFileSync(journal, `${lines()[0]}\n`), /an older copy/],
    ['is damaged', () => writeFileSync(journal, `${lines().join('\n')}\n{"database}\n`), /is damaged/],
  ])('that %s stops the start', async (_, spoil, reason) => {
    await make('anna');
    await erase('anna');
    await stop();
    spoil();
    await expect(serve()).rejects.toThrow(reason);
  });

  it('that is missing also stops a restore, unless a restore without it is requested', async () => {
    await annaErasedAfterBackup();
    await stop();
    rmSync(journal);
    const refused = await runCli(['restore', backup], env);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('--without-erasures')]);
    const { code, out } = await runCli(['restore', backup, '--without-erasures'], env);
    expect([code, out]).toEqual([0, expect.stringContaining('Restored without an erasure journal')]);
    await serve();
    expect((await active()).sort()).toEqual(['anna', 'ben']);
    // From here on there is one again.
    expect((await erase('anna')).journaled_at).not.toBeNull();
  });

  it('is started again for a database that was restored by other means', async () => {
    await make('anna');
    await make('ben');
    await erase('ben');
    await stop();
    rmSync(journal);
    await expect(serve()).rejects.toThrow('does not exist');
    expect(await runCli(['restore', '--without-erasures'], env)).toMatchObject({ code: 0 });
    await serve();
    expect(await active()).toEqual(['anna']);
    // The erasures that the database itself knows are kept again, beside its name.
    expect(lines()).toHaveLength(2);
  });

  it('that exists beside an empty database stops start and migrate, until a backup is restored', async () => {
    await besideEmptyDatabase(async () => {
      const reason = `DATABASE_URL: the database is empty, but the erasure journal ${journal} exists. Correct the address or restore a backup; to begin with an empty database, move the journal away or set ERASURE_JOURNAL_PATH to a new file.`;
      await expect(serve()).rejects.toThrow(reason);
      expect(await programRun('src/main-migrate.js', env)).toEqual({ code: 1, output: `${reason}\n` });
      expect((await runCli(['doctor'], env)).out).toContain(reason);
      expect(await runCli(['restore', backup], env)).toMatchObject({ code: 0 });
      await serve();
      expect(await active()).toEqual(['ben']);
    });
  });

  it('may be moved away to begin with an empty database', async () => {
    await besideEmptyDatabase(async () => {
      await expect(serve()).rejects.toThrow('the database is empty');
      renameSync(journal, `${journal}-away`);
      await serve();
      expect(await active()).toEqual([]);
    });
  });

  it('may be used by a new database, without the erasures of the previous one', async () => {
    await make('anna');
    await erase('anna');
    await stop();
    const next = await testDatabase();
    try {
      env = childEnvironment(next, sandbox.url, { ERASURE_JOURNAL_PATH: journal });
      await serve();
      await make('anna');
      await stop();
      await serve();
      expect(await active()).toEqual(['anna']);
    } finally {
      await stop();
      await next.drop();
    }
  });
});

describe('a SQLite file that is copied over the database', () => {
  it('erases people again like a restore', async () => {
    const folder = fastFolder('pulsekeep-journal-');
    const path = join(folder, 'pulsekeep.sqlite');
    const sandbox = await startSandbox({ timeScale: 1000, webhookSecret });
    const database: TestDatabase = { config: { kind: 'sqlite', path }, drop: async () => undefined };
    const env = childEnvironment(database, sandbox.url);
    const first = await ServingPulsekeep.start(env);
    await adminCall(first.url, 'POST', '/accounts', { account_id: 'anna' });
    await first.stop();
    copyFileSync(path, `${path}-copy`);
    const second = await ServingPulsekeep.start(env);
    await adminCall(second.url, 'DELETE', '/accounts/anna');
    await second.stop();
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    copyFileSync(`${path}-copy`, path);
    const third = await ServingPulsekeep.start(env);
    const { data } = await adminCall<{ data: { status: string }[] }>(third.url, 'GET', '/accounts');
    expect(data.filter(({ status }) => status !== 'erasing')).toEqual([]);
    await third.stop();
    await sandbox.close();
    rmSync(folder, { recursive: true });
  });
});
