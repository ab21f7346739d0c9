import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { encryptingDriver, type SqliteFile, withSqlite } from '../database/sqlite-driver.js';

/**
 * Result of checking a key against a file. `fits`: also if there is no file yet, or one that is not a database.
 * `missing`: the file is encrypted and there is no key. `needless`: there is a key, but the file is not encrypted.
 */
export type KeyFit = 'fits' | 'missing' | 'needless' | 'wrong';

const plainHeader = 'SQLite format 3\0';
const MIN_PAGE_BYTES = 512;

/**
 * Checks the key before anything opens the file for writing, because SQLite would move a log left by a crash into a
 * file that it cannot read. Must not be used for a file that this process has open: closing any descriptor releases
 * SQLite's locks on it. Throws EncryptionUnavailable.
 */
export function keyFit(file: SqliteFile): KeyFit {
  if (file.key) encryptingDriver();
  const kind = kindOf(file.path);
  if (kind === 'none') return 'fits';
  if (file.key === undefined) return kind === 'plain' ? 'fits' : 'missing';
  if (kind === 'plain') return 'needless';
  return opens(file) ? 'fits' : 'wrong';
}

/** Why a file cannot be opened with its key, or without one; null if it can. */
export function keyFault(file: SqliteFile): string | null {
  const { path } = file;
  const faults: Readonly<Record<KeyFit, string | null>> = {
    fits: null,
    missing: `DATABASE_KEY is not set, and the file ${path} is encrypted (or damaged at its beginning).`,
    needless: `DATABASE_KEY is set, and the file ${path} is not encrypted; the command change-database-key encrypts it.`,
    wrong: `DATABASE_KEY is not the key of the file ${path} (or that is damaged).`,
  };
  return faults[keyFit(file)];
}

/** An encrypted file consists of full pages of random-looking bytes. */
function kindOf(path: string): 'none' | 'plain' | 'encrypted' {
  if (!existsSync(path)) return 'none';
  const header = Buffer.alloc(plainHeader.length);
  const file = openSync(path, 'r');
  try {
    readSync(file, header);
  } finally {
    closeSync(file);
  }
  if (header.equals(Buffer.from(plainHeader))) return 'plain';
  const { size } = statSync(path);
  return size > 0 && size % MIN_PAGE_BYTES === 0 ? 'encrypted' : 'none';
}

function opens(file: SqliteFile): boolean {
  const readonly = { readonly: true, fileMustExist: true };
  try {
    withSqlite(file, readonly, (db) => db.prepare('SELECT COUNT(*) FROM sqlite_master').get());
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'SQLITE_NOTADB') return false;
    throw error;
  }
}
