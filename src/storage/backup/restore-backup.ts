import { existsSync } from 'node:fs';
import { chmod, copyFile, link, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { fileStamp, giveToService, syncFile, syncFolderOf } from '../../platform/platform/private-file.js';
import { intoOneFile, type SqliteFile, withSqlite } from '../database/sqlite-driver.js';
import { endFeed } from '../schema/database-copy.js';
import type { DatabaseIdentity } from '../schema/database-identity.js';
import { keyFault, keyFit } from '../schema/database-key.js';
import { acquireDatabaseLock } from '../schema/database-lock.js';
import { inspectFile } from './contents.js';
import {
  agrees,
  BackupError,
  type Manifest,
  ownerOnly,
  pendingMigrations,
  readManifest,
  sha256OfFile,
  unknownMigrations,
} from './manifest.js';

/*
 * The backup is verified and copied beside the database -> the database is folded into one file and gets a second name
 * -> the copy takes its first name, in one step. A crash before that step leaves the database unchanged, after it the
 * restored one; both are complete, and restoring again is safe. On a file system without hard links the database is
 * renamed instead: a crash right after that leaves it under its second name, and restoring again is safe too.
 */

export interface RestoreOptions {
  readonly backup: string;
  /** The database file of this environment, which may not exist; the backup has the same key. */
  readonly target: SqliteFile;
  readonly stamp: DatabaseIdentity;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly journal: JournalOfRestore;
}

/** The erasure journal, from which the next start repeats erasures that a backup does not contain. */
export interface JournalOfRestore {
  /** Why the next start cannot use the journal for the database `name`; null if it can. */
  readonly fault: (name: string) => string | null;
  /** New journal name of the restored database, without its former entries; undefined if the journal is used. */
  readonly anew?: { readonly name: string | null };
}

export interface Restored extends VerifiedBackup {
  /** Path of the previous database; null if there was none. */
  readonly kept: string | null;
}

/** Replaces the database with the backup. Throws {@link BackupError}, and DatabaseInUse while a process serves it. */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { backup, stamp, now, journal } = options;
  const { path: target, key } = options.target;
  const release = acquireDatabaseLock(target);
  const incoming = `${target}.restoring`;
  try {
    const verified = await verifyBackup({ path: backup, key }, stamp);
    assertRepeatable(verified.manifest, journal);
    await removeLeft(incoming);
    await copyVerified(backup, incoming, verified);
    giveToService(incoming, target);
    const aside = `${target}.before-restore-${fileStamp(now)}`;
    const kept = existsSync(target) ? aside : null;
    if (journal.anew) await forgetJournal({ path: incoming, key }, journal.anew.name);
    await changeFile({ path: incoming, key }, (db) => {
      for (const sql of leavingHistory) db.prepare(sql).run();
    });
    if (kept !== null && keyFit(options.target) === 'fits') foldIntoOneFile(options.target);
    const putBack = await setAside(target, aside);
    await rename(incoming, target).catch(async (error: unknown) => {
      await putBack();
      throw error;
    });
    await syncFolderOf(target);
    return { ...verified, kept };
  } finally {
    await removeLeft(incoming);
    release();
  }
}

/** Throws {@link BackupError} if people erased after the backup would remain restored. */
export function assertRepeatable({ journal: name }: Manifest, journal: JournalOfRestore): void {
  const fault = name === null || journal.anew ? null : journal.fault(name);
  if (fault !== null) throw new BackupError([fault]);
}

/** Statements that detach a database from its erasure journal. */
export const forgetting: readonly { readonly sql: string; readonly named: boolean }[] = [
  { sql: 'UPDATE database_identity SET journal = $1 WHERE id = 1', named: true },
  { sql: 'UPDATE erasures SET journaled_at = NULL', named: false },
];

/** Restored data has another change feed, and no sessions, because they may have ended since the backup. */
const leavingHistory: readonly string[] = [endFeed, 'DELETE FROM console_sessions'];

/** Detaches a SQLite file that no process serves from its journal. */
export async function forgetJournal(file: SqliteFile, name: string | null): Promise<void> {
  await changeFile(file, (db) => {
    for (const { sql, named } of forgetting) db.prepare(sql.replace('$1', '?')).run(...(named ? [name] : []));
  });
}

/** Changes a file that no process serves in one transaction. */
async function changeFile(file: SqliteFile, change: (db: Database) => void): Promise<void> {
  withSqlite(file, { fileMustExist: true }, (db) => {
    db.pragma('journal_mode = DELETE');
    db.transaction(() => change(db))();
  });
  await syncFile(file.path);
}

