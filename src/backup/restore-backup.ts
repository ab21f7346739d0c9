import { existsSync } from 'node:fs';
import { chmod, copyFile, link, rename, rm } from 'node:fs/promises';
import { SqliteDatabase } from '../database/sqlite-driver.js';
import type { DatabaseIdentity } from '../schema/database-identity.js';
import { acquireDatabaseLock } from '../schema/database-lock.js';
import { BackupError } from './backup-error.js';
import { type ErasureToRepeat, erasuresToRepeat } from './erasures.js';
import { fileStamp, ownerOnly, sha256OfFile, syncFile, syncFolderOf } from './files.js';
import { type VerifiedBackup, verifyBackup } from './verify-backup.js';

/*
 * The backup is verified and copied beside the database -> the database is folded into one file and gets a second name
 * -> the copy takes its first name, in one step. A crash before that step leaves the database as it was, after it the
 * restored one; both are whole, and restoring again is safe.
 */

export interface RestoreOptions {
  readonly backup: string;
  /** The database file of this environment, there or not. */
  readonly target: string;
  readonly stamp: DatabaseIdentity;
  /** Epoch milliseconds. */
  readonly now: number;
}

export interface Restored extends VerifiedBackup {
  /** The database as it was; null where there was none. */
  readonly kept: string | null;
  /** Null where the old database could not be read, so that nobody knows. */
  readonly erasures: readonly ErasureToRepeat[] | null;
}

/** Puts a backup in the place of the database. Throws {@link BackupError}, and DatabaseInUse while a process serves it. */
export async function restoreBackup({ backup, target, stamp, now }: RestoreOptions): Promise<Restored> {
  const release = acquireDatabaseLock(target);
  const incoming = `${target}.restoring`;
  try {
    const verified = await verifyBackup(backup, stamp);
    await rm(incoming, { force: true });
    await copyVerified(backup, incoming, verified);
    const kept = existsSync(target) ? `${target}.before-restore-${fileStamp(now)}` : null;
    const isReadable = kept !== null && foldIntoOneFile(target);
    const erasures = kept === null ? [] : isReadable ? erasuresToRepeat(target, incoming) : null;
    if (kept !== null) await keep(target, kept);
    await rename(incoming, target);
    await syncFolderOf(target);
    return { ...verified, kept, erasures };
  } finally {
    await rm(incoming, { force: true });
    release();
  }
}

/** What was verified is what is put in place, whatever happens to the backup meanwhile. */
async function copyVerified(backup: string, incoming: string, { manifest }: VerifiedBackup): Promise<void> {
  await copyFile(backup, incoming);
  await chmod(incoming, ownerOnly);
  await syncFile(incoming);
  if ((await sha256OfFile(incoming)) !== manifest.sha256) throw new BackupError(['The backup could not be copied.']);
}

/** Brings what is still in the WAL into the file, and takes the WAL away. False: the file is damaged. */
function foldIntoOneFile(path: string): boolean {
  try {
    const db = new SqliteDatabase(path, { timeout: 0 });
    try {
      db.pragma('journal_mode = DELETE');
    } finally {
      db.close();
    }
    return true;
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) {
      throw new BackupError(['Another process reads the database; restore when it is done.']);
    }
    return false;
  }
}

/** The old file gets a second name; what a damaged one has beside it goes along, never to be taken for the new one's. */
async function keep(target: string, kept: string): Promise<void> {
  await link(target, kept);
  for (const suffix of ['-wal', '-shm', '-journal']) {
    if (existsSync(target + suffix)) await rename(target + suffix, kept + suffix);
  }
}
