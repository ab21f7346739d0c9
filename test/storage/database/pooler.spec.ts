// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { freePort } from '../../../harness/free-port.js';
import { entities } from '../../../src/app/rooms.js';
import type { DatabaseConfig } from '../../../src/platform/config/database-config.js';
import { Secret } from '../../../src/platform/config/secret.js';
import { SilenceAwarePool } from '../../../src/storage/database/pool.js';
import { PostgresScrubber } from '../../../src/storage/database/scrubber.js';
import { openWriter } from '../../../src/storage/database/store.js';
import { type MigrationReport, migrate } from '../../../src/storage/schema/migrate.js';
import { opening } from '../../../src/storage/schema/opening.js';
import { runCli } from '../../operations/cli/support/run-cli.js';
import { childEnvironment } from '../../support/child-env.js';
import { nowhere } from '../../support/environment.js';
import { canDumpPostgres } from '../../support/postgres-tools.js';
import { type TestDatabase, testDatabase } from '../../support/test-store.js';
import { until } from '../../support/until.js';

const isInstalled = (process.env['PATH'] ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, 'pgbouncer')));
const withPooler = process.env['TEST_DATABASE_URL'] && isInstalled ? describe : describe.skip;

/** As session-settings.ts: a session is used once its first statement was answered. */
const proven = (client: pg.ClientBase, done: (error?: Error) => void): void =>
  void client.query('SELECT 1').then(() => done(), done);

const NOBODY = 65_534;
const MIGRATION_LOCK = 748_300_121;

