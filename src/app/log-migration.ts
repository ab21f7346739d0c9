import type { Log } from '../platform/platform/log.js';
import type { MigrationReport } from '../storage/schema/migrate.js';

/** Logs what ran, and what the database has or lacks that does not prevent a start. */
export function logMigration(log: Log, { ran, copy, foreign, missingLimits }: MigrationReport): void {
  for (const migration of ran) log.event('migration.ran', { migration, ...(copy ? { file: copy } : {}) });
  if (foreign.length > 0) log.event('database.foreign_parts', { parts: foreign }, 'warn');
  // Without them a statement that hangs holds its locks until the server ends it.
  if (missingLimits.length > 0) log.event('database.limits_missing', { variable_names: missingLimits }, 'warn');
}