/** Copies exactly what was verified, even if the backup changes in between. */
async function copyVerified(backup: string, incoming: string, { manifest }: VerifiedBackup): Promise<void> {
  await copyFile(backup, incoming);
  await chmod(incoming, ownerOnly);
  await syncFile(incoming);
  if ((await sha256OfFile(incoming)) !== manifest.sha256) throw new BackupError(['The backup could not be copied.']);
}

/** Moves the WAL into the file and removes it. Returns false if the file is damaged. */
export function foldIntoOneFile(file: SqliteFile): boolean {
  try {
    intoOneFile(file, { timeout: 0 });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) {
      throw new BackupError(['Another process is reading the database: try again when it has finished.']);
    }
    return false;
  }
}

/** Codes of link(2) on file systems without hard links: FAT, SMB, folders shared with a virtual machine. */
const withoutLinks: ReadonlySet<unknown> = new Set(['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Gives the old file a second name. Files that a damaged or lost database left beside it are renamed too, because
 * SQLite would use them for the new one. Returns a function that gives the old file its first name back.
 */
async function setAside(target: string, aside: string): Promise<() => Promise<void>> {
  let putBack = async (): Promise<void> => undefined;
  if (existsSync(target)) {
    await link(target, aside).catch(async (error: NodeJS.ErrnoException) => {
      if (!withoutLinks.has(error.code)) throw error;
      await rename(target, aside);
      putBack = () => rename(aside, target);
    });
  }
  for (const suffix of ['-wal', '-shm', '-journal']) {
    if (existsSync(target + suffix)) await rename(target + suffix, aside + suffix);
  }
  return putBack;
}

/** Removes a file that a crash may have left, and SQLite's files beside it, which would affect the next file. */
export async function removeLeft(path: string): Promise<void> {
  const names = await readdir(dirname(path));
  for (const name of names) if (name.startsWith(basename(path))) await rm(join(dirname(path), name), { force: true });
}

export interface VerifiedBackup {
  readonly manifest: Manifest;
  /** Migrations that the next start would run on the backup. */
  readonly pending: readonly string[];
}

/**
 * Checks that a backup is unchanged and complete, belongs to this region and environment, and was not made by a newer
 * program. Changes nothing. Throws {@link BackupError} with all faults.
 */
export async function verifyBackup(file: SqliteFile, stamp: DatabaseIdentity): Promise<VerifiedBackup> {
  const manifest = await manifestOf(file.path, undefined);
  const fault = keyFault(file);
  if (fault !== null) throw new BackupError([fault]);
  const inspection = inspectFile(file);
  const faults = inspection.faults ?? [
    ...(agrees(manifest, inspection.contents)
      ? []
      : ['The manifest beside the backup (.json) describes another database.']),
    ...strangeness(manifest, stamp),
  ];
  if (faults.length > 0) throw new BackupError(faults);
  return { manifest, pending: pendingMigrations(manifest.migrations) };
}

/** Manifest of a backup whose file is unchanged. Throws {@link BackupError}. */
export async function manifestOf(path: string, database: Manifest['database']): Promise<Manifest> {
  if (!existsSync(path)) throw new BackupError(['There is no such file.']);
  const manifest = await readManifest(path);
  if (!manifest) throw new BackupError(['The manifest beside the backup (.json) is missing or unreadable.']);
  if (manifest.database !== database) {
    throw new BackupError([`This is a backup of ${manifest.database === 'postgres' ? 'PostgreSQL' : 'SQLite'}.`]);
  }
  const { size } = await stat(path);
  if (size !== manifest.bytes) {
    throw new BackupError([`The file has ${size} bytes, but its manifest says ${manifest.bytes}.`]);
  }
  if ((await sha256OfFile(path)) !== manifest.sha256) {
    throw new BackupError(['The file was changed: its SHA-256 differs from the manifest.']);
  }
  return manifest;
}

/** Why a backup does not fit this program and its configuration. */
export function strangeness({ region, environment, migrations }: Manifest, stamp: DatabaseIdentity): string[] {
  const belongs = region === stamp.region && environment === stamp.environment;
  const to = `${stamp.region}/${stamp.environment}`;
  return [
    ...(belongs ? [] : [`It belongs to ${region}/${environment}, but the configuration says ${to}.`]),
    ...(unknownMigrations(migrations).length > 0 ? ['It was written by a newer version.'] : []),
  ];
}
