import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import { READER_CACHE_KB } from './tuning.js';

/** Data for opening a SQLite file, also in a thread; made by sqlite-driver.ts. */
export interface SqliteOpening {
  /** Package of the driver. */
  readonly driver: string;
  readonly path: string;
  /** Statements to run first, such as the key of an encrypted file. */
  readonly pragmas: readonly string[];
}

const load = createRequire(import.meta.url);

/** Throws the driver's error. A wrong key fails at the first statement. */
export function openBy(opening: SqliteOpening, options: BetterSqlite3.Options): BetterSqlite3.Database {
  const { driver, path, pragmas } = opening;
  const Database = load(driver) as typeof BetterSqlite3;
  const db = new Database(path, options);
  for (const pragma of pragmas) db.pragma(pragma);
  return db;
}

/**
 * For a read-only connection: the cache is small, because every commit of another connection invalidates it, and the
 * operating system caches pages too. Reads the file, so it throws the driver's error if the file is locked or has
 * another key.
 */
export function keepFewPages(db: BetterSqlite3.Database): void {
  db.pragma(`cache_size = -${READER_CACHE_KB}`);
}
