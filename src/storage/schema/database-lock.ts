import { existsSync, rmSync } from 'node:fs';
import { makePrivateFile } from '../../platform/platform/private-file.js';
import { isLocked } from '../database/dialect.js';
import { SqliteDatabase } from '../database/sqlite-driver.js';

export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse';
}

/**
 * Locks a SQLite file for one serving process, by an exclusive transaction on a file beside it, which the operating
 * system releases when the process ends for any reason. Returns a function that releases the lock. If nothing was
 * served and the database does not exist, that function also removes the lock file, which would otherwise suggest a
 * lost database. Throws {@link DatabaseInUse}.
 */
export function acquireDatabaseLock(path: string): (served?: boolean) => void {
  const owner = `${path}.owner`;
  const isNew = !existsSync(owner);
  makePrivateFile(owner);
  const lock = new SqliteDatabase(owner, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!isLocked(error)) throw error;
    throw new DatabaseInUse('Another process is using this database file.');
  }
  return (served = false) => {
    lock.close();
    if (!served && isNew && !existsSync(path)) rmSync(owner, { force: true });
  };
}
