import { type DataSource, MigrationExecutor } from 'typeorm';
import type { DatabaseConfig } from '../../platform/config/database-config.js';
import { transactionWithoutLimits } from '../database/postgres.js';
import { sqliteHandle } from '../database/sqlite.js';
import { compareSchema } from './compare-schema.js';
import type { DatabaseIdentity } from './database-identity.js';
import { describe, differing, ourTables, shapesOf, startFault } from './described.js';
import { copyBeforeMigration, removeUnfinishedCopies } from './migration-copies.js';
import type { Read } from './postgres-facts.js';
import { MIGRATION_LOCK, numbersKept, sequencesBehind, setForward } from './sequences.js';

/*
 * Before anything is served: refuse a schema newer than the code -> copy the SQLite file -> run pending migrations in
 * one transaction -> compare the schema with the entities -> set sequences forward. A crash leaves the old schema
 * (because of the transaction) and the copy, and the next start tries again. On PostgreSQL the operator makes the copy,
 * and processes that start simultaneously take turns by a lock that ends with the transaction.
 */

/** The database may not be used. `copy` is the file made before the migration, if any. */
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
  /** Indexes, columns and constraints that operators added to our tables. */
  readonly foreign: readonly string[];
  /** Names of the time limits that sessions lack. */
  readonly missingLimits: readonly string[];
  /** Names of the sequences that stood behind their tables and were set forward. */
  readonly setForward: readonly string[];
}

export interface MigrationOptions {
  /**
   * Identity of the service that starts on the database; without it, the database's own identity and copy marks are
   * ignored.
   */
  readonly stamp?: DatabaseIdentity;
  /** Path of the erasure journal; if the journal exists, an empty database is refused. */
  readonly journalPath?: string | undefined;
  /** Called if another process is migrating. */
  readonly waiting?: () => void;
  /** Replaces the comparison with the entities. */
  readonly compare?: typeof compareSchema;
}

/**
 * Migrates the schema to this version. Throws {@link MigrationError} and leaves the old schema if that fails, or if no
 * service may start on the database.
 */
export async function migrate(
  source: DataSource,
  config: DatabaseConfig,
  now: number,
  { stamp, journalPath, waiting = () => undefined, compare = compareSchema }: MigrationOptions = {},
): Promise<MigrationReport> {
  const known = source.migrations.map((migration) => migration.name ?? '');
  const described = await describe(source, { known, journalPath });
  const fault = stamp ? startFault(described, stamp) : described.fault;
  if (fault !== null) throw new MigrationError(fault, null);

  const { pending, missingLimits } = described;
  const file = config.kind === 'sqlite' ? config : null;
  if (file) await removeUnfinishedCopies(file.path);
  const isWorthCopying = pending.length > 0 && pending.length < known.length;
  const copy = file && isWorthCopying ? await copyBeforeMigration(file, sqliteHandle(source), now) : null;
  let ran: readonly string[] = [];
  try {
    if (pending.length > 0) ran = await runPending(source, waiting);
  } catch (cause) {
    throw new MigrationError(`A migration failed: ${pending.join(', ')}.`, copy, { cause });
  }
  const { differences, foreign } = await compare(source);
  const changed = differing(differences);
  if (changed !== null) throw new MigrationError(changed, copy);
  const setForward = described.sequences.length === 0 ? [] : await setSequencesForward(source);
  return { ran, copy, foreign, missingLimits, setForward };
}

/** Returns the names of the sequences. Throws {@link MigrationError} if the role may not set them. */
async function setSequencesForward(source: DataSource): Promise<string[]> {
  try {
    return await transactionWithoutLimits(source, async (runner) => {
      const read: Read = (sql, values = []) => runner.query(sql, [...values]);
      await read('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
      const behind = await sequencesBehind(read, ourTables(source), numbersKept(shapesOf(source)));
      await setForward(read, behind);
      return behind.map(({ sequence }) => sequence);
    });
  } catch (cause) {
    const remedy = 'GRANT UPDATE ON ALL SEQUENCES of its schema TO the role, and start again.';
    const why = 'sequences stand behind their tables and would give numbers again; they could not be set forward';
    throw new MigrationError(`DATABASE_URL: ${why}: ${remedy}`, null, { cause });
  }
}

/** Names of the migrations that this process ran. */
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
