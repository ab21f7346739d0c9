import { type DataSource, getMetadataArgsStorage, type QueryRunner } from 'typeorm';
import type { PostgresConfig } from '../../platform/config/database-config.js';
import { AppError } from '../../platform/platform/errors.js';
import { parseUtcInstant } from '../../platform/platform/time.js';
import { dropViews, ViewsRefused } from '../analytics/postgres-views.js';
import { driverCode } from '../database/dialect.js';
import { openPostgres, type PostgresOptions, withoutLimits } from '../database/postgres.js';
import type { EntityClasses } from '../database/sqlite.js';
import type { DatabaseIdentity } from '../schema/database-identity.js';
import { migrate } from '../schema/migrate.js';
import { DatabaseUnusable, opening } from '../schema/opening.js';
import { writeBackup } from './make-backup.js';
import { BackupError, type Manifest, pendingMigrations, type RestorableContents, restorable } from './manifest.js';
import { runTool } from './postgres-tools.js';
import {
  assertRepeatable,
  forgetting,
  type JournalOfRestore,
  manifestOf,
  type Restored,
  strangeness,
  type VerifiedBackup,
} from './restore-backup.js';

/*
 * A backup of PostgreSQL is a pg_dump archive that contains only our own tables, named with their schema. pg_restore
 * restores it in one transaction, so whenever it is killed, the tables are either the old ones or the restored ones. It
 * omits the rows that a restored database must not contain, so nothing remains to be done afterwards.
 */

export interface PostgresDatabase {
  readonly config: PostgresConfig;
  readonly entities: EntityClasses;
}

export interface PostgresBackupOptions extends PostgresDatabase {
  readonly target: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly version: string;
  readonly signal: AbortSignal;
}

/** Dumps our tables as of one instant, and writes a description beside the dump. Throws `BackupError`. */
export async function makePostgresBackup(options: PostgresBackupOptions): Promise<Manifest> {
  return writeBackup({ ...options, database: 'postgres' }, (part) =>
    connected(options, (ours) => dump(ours, part, options)),
  );
}

