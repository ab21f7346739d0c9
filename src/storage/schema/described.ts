import { existsSync } from 'node:fs';
import type { DataSource, QueryRunner } from 'typeorm';
import { migrations } from '../../../migrations/list.js';
import { missingLimits } from '../database/session-settings.js';
import type { SchemaComparison } from './compare-schema.js';
import type { DatabaseCopyEntity } from './database-copy.entity.js';
import { closedBecause, selectCopyMark } from './database-copy.js';
import { type DatabaseIdentity, identityFault } from './database-identity.js';

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

type Read = <T>(sql: string, values?: readonly unknown[]) => Promise<T[]>;

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
    const unfit = isPostgres ? await unfitServer(read, tables) : null;
    if (unfit !== null) return { ...described, fault: unfit };
    const ran = await migrationsThatRan(runner, read);
    if (ran === null) return { ...described, fault: anotherProgram };
    const fault = unfitMigrations(ran, known);
    if (fault !== null) return { ...described, fault };
    const pending = known.filter((name) => !ran.includes(name));
    const taken = ran.length === 0 ? await takenNames(runner, read, tables) : null;
    if (taken !== null) return { ...described, fault: taken };
    if (ran.length === 0 && journalExists) return { ...described, fault: emptied(journalPath) };
    const mayNotCreate = isPostgres && pending.length > 0 ? await lackOfCreating(read) : null;
    return { ...described, ...(await marksIn(runner, read)), pending, fault: mayNotCreate };
  } finally {
    if (isPostgres) await runner.release();
  }
}

const knownMigrations = migrations.map(({ name }) => name);
const neverStarted = { identity: null, journal: null, closed: null };

/**
 * UTF8 can store every text. SQL_ASCII keeps the bytes that it gets, here UTF-8. Every other encoding refuses
 * characters that it lacks.
 */
const encodings = ['UTF8', 'SQL_ASCII'];

async function unfitServer(read: Read, tables: readonly string[]): Promise<string | null> {
  const [{ encoding } = { encoding: '' }] = await read<{ encoding: string }>(
    `SELECT current_setting('server_encoding') AS encoding`,
  );
  if (!encodings.includes(encoding)) {
    return `DATABASE_URL: the database has the encoding ${encoding}, which cannot hold every text: CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0.`;
  }
  const readOnly = await whyReadOnly(read);
  if (readOnly !== null) return readOnly;
  const refused = await read<{ name: string }>(
    `SELECT relname AS name FROM pg_class
      WHERE relnamespace = to_regnamespace(quote_ident(current_schema())) AND relkind = 'r' AND relname = ANY ($1)
        AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
          AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
      ORDER BY relname`,
    [tables],
  );
  if (refused.length === 0) return unusableSequences(read, tables);
  return `DATABASE_URL: its role may not read and write ${refused.map(({ name }) => name).join(', ')}: GRANT SELECT, INSERT, UPDATE, DELETE ON these tables TO the role.`;
}

/** Rows get their numbers from sequences, which have separate rights. */
async function unusableSequences(read: Read, tables: readonly string[]): Promise<string | null> {
  const refused = await read<{ name: string }>(
    `SELECT s.relname AS name FROM pg_class s JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = s.oid
        JOIN pg_class t ON t.oid = d.refobjid
      WHERE d.deptype = 'a' AND t.relname = ANY ($1)
        AND t.relnamespace = to_regnamespace(quote_ident(current_schema()))
        AND CASE s.relkind WHEN 'S' THEN NOT has_sequence_privilege(s.oid, 'USAGE') ELSE false END
      ORDER BY s.relname`,
    [tables],
  );
  if (refused.length === 0) return null;
  return `DATABASE_URL: its role may not use ${refused.map(({ name }) => name).join(', ')}: GRANT USAGE ON these sequences TO the role.`;
}

/** `doctor` makes its own session read-only, so that alone proves nothing. */
async function whyReadOnly(read: Read): Promise<string | null> {
  const [found] = await read<{ is_standby: boolean; is_set: boolean }>(
    `SELECT pg_is_in_recovery() AS is_standby,
       (SELECT setting = 'on' AND source <> 'client' FROM pg_settings WHERE name = 'default_transaction_read_only')
       OR EXISTS (SELECT 1 FROM pg_db_role_setting
         WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
           AND setrole IN (0, (SELECT oid FROM pg_roles WHERE rolname = session_user))
           AND 'default_transaction_read_only=on' = ANY (setconfig)) AS is_set`,
  );
  if (found?.is_standby) {
    return 'DATABASE_URL: the server is a standby, which only reads: name the address that leads to the writable server.';
  }
  if (!found?.is_set) return null;
  return 'DATABASE_URL: its sessions only read: ALTER ROLE or ALTER DATABASE ... SET default_transaction_read_only = off.';
}

export function ourTables({ entityMetadatas }: DataSource): string[] {
  return ['migrations', 'database_identity', 'database_copies', ...entityMetadatas.map(({ tableName }) => tableName)];
}

async function lackOfCreating(read: Read): Promise<string | null> {
  const [found] = await read<{ schema: string | null; may_create: boolean | null }>(
    `SELECT current_schema() AS schema, has_schema_privilege(current_schema(), 'CREATE') AS may_create`,
  );
  if (found?.may_create === true) return null;
  const path = 'set its search_path to a schema of its own.';
  const schema = found?.schema ?? null;
  return schema === null
    ? `DATABASE_URL: its role has no schema, because none of its search_path exists: CREATE SCHEMA, or ${path}`
    : `DATABASE_URL: its role may not create tables: GRANT CREATE ON SCHEMA ${schema} TO the role, or ${path}`;
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
