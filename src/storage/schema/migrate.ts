import { type DataSource, MigrationExecutor } from 'typeorm';
import type { DatabaseConfig } from '../../platform/config/config.js';
import { withoutLimits } from '../database/postgres.js';
import { sqliteHandle } from '../database/sqlite.js';
import { copyBeforeMigration, removeUnfinishedCopies } from './migration-copies.js';

/*
 * Before anything is served: refuse a schema newer than the code -> copy the SQLite file -> run what is pending in
 * one transaction -> compare the schema with the entities. A crash in the middle leaves the old schema (the
 * transaction) and the copy; the next start does it again. On PostgreSQL the operator makes the copy.
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
}

/** Brings the schema up to the code; throws {@link MigrationError} and leaves the old schema if it cannot. */
export async function migrate(source: DataSource, config: DatabaseConfig, now: number): Promise<MigrationReport> {
  const done = await executedMigrations(source);
  const known = source.migrations.map((migration) => migration.name ?? '');
  const newer = done.filter((name) => !known.includes(name));
  if (newer.length > 0) throw new MigrationError(`The schema is newer than this program: ${newer.join(', ')}.`, null);

  const pending = known.filter((name) => !done.includes(name));
  const file = config.kind === 'sqlite' ? config : null;
  if (file) await removeUnfinishedCopies(file.path);
  const isWorthCopying = pending.length > 0 && done.length > 0;
  const copy = file && isWorthCopying ? await copyBeforeMigration(file, sqliteHandle(source), now) : null;
  try {
    if (pending.length > 0) await runPending(source);
  } catch (cause) {
    throw new MigrationError(`A migration failed: ${pending.join(', ')}.`, copy, { cause });
  }
  const drift = await schemaDrift(source);
  if (drift.length > 0) {
    throw new MigrationError(`The schema differs from the entities in ${drift.length} statements.`, copy);
  }
  return { ran: pending, copy };
}

/** The changes TypeORM would make to match the entities: none, after the migrations. */
export async function schemaDrift(source: DataSource): Promise<string[]> {
  const sql = await source.driver.createSchemaBuilder().log();
  return sql.upQueries.map((query) => query.query);
}

/** Two processes may start simultaneously on PostgreSQL; one migrates, the other waits and finds nothing to do. */
async function runPending(source: DataSource): Promise<void> {
  if (source.options.type !== 'postgres') {
    await source.runMigrations();
    return;
  }
  await withoutLimits(source, async (runner) => {
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    try {
      const executor = new MigrationExecutor(source, runner);
      executor.transaction = 'all';
      await executor.executePendingMigrations();
    } finally {
      await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    }
  });
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
