import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';

/** Another process serves the same file. */
export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse';
}

/**
 * Holds a SQLite file for one serving process: an exclusive transaction on a file beside it, which the operating
 * system lets go of when the process ends, however it ends. Answers how to let go; throws {@link DatabaseInUse}.
 */
export function holdSqlite(path: string): () => void {
  mkdirSync(dirname(path), { recursive: true });
  const lock = new BetterSqlite3(`${path}.owner`, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    throw new DatabaseInUse('Another process serves this database file.');
  }
  return () => lock.close();
}
