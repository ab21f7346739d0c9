import type BetterSqlite3 from 'better-sqlite3';
import { type SqliteFile, withSqlite } from '../database/sqlite-driver.js';
import { type DatabaseIdentity, identityIn } from '../schema/database-identity.js';

/** The contents of a database file that a backup must match. */
export interface Contents {
  /** Null before the first start. */
  readonly stamp: DatabaseIdentity | null;
  /** Name of the database in the erasure journal; null if it has none. */
  readonly journal: string | null;
  /** Names in the order in which they ran. */
  readonly migrations: readonly string[];
  /** Number of rows by table. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Either the faults of a file or its contents. */
export type Inspection =
  | { readonly faults: readonly string[] }
  | { readonly faults: null; readonly contents: Contents };

/** Reads a complete database file without changing it or leaving anything beside it. */
export function inspectFile(file: SqliteFile): Inspection {
  try {
    return withSqlite(file, { readonly: true, fileMustExist: true }, (db) => {
      const faults = [...integrityFaults(db), ...referenceFaults(db)];
      return faults.length > 0 ? { faults } : { faults: null, contents: contentsOf(db) };
    });
  } catch {
    return { faults: ['The file is damaged, truncated, or not a database of this program.'] };
  }
}

function integrityFaults(db: BetterSqlite3.Database): string[] {
  const result = db.pragma('integrity_check', { simple: true });
  return result === 'ok' ? [] : ['The file is damaged: integrity_check found faults.'];
}

function referenceFaults(db: BetterSqlite3.Database): string[] {
  const faults = db.pragma('foreign_key_check') as unknown[];
  return faults.length === 0 ? [] : [`${faults.length} rows refer to missing rows.`];
}

function contentsOf(db: BetterSqlite3.Database): Contents {
  const migrations = db.prepare('SELECT name FROM migrations ORDER BY id').pluck().all() as string[];
  const tables = db
    .prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .pluck()
    .all() as string[];
  const rowsOf = (table: string): number => db.prepare(`SELECT COUNT(*) FROM "${table}"`).pluck().get() as number;
  const journal = db.prepare('SELECT journal FROM database_identity WHERE id = 1').pluck().get() as string | undefined;
  return {
    stamp: identityIn(db),
    journal: journal ?? null,
    migrations,
    counts: Object.fromEntries(tables.map((table) => [table, rowsOf(table)])),
  };
}
