import { existsSync } from 'node:fs';
import type { DataSource, QueryRunner } from 'typeorm';
import { migrations } from '../../../migrations/list.js';
import { namesSearchPath } from '../database/postgres.js';
import { missingLimits } from '../database/session-settings.js';
import type { SchemaComparison } from './compare-schema.js';
import type { DatabaseCopyEntity } from './database-copy.entity.js';
import { closedBecause, selectCopyMark } from './database-copy.js';
import { type DatabaseIdentity, identityFault } from './database-identity.js';
import { hiddenRows, lackOfCreating, type Read, unfitServer } from './postgres-facts.js';
import { type ColumnNames, numbersKept, sequencesBehind } from './sequences.js';

/*
 * Facts that a database shows about itself, and the one list of reasons why a service does not start on it. The start
 * and `doctor` both use `startFault`.
 */

export interface Described {
  /** Null before its first start. */
  readonly identity: DatabaseIdentity | null;
  /** Name of the database in the erasure journal; null if it has none. */
  readonly journal: string | null;
  /** Why no service may start on it, after or during a copy; null if one may. */
  readonly closed: string | null;
  /** Migrations that the next start will run. */
  readonly pending: readonly string[];
  /**
   * Why this program cannot use it: encoding, rights, tables of another program, or no tables beside an erasure
   * journal; null if it can.
   */
  readonly fault: string | null;
  /** Names of the time limits that its sessions lack. */
  readonly missingLimits: readonly string[];
  /** Names of the sequences that the next start sets forward. */
  readonly sequences: readonly string[];
}

/** Why no service with this identity starts on the database; null if one does. */
export function startFault(
  { fault, identity, closed, differences = [] }: Described & Partial<SchemaComparison>,
  stamp: DatabaseIdentity,
): string | null {
  return fault ?? identityFault(identity, stamp) ?? differing(differences) ?? closed;
}

/** Describes the difference between a schema and that of this program; null if there is none. */
export function differing(differences: readonly string[]): string | null {
  if (differences.length === 0) return null;
  return `The schema does not match this program. Missing or changed: ${differences.join(', ')}.`;
}

interface DescribeOptions {
  /** Migrations of this program. */
  readonly known?: readonly string[];
  /**
   * Path of the erasure journal; if the journal exists, the database must not be empty. Undefined permits an empty
   * database.
   */
  readonly journalPath?: string | undefined;
}

/** Only reads. */
export async function describe(
  source: DataSource,
  { known = knownMigrations, journalPath }: DescribeOptions = {},
): Promise<Described> {
  // Checked first, because another process may create the tables and then the journal while this one reads.
  const journalExists = journalPath !== undefined && existsSync(journalPath);
  const runner = source.createQueryRunner();
  // Uses the runner, which may hold the only connection.
  const read: Read = (sql, values = []) => source.query(sql, [...values], runner);
  const isPostgres = source.options.type === 'postgres';
  try {
    const tables = ourTables(source);
    const described = { ...neverStarted, pending: known, missingLimits: await missingLimits(source, runner) };
    const unfit = isPostgres ? await unfitServer(read, tables, namesSearchPath(source)) : null;
    if (unfit !== null) return { ...described, fault: unfit };
    const ran = await migrationsThatRan(runner, read);
    if (ran === null) return { ...described, fault: anotherProgram };
    const fault = unfitMigrations(ran, known);
    if (fault !== null) return { ...described, fault };
    const pending = known.filter((name) => !ran.includes(name));
    const taken = ran.length === 0 ? await takenNames(runner, read, tables) : null;
    if (taken !== null) return { ...described, fault: taken };
    if (ran.length === 0 && journalExists) return { ...described, fault: emptied(journalPath) };
    const found = isPostgres ? await aboutTables(read, source, pending) : {};
    return { ...described, pending, ...found, ...(found.fault ? {} : await marksIn(runner, read)) };
  } finally {
    if (isPostgres) await runner.release();
  }
}

