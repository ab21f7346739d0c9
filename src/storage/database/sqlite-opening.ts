import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';

/** What opens a SQLite file, also in a thread that is handed it; src/storage/database/sqlite-driver.ts makes it. */
export interface SqliteOpening {
  /** The package of the driver. */
  readonly driver: string;
  readonly path: string;
  /** Said before all else, such as the key of an encrypted file. */
  readonly pragmas: readonly string[];
}

const READER_CACHE_KB = 4_000;

const load = createRequire(import.meta.url);

/** Throws the driver's error; a wrong key shows at the first statement. */
export function openBy(opening: SqliteOpening, options: BetterSqlite3.Options): BetterSqlite3.Database {
  const { driver, path, pragmas } = opening;
  const Database = load(driver) as typeof BetterSqlite3;
  const db = new Database(path, options);
  for (const pragma of pragmas) db.pragma(pragma);
  return db;
}

/**
 * Of a connection that only reads: each commit of another makes what it holds outdated, and the system keeps pages as
 * well. Reads the file, so it throws the driver's error where that is locked or has another key.
 */
export function keepFewPages(db: BetterSqlite3.Database): void {
  db.pragma(`cache_size = -${READER_CACHE_KB}`);
}
