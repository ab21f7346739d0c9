import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import type { Secret } from '../../platform/config/secret.js';
import { giveToService, makePrivateFile, syncFile, syncFolderOf } from '../../platform/platform/private-file.js';
import { openWithOld, type SqliteFile } from '../database/sqlite-driver.js';
import { type KeyFit, keyFit } from '../schema/database-key.js';
import { acquireDatabaseLock } from '../schema/database-lock.js';
import { type Contents, inspectFile } from './contents.js';
import { BackupError } from './manifest.js';
import { foldIntoOneFile, removeLeft } from './restore-backup.js';

/*
 * Remove leftovers of a crash -> move the write-ahead log into the file -> write FILE.changing-key under the new key,
 * read it back, compare the number of rows in each table with the file, and sync it -> rename it to the file, in one
 * step. A crash before the rename leaves the file under the old key, after it under the new one. It is complete in both
 * cases, and repeating the change is safe.
 */

export interface KeyChange {
  /** The file with its new key; without one, it will not be encrypted. */
  readonly target: SqliteFile;
  /** The current key; undefined if the file is not encrypted. */
  readonly oldKey: Secret | undefined;
}

const faults: Readonly<Record<Exclude<KeyFit, 'fits'>, string>> = {
  missing: 'The file is encrypted with another key than DATABASE_KEY: pass the file with its key as --old-key-file.',
  needless: 'The file is not encrypted: omit --old-key-file.',
  wrong: 'The key in --old-key-file does not open the file, or the file is damaged.',
};

/**
 * Rewrites a database file with another key, its first one, or none. Returns false if the file already has that key.
 * Throws {@link BackupError}, EncryptionUnavailable, and DatabaseInUse while a process serves it.
 */
export async function changeDatabaseKey({ target, oldKey }: KeyChange): Promise<boolean> {
  const { path } = target;
  if (!existsSync(path))
    throw new BackupError(['There is no database file; the first start creates one with this key.']);
  const release = acquireDatabaseLock(path);
  const next: SqliteFile = { path: `${path}.changing-key`, key: target.key };
  try {
    await removeLeft(next.path);
    if (keyFit(target) === 'fits') return false;
    const present: SqliteFile = { path, key: oldKey };
    const fit = keyFit(present);
    if (fit !== 'fits') throw new BackupError([faults[fit]]);
    if (!foldIntoOneFile(present)) throw new BackupError(['The file is damaged.']);
    makePrivateFile(next.path);
    giveToService(next.path, path);
    copyRows(present, next);
    if (contentsOf(next) !== contentsOf(present))
      throw new BackupError(['The new file does not contain the same rows.']);
    await syncFile(next.path);
    await rename(next.path, path);
    await syncFolderOf(path);
    return true;
  } finally {
    await removeLeft(next.path);
    release();
  }
}

interface SchemaPart {
  readonly type: 'table' | 'index' | 'trigger' | 'view';
  readonly name: string;
  readonly sql: string;
}

/**
 * Copies like VACUUM, which cannot change a key: creates tables and indexes first, so that they are filled in key
 * order.
 */
function copyRows(from: SqliteFile, to: SqliteFile): void {
  const db = openWithOld(to, from);
  try {
    // The file is discarded if this does not complete.
    db.pragma('journal_mode = OFF');
    db.pragma('synchronous = OFF');
    db.pragma('foreign_keys = OFF');
    const parts = db
      .prepare('SELECT type, name, sql FROM old.sqlite_schema WHERE sql IS NOT NULL')
      .all() as SchemaPart[];
    const own = parts.filter(({ name }) => !name.startsWith('sqlite_'));
    const make = (...types: SchemaPart['type'][]): void => {
      for (const type of types) for (const part of own.filter((each) => each.type === type)) db.exec(part.sql);
    };
    db.exec('BEGIN');
    make('table', 'index');
    for (const { name } of parts.filter(({ type }) => type === 'table')) {
      if (!name.startsWith('sqlite_')) db.exec(`INSERT INTO main."${name}" SELECT * FROM old."${name}"`);
    }
    if (parts.some(({ name }) => name === 'sqlite_sequence')) {
      db.exec('DELETE FROM main.sqlite_sequence; INSERT INTO main.sqlite_sequence SELECT * FROM old.sqlite_sequence');
    }
    make('view', 'trigger');
    db.exec('COMMIT');
  } finally {
    db.close();
  }
}

/** The contents as text, for comparison. Throws if the file is incomplete. */
function contentsOf(file: SqliteFile): string {
  const inspection = inspectFile(file);
  if (inspection.faults) throw new BackupError(inspection.faults);
  return JSON.stringify(inspection.contents satisfies Contents);
}
