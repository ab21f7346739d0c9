import { type DataSource, MigrationExecutor } from 'typeorm';
import type { DatabaseConfig } from '../../platform/config/config.js';
import { driverCode } from '../database/dialect.js';
import { transactionWithoutLimits } from '../database/postgres.js';
import { sqliteHandle } from '../database/sqlite.js';
import { compareSchema } from './compare-schema.js';
import { copyBeforeMigration, removeUnfinishedCopies } from './migration-copies.js';

/*
 * Before anything is served: refuse a schema newer than the code -> copy the SQLite file -> run what is pending in
 * one transaction -> compare the schema with the entities. A crash in the middle leaves the old schema (the
 * transaction) and the copy; the next start does it again. On PostgreSQL the operator makes the copy, and processes
 * that start at once take turns: the lock ends with the transaction.
 */

/** Why the database may not be used. `copy` is the file made before the migration, where there is one. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
  constructor(
    message: string,
    readonly copy: string | null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface MigrationReport {
  readonly ran: readonly string[];
  readonly copy: string | null;
  /** Indexes, columns and constraints that somebody added to our tables. */
  readonly foreign: readonly string[];
}

/**
 * Brings the schema up to the code; throws {@link MigrationError} and leaves the old schema if it cannot. Calls
 * `waiting` if another process is migrating.
 */
export async function migrate(
  source: DataSource,
  config: DatabaseConfig,
  now: number,
  waiting: () => void = () => undefined,
): Promise<MigrationReport> {
  const done = await executedMigrations(source);
  const known = source.migrations.map((migration) => migration.name ?? '');
  const fault = unfitMigrations(done, known);
  if (fault !== null) throw new MigrationError(fault, null);

  const pending = known.filter((name) => !done.includes(name));
  const file = config.kind === 'sqlite' ? config : null;
  if (file) await removeUnfinishedCopies(file.path);
  const isWorthCopying = pending.length > 0 && done.length > 0;
  const copy = file && isWorthCopying ? await copyBeforeMigration(file, sqliteHandle(source), now) : null;
  let ran: readonly string[] = [];
  try {
    if (pending.length > 0) ran = await runPending(source, waiting);
  } catch (cause) {
    if (lackingRights.has(driverCode(cause) ?? '')) throw new MigrationError(mayNotCreate, copy);
    throw new MigrationError(`A migration failed: ${pending.join(', ')}.`, copy, { cause });
  }
  const { differences, foreign } = await compareSchema(source);
  if (differences.length > 0) throw new MigrationError(`${differing(differences)}.`, copy);
  return { ran, copy, foreign };
}

/** Why the migrations that ran in a database are not those of this program, or of an older one; null if they are. */
export function unfitMigrations(ran: readonly string[], known: readonly string[]): string | null {
  const unknown = ran.filter((name) => !known.includes(name));
  if (unknown.length === 0) return null;
  if (unknown.length < ran.length) return `The schema is newer than this program: ${unknown.join(', ')}.`;
  return 'DATABASE_URL: its table `migrations` belongs to another program: give this service a database or a schema of its own.';
}

/** No right to create in the schema, and no schema to create in. */
const lackingRights = new Set(['42501', '3F000']);
const mayNotCreate =
  'DATABASE_URL: its role may not create tables: GRANT CREATE ON SCHEMA public TO the role, or set its search_path to a schema of its own.';

/** A sentence without its full stop. */
export function differing(differences: readonly string[]): string {
  return `The schema is not the one of this program: missing or changed: ${differences.join(', ')}`;
}

/** Names of the migrations that ran here, not in another process. */
async function runPending(source: DataSource, waiting: () => void): Promise<string[]> {
  if (source.options.type !== 'postgres') return namesOf(await source.runMigrations());
  return transactionWithoutLimits(source, async (runner) => {
    const sql = 'SELECT pg_try_advisory_xact_lock($1) AS locked';
    const [answer] = (await runner.query(sql, [MIGRATION_LOCK])) as { locked: boolean }[];
    if (answer?.locked !== true) {
      waiting();
      await runner.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    }
    const executor = new MigrationExecutor(source, runner);
    executor.transaction = 'all';
    return namesOf(await executor.executePendingMigrations());
  });
}

function namesOf(migrations: readonly { readonly name: string }[]): string[] {
  return migrations.map(({ name }) => name);
}

/** Any number that is ours alone. */
const MIGRATION_LOCK = 748_300_121;

async function executedMigrations(source: DataSource): Promise<string[]> {
  const runner = source.createQueryRunner();
  try {
    if (!(await runner.hasTable('migrations'))) return [];
    const rows = (await runner.query('SELECT name FROM migrations ORDER BY id')) as { name: string }[];
    return rows.map((row) => row.name);
  } finally {
    if (source.options.type === 'postgres') await runner.release();
  }
}
