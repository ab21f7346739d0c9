import { existsSync } from 'node:fs';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import type { QueryRunner } from 'typeorm';
import { syncFile, syncFolderOf } from '../../platform/platform/private-file.js';
import { driverCode } from '../database/dialect.js';
import { openPostgres, withoutLimits } from '../database/postgres.js';
import type { DatabaseIdentity } from '../schema/database-identity.js';
import { ownerOnly, sha256OfFile } from './files.js';
import {
  agrees,
  BackupError,
  type Manifest,
  type RestorableContents,
  readManifest,
  restorable,
  writeManifest,
} from './manifest.js';
import { contentsOf, countsInDump, tablesOf } from './postgres-contents.js';
import { runTool, withAddress } from './postgres-tools.js';
import { changesOf, type ErasureToRepeat, type Restored, type VerifiedBackup } from './restore-backup.js';
import { pendingMigrations, unknownMigrations } from './schema-age.js';

/*
 * Backups of PostgreSQL are archives of pg_dump. PATH.part is dumped from one snapshot -> read through and compared
 * with the rows of that snapshot -> PATH.json is written -> PATH.part becomes PATH. pg_restore puts one back in one
 * transaction: whatever moment it is killed in, the database is the old one or the restored one.
 */

export interface PostgresBackupOptions {
  readonly url: string;
  readonly target: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly version: string;
  readonly signal: AbortSignal;
}

/** Dumps the database as it is at one instant, checks the dump and describes it beside it. Throws `BackupError`. */
export async function makePostgresBackup(options: PostgresBackupOptions): Promise<Manifest> {
  const { url, target, now, version, signal } = options;
  if (existsSync(target)) throw new BackupError(['The file exists already and is not overwritten.']);
  const part = `${target}.part`;
  try {
    await rm(part, { force: true });
    await writeFile(part, '', { mode: ownerOnly, flag: 'wx' });
    const contents = await connected(url, (runner) => dump(runner, { url, part, signal }));
    const problems = await differences(part, contents.counts);
    if (problems.length > 0) throw new BackupError(problems);
    await syncFile(part);
    const { stamp, ...held } = contents;
    const written = { bytes: (await stat(part)).size, sha256: await sha256OfFile(part) };
    const manifest: Manifest = {
      made_at: new Date(now).toISOString(),
      version,
      database: 'postgres',
      region: stamp.region,
      environment: stamp.environment,
      ...held,
      ...written,
    };
    await writeManifest(target, manifest);
    await rename(part, target);
    await syncFolderOf(target);
    return manifest;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** The rows are counted in the snapshot that is dumped. */
async function dump(
  runner: QueryRunner,
  { url, part, signal }: { url: string; part: string; signal: AbortSignal },
): Promise<RestorableContents> {
  await runner.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const [row] = (await runner.query('SELECT pg_export_snapshot() AS snapshot')) as { snapshot: string }[];
  const contents = restorable(await contentsOf(runner));
  const options = ['--format=custom', '--no-owner', '--no-privileges', `--snapshot=${row?.snapshot}`, `--file=${part}`];
  await withAddress(url, (address) => runTool('pg_dump', [...options, `--dbname=${address}`], { signal }));
  await runner.query('COMMIT');
  return contents;
}

async function differences(path: string, counts: Manifest['counts']): Promise<string[]> {
  const found = await countsInDump(path);
  const wrong = Object.keys(counts).filter((table) => (found[table] ?? 0) !== counts[table]);
  return wrong.length === 0 ? [] : [`The dump does not hold the rows of ${wrong.length} tables.`];
}

/**
 * Whether a dump is the very file that was made, whole, of this region and environment, and not of a newer program.
 * Changes nothing. Throws {@link BackupError} with everything that is wrong.
 */
export async function verifyPostgresBackup(path: string, stamp: DatabaseIdentity): Promise<VerifiedBackup> {
  if (!existsSync(path)) throw new BackupError(['There is no such file.']);
  const manifest = await readManifest(path);
  if (!manifest) throw new BackupError(['The description beside the backup (.json) is missing or cannot be read.']);
  if (manifest.database !== 'postgres') throw new BackupError(['It is a backup of SQLite, not of PostgreSQL.']);
  const changes = await changesOf(path, manifest);
  if (changes.length > 0) throw new BackupError(changes);
  const { region, environment, migrations, counts } = manifest;
  const faults = await differences(path, counts);
  if (!agrees(manifest, { stamp, migrations, counts })) {
    faults.push(`It belongs to ${region}/${environment}, the configuration says ${stamp.region}/${stamp.environment}.`);
  }
  if (unknownMigrations(migrations).length > 0) faults.push('It is of a newer program than this one.');
  if (faults.length > 0) throw new BackupError(faults);
  return { manifest, pending: pendingMigrations(migrations) };
}

/** What other rooms know of the database that is replaced. Each reads with the SQL it is given. */
export interface RoomsOfRestore {
  /** How many processes have reported themselves lately. */
  readonly running: (rows: Rows, now: number) => Promise<number>;
  /** Notes the erasures before; answers, after, those that have to be made again. */
  readonly erasures: (rows: Rows) => Promise<(rows: Rows) => Promise<readonly ErasureToRepeat[]>>;
}
export type Rows = <T>(sql: string, values?: readonly (string | number)[]) => Promise<T[]>;

export interface PostgresRestoreOptions {
  readonly backup: string;
  readonly url: string;
  readonly stamp: DatabaseIdentity;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly rooms: RoomsOfRestore;
}

/** Puts a dump in the place of what the database holds. Throws {@link BackupError}, with nothing changed. */
export async function restorePostgres({ backup, url, stamp, now, rooms }: PostgresRestoreOptions): Promise<Restored> {
  const verified = await verifyPostgresBackup(backup, stamp);
  const after = await connected(url, async (runner) => {
    const rows = rowsOf(runner);
    const tables = await tablesOf(runner);
    if (tables.includes('processes') && (await rooms.running(rows, now)) > 0) {
      throw new BackupError(['Processes run on this database. Stop them first, and wait a minute for one that died.']);
    }
    const newer = tables.filter((table) => !Object.hasOwn(verified.manifest.counts, table));
    if (newer.length > 0) {
      throw new BackupError(['The database has tables that the backup does not know: restore into an empty one.']);
    }
    return tables.includes('erasures') ? rooms.erasures(rows) : null;
  });
  const options = [
    '--clean',
    '--if-exists',
    '--no-owner',
    '--no-privileges',
    '--single-transaction',
    '--exit-on-error',
  ];
  await withAddress(url, (address) => runTool('pg_restore', [...options, `--dbname=${address}`, backup]));
  const erasures = after === null ? [] : await connected(url, (runner) => after(rowsOf(runner)));
  return { ...verified, kept: null, erasures };
}

function rowsOf(runner: QueryRunner): Rows {
  return (sql, values = []) => runner.query(sql, [...values]);
}

async function connected<T>(url: string, work: (runner: QueryRunner) => Promise<T>): Promise<T> {
  const source = await openPostgres({ url, entities: [], poolSize: 1, readOnly: true }).catch(unusable);
  try {
    return await withoutLimits(source, work).catch(unusable);
  } finally {
    await source.destroy();
  }
}

function unusable(error: unknown): never {
  if (error instanceof BackupError) throw error;
  throw new BackupError([`The database cannot be used: ${driverCode(error) ?? 'no code'}.`], { cause: error });
}