async function aboutTables(
  read: Read,
  source: DataSource,
  pending: readonly string[],
): Promise<Partial<Pick<Described, 'fault' | 'sequences'>>> {
  const tables = ourTables(source);
  const hidden = await hiddenRows(read, tables);
  if (hidden !== null) return { fault: hidden };
  if (pending.length > 0) return { fault: await lackOfCreating(read) };
  const behind = await sequencesBehind(read, tables, numbersKept(shapesOf(source)));
  return { sequences: behind.map(({ sequence }) => sequence) };
}

const knownMigrations = migrations.map(({ name }) => name);
const neverStarted = { identity: null, journal: null, closed: null, sequences: [], fault: null };

export function ourTables({ entityMetadatas }: DataSource): string[] {
  return ['migrations', 'database_identity', 'database_copies', ...entityMetadatas.map(({ tableName }) => tableName)];
}

/** Names of the tables and their columns. */
export function shapesOf({ entityMetadatas }: DataSource): ColumnNames[] {
  return entityMetadatas.map(({ tableName: table, columns }) => ({
    table,
    columns: columns.map(({ databaseName: name }) => ({ name })),
  }));
}

/**
 * Null if the table `migrations` belongs to another program: it lacks our columns or is empty. Ours is created in the
 * transaction of the first migration; on SQLite before it, so a crash can leave it empty and as the only table.
 */
async function migrationsThatRan(runner: QueryRunner, read: Read): Promise<string[] | null> {
  const table = await runner.getTable('migrations');
  if (table === undefined) return [];
  if (!['id', 'timestamp', 'name'].every((name) => table.findColumnByName(name))) return null;
  const ran = (await read<{ name: string }>('SELECT name FROM migrations ORDER BY id')).map(({ name }) => name);
  if (ran.length > 0) return ran;
  const isPostgres = runner.connection.options.type === 'postgres';
  return !isPostgres && (await isAlone(read)) ? [] : null;
}

async function isAlone(read: Read): Promise<boolean> {
  const others = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('migrations', 'sqlite_sequence')`;
  return (await read(others)).length === 0;
}

/** If no migration ran, tables and views with our names can only belong to another program. */
async function takenNames(runner: QueryRunner, read: Read, tables: readonly string[]): Promise<string | null> {
  const isPostgres = runner.connection.options.type === 'postgres';
  const found = await read<{ name: string }>(
    isPostgres
      ? `SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace(quote_ident(current_schema()))`
      : `SELECT name FROM sqlite_master`,
  );
  const names = found.map(({ name }) => name).filter((name) => name !== 'migrations' && tables.includes(name));
  if (names.length === 0) return null;
  return `DATABASE_URL: ${names.sort().join(', ')} in it belong to another program: give this service a database or a schema of its own.`;
}

const anotherProgram =
  'DATABASE_URL: its table `migrations` belongs to another program: give this service a database or a schema of its own.';

/** The database is the wrong one, or has lost its content. */
function emptied(journalPath: string): string {
  return `DATABASE_URL: the database is empty, but the erasure journal ${journalPath} exists. Correct the address or restore a backup; to begin with an empty database, move the journal away or set ERASURE_JOURNAL_PATH to a new file.`;
}

/** Why the migrations that ran are neither those of this program nor of an older one; null if they are. */
function unfitMigrations(ran: readonly string[], known: readonly string[]): string | null {
  const unknown = ran.filter((name) => !known.includes(name));
  if (unknown.length === 0) return null;
  return unknown.length < ran.length ? `The schema is newer than this program: ${unknown.join(', ')}.` : anotherProgram;
}

async function marksIn(runner: QueryRunner, read: Read): Promise<Pick<Described, 'identity' | 'journal' | 'closed'>> {
  const [identity = null] = (await runner.hasTable('database_identity'))
    ? await read<DatabaseIdentity & { journal: string | null }>(
        'SELECT region, environment, journal FROM database_identity WHERE id = 1',
      )
    : [];
  const [mark = null] = (await runner.hasTable('database_copies'))
    ? await read<DatabaseCopyEntity>(selectCopyMark)
    : [];
  return { identity, journal: identity?.journal ?? null, closed: closedBecause(mark) };
}