withPooler('behind PgBouncer, which pools transactions', () => {
  let database: TestDatabase;
  let direct: pg.Client;
  let folder: string;
  let pooler: ChildProcess | undefined;
  let sources: DataSource[];

  beforeEach(async () => {
    database = await testDatabase('unmigrated');
    direct = new pg.Client({ connectionString: urlOf(database.config) });
    await direct.connect();
    folder = mkdtempSync(join(tmpdir(), 'pulsekeep-pooler-'));
    sources = [];
  });

  afterEach(async () => {
    for (const source of sources) await source.destroy();
    if (pooler?.kill('SIGKILL')) await once(pooler, 'exit');
    pooler = undefined;
    await direct.end();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  /** Starts the pooler; returns the configuration of a process behind it. */
  async function behindPooler(
    ignored = 'options,extra_float_digits',
    pooling = ['pool_mode = transaction', 'default_pool_size = 12'],
  ): Promise<DatabaseConfig> {
    const url = new URL(urlOf(database.config));
    const port = await freePort();
    const login = url.password ? `user=${url.username} password=${url.password}` : `user=${url.username}`;
    const lines = [
      '[databases]',
      `* = host=${url.hostname} port=${url.port || 5432} ${login}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      ...pooling,
      `ignore_startup_parameters = ${ignored}`,
    ];
    const file = join(folder, 'pgbouncer.ini');
    writeFileSync(file, lines.join('\n'));
    chmodSync(folder, 0o755);
    const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    pooler = spawn('pgbouncer', ['--quiet', file], { stdio: 'ignore', ...asNobody });
    await until(() => listens(port));
    url.host = `127.0.0.1:${port}`;
    return { kind: 'postgres', url: new Secret(url.href) };
  }

  async function open(config: DatabaseConfig): Promise<DataSource> {
    const source = await opening(config, () => openWriter(config, entities));
    sources.push(source);
    return source;
  }

  it('pools share the sessions of a pooler that has fewer than they ask for, and know it', async () => {
    const few = ['pool_mode = session', 'default_pool_size = 3'];
    const config = await behindPooler(undefined, few);
    const pools = [1, 2].map(() => {
      return new SilenceAwarePool({ connectionString: urlOf(config), max: 8, verify: proven });
    });
    const [first, second] = pools as [SilenceAwarePool, SilenceAwarePool];
    try {
      const load = (pool: SilenceAwarePool): Promise<unknown>[] =>
        Array.from({ length: 20 }, () => pool.query('SELECT pg_sleep(0.02)'));
      expect(await Promise.all(load(first))).toHaveLength(20);
      expect(await Promise.all([...load(first), ...load(second)])).toHaveLength(40);
      expect(first.totalCount + second.totalCount).toBeLessThanOrEqual(3);
      expect([first.fewSessions, second.fewSessions]).toEqual([expect.any(Number), expect.any(Number)]);
    } finally {
      await Promise.all(pools.map((pool) => pool.end()));
    }
  });

  it('one of three simultaneously starting processes migrates, and no lock stays behind', async () => {
    const config = await behindPooler();
    const start = async (): Promise<MigrationReport> => migrate(await open(config), config, 0);
    const reports = await Promise.all([start(), start(), start()]);
    expect(reports.filter(({ ran }) => ran.length > 0)).toHaveLength(1);
    const sql = `SELECT 1 FROM pg_locks JOIN pg_database d ON d.oid = database
      WHERE locktype = 'advisory' AND datname = current_database()`;
    expect((await direct.query(sql)).rows).toEqual([]);
  });

  it('a process that finds another one migrating logs it and waits', async () => {
    const config = await behindPooler();
    await direct.query('BEGIN');
    await direct.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    let waited = 0;
    const migrating = migrate(await open(config), config, 0, { waiting: () => waited++ });
    await until(() => Promise.resolve(waited === 1));
    await direct.query('COMMIT');
    expect((await migrating).ran).not.toEqual([]);
  });

  it.each([
    ['do not wait for the disk', 'synchronous_commit = off', 'synchronous_commit = on'],
    [
      'do not read what others have just written',
      `default_transaction_isolation = 'repeatable read'`,
      `default_transaction_isolation = 'read committed'`,
    ],
    ['round numbers', 'extra_float_digits = 0', 'extra_float_digits = 1'],
    ['read no NULL in an array', 'array_nulls = off', 'array_nulls = on'],
  ])('a start is refused by name where sessions %s', async (_, given, wanted) => {
    await direct.query(`ALTER DATABASE ${direct.database} SET ${given}`);
    const config = await behindPooler();
    await expect(open(config)).rejects.toThrow(`SET ${wanted} (`);
    // Without the pooler our own settings count.
    expect((await (await open(database.config)).query(`SHOW ${given.split(' ')[0]}`))[0]).toEqual({
      [`${given.split(' ')[0]}`]: wanted.split(' = ')[1]?.replaceAll("'", ''),
    });
  });

  it('a start is refused by name where the pooler refuses the startup parameter', async () => {
    const config = await behindPooler('extra_float_digits');
    await expect(open(config)).rejects.toThrow('ignore_startup_parameters');
  });

  it('limits that it drops are reported at a start and by `doctor`, until the role or the database has them', async () => {
    await direct.query(`ALTER DATABASE ${direct.database} SET lock_timeout = '3s'`);
    const config = await behindPooler();
    const { missingLimits: names } = await migrate(await open(config), config, 0);
    expect([...names].sort()).toEqual(['idle_in_transaction_session_timeout', 'statement_timeout']);
    const { out } = await runCli(['doctor', '--json'], childEnvironment({ ...database, config }, nowhere));
    expect(out).toContain(`Its sessions lack ${names.join(', ')}: set them on its role.`);
  });

  it('a vacuum does not change the limits of its sessions', async () => {
    await direct.query(`ALTER DATABASE ${direct.database} SET statement_timeout = '4s'`);
    const config = await behindPooler();
    const source = await open(config);
    await migrate(source, config, 0);
    expect(await new PostgresScrubber(source).scrub(['accounts'], false)).toBe('vacuumed');
    const shown = (): Promise<{ statement_timeout: string }[]> => source.query('SHOW statement_timeout');
    const limits = await Promise.all(Array.from({ length: 12 }, shown));
    expect(new Set(limits.flat().map((row) => row.statement_timeout))).toEqual(new Set(['4s']));
  });

  (canDumpPostgres ? it : it.skip)(
    'no backup is made or restored, as pg_dump would leave its search path to the next client',
    async () => {
      const config = await behindPooler();
      const source = await open(config);
      await migrate(source, config, 0);
      const stamp = `INSERT INTO database_identity (id, region, environment, stamped_at) VALUES (1, 'us', 'sandbox', 1)`;
      await source.query(stamp);
      const [backup, pooled] = [join(folder, 'backup.dump'), childEnvironment({ ...database, config }, nowhere)];
      const refused = [1, expect.stringContaining('use the direct address of PostgreSQL')];
      const made = await runCli(['backup', '--out', backup], pooled);
      expect([made.code, made.err]).toEqual(refused);
      expect(await runCli(['backup', '--out', backup], childEnvironment(database, nowhere))).toMatchObject({ code: 0 });
      const restored = await runCli(['restore', backup, '--without-erasures'], pooled);
      expect([restored.code, restored.err]).toEqual(refused);
      const shown = (): Promise<{ schema: string }[]> => source.query('SELECT current_schema() AS schema');
      const schemas = await Promise.all(Array.from({ length: 12 }, shown));
      expect(new Set(schemas.flat().map(({ schema }) => schema))).toEqual(new Set(['public']));
    },
  );
});

function urlOf(config: DatabaseConfig): string {
  return config.kind === 'postgres' ? config.url.reveal() : '';
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('connect', () => settle(true)).on('error', () => settle(false));
  });
}