/** Counts the rows in the snapshot that is dumped. */
async function dump(ours: Ours, part: string, { config, signal }: PostgresBackupOptions): Promise<RestorableContents> {
  const { rows, schema, tables } = ours;
  await assertDirect(rows);
  await rows('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const [{ snapshot } = { snapshot: '' }] = await rows<{ snapshot: string }>('SELECT pg_export_snapshot() AS snapshot');
  if (!tables.includes('database_identity'))
    throw new BackupError(['The database contains none of the tables of this program.']);
  const [stamp = null] = await rows<DatabaseIdentity & { journal: string | null }>(
    'SELECT region, environment, journal FROM database_identity WHERE id = 1',
  );
  const ran = await rows<{ name: string }>('SELECT name FROM migrations ORDER BY id');
  const counts: Record<string, number> = {};
  for (const table of tables) {
    counts[table] = (await rows<{ count: number }>(`SELECT COUNT(*) AS count FROM "${table}"`))[0]?.count ?? 0;
  }
  const contents = restorable({
    stamp,
    journal: stamp?.journal ?? null,
    migrations: ran.map(({ name }) => name),
    counts,
  });
  const named = tables.map((table) => `--table="${schema.replaceAll('"', '""')}"."${table}"`);
  const options = ['--format=custom', '--no-owner', '--no-privileges', `--snapshot=${snapshot}`, `--file=${part}`];
  await runTool('pg_dump', [...options, ...named], { url: config.url.reveal(), signal });
  await rows('COMMIT');
  return contents;
}

/**
 * Checks that a dump is unchanged, contains only our tables, belongs to this region and environment, and was not made
 * by a newer program. Changes nothing. Throws {@link BackupError} with every fault.
 */
export async function verifyPostgresBackup(
  path: string,
  stamp: DatabaseIdentity,
  entities: EntityClasses,
): Promise<VerifiedBackup & Archive> {
  const manifest = await manifestOf(path, 'postgres');
  const faults = strangeness(manifest, stamp);
  if (faults.length > 0) throw new BackupError(faults);
  return { manifest, pending: pendingMigrations(manifest.migrations), ...(await archiveIn(path, entities)) };
}

interface Archive {
  readonly schema: string;
  /** Lines of the table of contents. */
  readonly parts: readonly string[];
}

/**
 * `215; 1259 16386 TABLE public accounts owner`: the kind of object, its schema, and its name or that of its table.
 * Operators may add comments, checks, rules and policies to our tables.
 */
const entry =
  /^\d+; \d+ \d+ (TABLE DATA|TABLE|SEQUENCE OWNED BY|SEQUENCE SET|SEQUENCE|DEFAULT|(?:FK |CHECK )?CONSTRAINT|TRIGGER|INDEX|COMMENT|RULE|POLICY|ROW SECURITY) (\S+) (\S+) /;
/** Their entries do not name the table. */
const nameless = ['INDEX', 'COMMENT'];

/** Throws {@link BackupError} unless every part of a dump belongs to one of our tables in one schema. */
async function archiveIn(path: string, entities: EntityClasses): Promise<Archive> {
  const ours = namesOf(entities);
  const parts = (await runTool('pg_restore', ['--list', path])).split('\n').filter((line) => /^\d/.test(line));
  const schemas = new Set<string>();
  const foreign = parts.filter((line) => {
    const [, kind = '', schema = '', name = ''] = entry.exec(line) ?? [];
    schemas.add(schema);
    const isSequence = kind.startsWith('SEQUENCE');
    return !nameless.includes(kind) && !ours.some((own) => name === own || (isSequence && name.startsWith(`${own}_`)));
  });
  const [schema = ''] = schemas;
  if (foreign.length === 0 && schemas.size === 1) return { schema, parts };
  throw new BackupError([
    `The dump contains more than the tables of this program: ${foreign.length} other parts, ${schemas.size} schemas.`,
  ]);
}

function namesOf(entities: EntityClasses): string[] {
  const { tables } = getMetadataArgsStorage();
  const ours = new Set<unknown>(Object.values(entities));
  return ['migrations', ...tables.flatMap(({ target, name }) => (ours.has(target) && name ? name : []))];
}

/**
 * The rows of these tables are not restored: the next start begins another change feed, and sessions may have ended
 * since the backup.
 */
const historic = /^\d+; \d+ \d+ TABLE DATA \S+ (change_feed|console_sessions) /;

type Rows = <T>(sql: string, values?: readonly (string | number | null)[]) => Promise<T[]>;

export interface PostgresRestoreOptions extends PostgresDatabase {
  readonly backup: string;
  readonly stamp: DatabaseIdentity;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Number of processes that reported recently. */
  readonly running: (rows: Rows, now: number) => Promise<number>;
  readonly journal: JournalOfRestore;
}

/** Replaces our tables with those of a dump. Throws {@link BackupError} without having changed any row. */
export async function restorePostgres(options: PostgresRestoreOptions): Promise<Restored> {
  const { backup, config, entities, stamp, now, journal } = options;
  const { schema, parts, ...verified } = await verifyPostgresBackup(backup, stamp, entities);
  const { manifest } = verified;
  assertRepeatable(manifest, journal);
  const isNew = await connected(options, async (ours) => {
    const { rows, tables } = ours;
    if (ours.schema !== schema) {
      throw new BackupError([`The dump is of the schema ${schema}, but the search path leads to ${ours.schema}.`]);
    }
    await assertDirect(rows);
    await assertStopped(ours, options);
    if (tables.some((table) => !Object.hasOwn(manifest.counts, table))) {
      throw new BackupError(['The database has tables that are not in the backup: restore into an empty database.']);
    }
    if (manifest.journal === null && !journal.anew && (await mayLackErasures(rows, tables, manifest))) {
      throw new BackupError([
        'There is no erasure journal (ERASURE_JOURNAL_PATH), so people erased after this backup would be restored. Run it with --without-erasures, then repeat these erasures.',
      ]);
    }
    return tables.length === 0;
  });
  // A dump of tables does not contain the functions that their triggers call.
  if (isNew) await migrated({ config, entities }, now);
  // The tables cannot be replaced under views. The next start makes them again.
  else await connected(options, ({ rows }) => dropViews(rows), false);
  const how = ['--clean', '--if-exists', '--no-owner', '--no-privileges', '--single-transaction', '--exit-on-error'];
  const only = parts.filter((part) => !historic.test(part));
  await runTool('pg_restore', [...how, backup], { url: config.url.reveal(), only });
  if (journal.anew) await forgetOnPostgres(options, journal.anew.name);
  return { ...verified, kept: null };
}

/**
 * pg_dump and pg_restore change settings of their sessions, such as the search path. A transaction pooler gives such a
 * session to the next client, and drops the settings that ours requests.
 */
async function assertDirect(rows: Rows): Promise<void> {
  const sql = `SELECT source FROM pg_settings WHERE name = 'synchronous_commit'`;
  const [found] = await rows<{ source: string }>(sql);
  if (found?.source === 'client') return;
  throw new BackupError([
    'DATABASE_URL leads through a pooler, which drops session settings: use the direct address of PostgreSQL.',
  ]);
}

/** Without a journal, only the replaced database knows the erasures made after the backup; an empty one knows none. */
async function mayLackErasures(rows: Rows, tables: readonly string[], { made_at }: Manifest): Promise<boolean> {
  if (!tables.includes('erasures')) return true;
  const since = (parseUtcInstant(made_at) ?? 0) - CLOCK_SLACK_MS;
  return (await rows('SELECT 1 FROM erasures WHERE requested_at >= $1 LIMIT 1', [since])).length > 0;
}

/** Allowed difference between the clocks of the backup's machine and the service's. */
const CLOCK_SLACK_MS = 60_000;

async function assertStopped(
  { rows, tables }: Ours,
  { running, now }: Pick<PostgresRestoreOptions, 'running' | 'now'>,
): Promise<void> {
  if (!tables.includes('processes') || (await running(rows, now)) === 0) return;
  throw new BackupError(['Processes are using this database. Stop them first; after a crash, wait a minute.']);
}

/** Detaches the database from its erasure journal. Throws {@link BackupError} while processes run on it. */
export async function goOnWithoutErasures(options: Omit<PostgresRestoreOptions, 'backup' | 'stamp'>): Promise<void> {
  await connected(options, (ours) => assertStopped(ours, options));
  await forgetOnPostgres(options, options.journal.anew?.name ?? null);
}

function forgetOnPostgres(database: PostgresDatabase, name: string | null): Promise<void> {
  return connected(
    database,
    async ({ rows }) => {
      for (const { sql, named } of forgetting) await rows(sql, named ? [name] : []);
    },
    false,
  );
}

async function migrated({ config, entities }: PostgresDatabase, now: number): Promise<void> {
  const source = await opened(config, { entities, readOnly: false });
  try {
    await migrate(source, config, now);
  } finally {
    await source.destroy();
  }
}

/** Our part of a database: its schema, and which of our tables it contains. */
interface Ours {
  readonly rows: Rows;
  readonly schema: string;
  readonly tables: readonly string[];
}

async function connected<T>(
  { config, entities }: PostgresDatabase,
  work: (ours: Ours) => Promise<T>,
  readOnly = true,
): Promise<T> {
  const source = await opened(config, { entities: [], readOnly });
  try {
    return await withoutLimits(source, async (runner) => work(await oursIn(runner, namesOf(entities))));
  } catch (error) {
    if (error instanceof BackupError) throw error;
    if (error instanceof ViewsRefused) throw new BackupError([error.message], { cause: error });
    const code = driverCode(error instanceof AppError ? error.cause : error);
    throw new BackupError([`The database is unusable: ${code ?? 'no code'}.`], { cause: error });
  } finally {
    await source.destroy();
  }
}

function opened(config: PostgresConfig, how: Pick<PostgresOptions, 'entities' | 'readOnly'>): Promise<DataSource> {
  const open = (): Promise<DataSource> => openPostgres({ url: config.url.reveal(), poolSize: 1, ...how });
  return opening(config, open).catch((error: unknown) => {
    throw error instanceof DatabaseUnusable ? new BackupError([error.message], { cause: error }) : error;
  });
}

async function oursIn(runner: QueryRunner, names: readonly string[]): Promise<Ours> {
  const rows: Rows = (sql, values = []) => runner.query(sql, [...values]);
  const [{ schema } = { schema: 'public' }] = await rows<{ schema: string }>('SELECT current_schema() AS schema');
  const there = await rows<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename',
  );
  return { rows, schema, tables: there.flatMap(({ name }) => (names.includes(name) ? name : [])) };
}
