import type { DataSource } from 'typeorm';
import type { DatabaseConfig } from '../platform/config/database-config.js';
import type { Log } from '../platform/platform/log.js';
import { keepViews, ViewsRefused } from '../storage/analytics/postgres-views.js';
import { openWriter } from '../storage/database/store.js';
import { type MigrationOptions, type MigrationReport, migrate } from '../storage/schema/migrate.js';
import { openingOnceUp } from '../storage/schema/opening.js';
import { entities, postgresViews } from './rooms.js';

/**
 * Opens the write side of a database and migrates its schema to this version. Logs the migrations, and whatever the
 * database lacks or has in addition that does not prevent a start. If it rejects, the database is closed; see `migrate`
 * and `openingOnceUp`.
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
    const { ran, copy, foreign, missingLimits, setForward } = report;
    for (const migration of ran) log.event('migration.ran', { migration, ...(copy ? { file: copy } : {}) });
    if (foreign.length > 0) log.event('database.foreign_parts', { parts: foreign }, 'warn');
    if (setForward.length > 0) log.event('database.sequences_set_forward', { parts: setForward }, 'warn');
    // Without these limits, a hanging statement holds its locks until the server ends it.
    if (missingLimits.length > 0) log.event('database.limits_missing', { variable_names: missingLimits }, 'warn');
    await keepAnalytics(writer, log);
    return { ...report, writer };
  } catch (error) {
    await writer.destroy();
    throw error;
  }
}

/** Outdated views of analysts are no reason not to serve. */
async function keepAnalytics(writer: DataSource, log: Log): Promise<void> {
  try {
    if (await keepViews(writer, postgresViews)) log.event('database.views_made', { count: postgresViews.length });
  } catch (error) {
    if (!(error instanceof ViewsRefused)) throw error;
    log.event('database.views_outdated', { reason: error.message }, 'warn');
  }
}
