import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import {
  fileStamp,
  giveToService,
  makePrivateFile,
  syncFile,
  syncFolderOf,
} from '../../platform/platform/private-file.js';
import { copySqlite, intoOneFile, type SqliteFile, withSqlite } from '../database/sqlite-driver.js';

/*
 * Copies of a SQLite file, made before its schema changes, beside it:
 *
 *   <file>.before-migration-<time>.part is copied, checked and synced -> .part is dropped -> the oldest go
 *
 * A crash leaves a .part, which the next start removes, never an incomplete copy with the name of a complete one.
 */

/** Limits the number of copies if a migration is killed repeatedly. */
const MAX_COPIES = 3;

const unfinished = '.part';

/** Returns the path of the copy, which has the key of the database. If it rejects, it leaves nothing behind. */
export async function copyBeforeMigration(
  { path, key }: SqliteFile,
  db: BetterSqlite3.Database,
  now: number,
): Promise<string> {
  const copy = `${path}.before-migration-${fileStamp(now)}`;
  const part = copy + unfinished;
  try {
    makePrivateFile(part);
    giveToService(part, path);
    await copySqlite(db, { path: part, key });
    assertWhole({ path: part, key });
    await syncFile(part);
    await rename(part, copy);
  } catch (error) {
    await removeUnfinishedCopies(path);
    throw error;
  }
  // This copy may not sort last, because a clock that was ahead may have named the others.
  const others = (await copiesOf(path)).filter((other) => other !== copy);
  for (const old of others.slice(0, 1 - MAX_COPIES)) await rm(old);
  await syncFolderOf(copy);
  return copy;
}

/** Removes leftovers of killed processes, including SQLite's files beside them. */
export async function removeUnfinishedCopies(path: string): Promise<void> {
  for (const left of await namesOf(path)) if (left.includes(unfinished)) await rm(left, { force: true });
}

/** Complete copies, oldest first. */
async function copiesOf(path: string): Promise<string[]> {
  return (await namesOf(path)).filter((name) => /-\d{8}T\d{9}Z$/.test(name)).sort();
}

async function namesOf(path: string): Promise<string[]> {
  const names = await readdir(dirname(path));
  const ours = `${basename(path)}.before-migration-`;
  return names.filter((name) => name.startsWith(ours)).map((name) => join(dirname(path), name));
}

/** Converts the copy to one file that can be read from anywhere, and reads all of it. */
function assertWhole(part: SqliteFile): void {
  intoOneFile(part);
  const found = withSqlite(part, {}, (db) => db.pragma('quick_check', { simple: true }));
  if (found !== 'ok') throw new Error('the copy of the database is damaged');
}
