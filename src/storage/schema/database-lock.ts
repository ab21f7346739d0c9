import { existsSync, rmSync } from 'node:fs';
import { makePrivateFile } from '../../platform/platform/private-file.js';
import { isLocked } from '../database/dialect.js';
import { SqliteDatabase } from '../database/sqlite-driver.js';

export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse';
}

/**
 * Holds a SQLite file for one serving process: an exclusive transaction on a file beside it, which the operating
 * system releases when the process ends for any reason. Returns a function that releases it and, if nothing was served,
 * removes the file that was made for a database that does not exist: it would look like one that is lost. Throws {@link
 * DatabaseInUse}.
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
