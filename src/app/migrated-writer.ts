import type { DataSource } from 'typeorm';
import type { DatabaseConfig } from '../platform/config/config.js';
import type { Log } from '../platform/platform/log.js';
import { openWriter } from '../storage/database/store.js';
import { type MigrationOptions, type MigrationReport, migrate } from '../storage/schema/migrate.js';
import { openingOnceUp } from '../storage/schema/opening.js';
import { entities } from './rooms.js';

/**
 * Opens the write side of a database and brings its schema up to this program. Logs what ran, and what the database has
 * or lacks that does not prevent a start. Rejects without leaving it open; see `migrate` and `openingOnceUp`.
 */
export async function migratedWriter(
  database: DatabaseConfig,
  log: Log,
  now: number,
  options: Omit<MigrationOptions, 'waiting'> = {},
): Promise<MigrationReport & { readonly writer: DataSource }> {
  const isStarting = (): void => log.event('database.starting_up', {}, 'warn');
  const writer = await openingOnceUp(database, () => openWriter(database, entities), isStarting);
  try {
    const waiting = (): void => log.event('migration.waiting');
    const report = await migrate(writer, database, now, { ...options, waiting });
    const { ran, copy, foreign, missingLimits } = report;
    for (const migration of ran) log.event('migration.ran', { migration, ...(copy ? { file: copy } : {}) });
    if (foreign.length > 0) log.event('database.foreign_parts', { parts: foreign }, 'warn');
    // Without them a statement that hangs holds its locks until the server ends it.
    if (missingLimits.length > 0) log.event('database.limits_missing', { variable_names: missingLimits }, 'warn');
    return { ...report, writer };
  } catch (error) {
    await writer.destroy();
    throw error;
  }
}
