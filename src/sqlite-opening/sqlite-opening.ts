import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';

/** What opens a SQLite file, also in a thread that is handed it; src/database/sqlite-driver.ts makes it. */
export interface SqliteOpening {
  /** The package of the driver. */
  readonly driver: string;
  readonly path: string;
  /** Said before all else, such as the key of an encrypted file. */
  readonly pragmas: readonly string[];
}

const load = createRequire(import.meta.url);

/** Throws the driver's error; a wrong key shows at the first statement. */
export function openBy(opening: SqliteOpening, options: BetterSqlite3.Options): BetterSqlite3.Database {
  const { driver, path, pragmas } = opening;
  const Database = load(driver) as typeof BetterSqlite3;
  const db = new Database(path, options);
  for (const pragma of pragmas) db.pragma(pragma);
  return db;
}
