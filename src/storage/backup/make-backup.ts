import { existsSync } from 'node:fs';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import type BetterSqlite3 from 'better-sqlite3';
import { giveToService, syncFile, syncFolderOf } from '../../platform/platform/private-file.js';
import {
  copySqlite,
  EncryptionUnavailable,
  intoOneFile,
  openSqlite,
  type SqliteFile,
} from '../database/sqlite-driver.js';
import { MAX_BACKUP_PAGES_A_TURN } from '../database/tuning.js';
import { inspectFile } from './contents.js';
import {
  BackupError,
  type Manifest,
  ownerOnly,
  type RestorableContents,
  restorable,
  sha256OfFile,
  writeManifest,
} from './manifest.js';

/*
 * PATH.part is copied, checked and synced -> PATH.json is written -> PATH.part becomes PATH. A crash leaves a .part
 * or a .json without its file, never a PATH that was not checked; the next backup to the same PATH starts over.
 */

export interface BackupOptions {
  /** The database file, whether a process serves it or not; the backup gets the same key. */
  readonly source: SqliteFile;
  readonly target: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly version: string;
  readonly signal: AbortSignal;
  readonly onProgress: (share: number) => void;
}

/**
 * Copies a database as of one instant, checks the copy, and writes its description beside it. Throws {@link
 * BackupError}.
 */
export async function makeBackup(options: BackupOptions): Promise<Manifest> {
  const { source } = options;
  if (!existsSync(source.path)) throw new BackupError(['There is no database to back up.']);
  return writeBackup(options, async (path) => {
    const part = { path, key: source.key };
    await copySnapshot(part, options);
    intoOneFile(part);
    const inspection = inspectFile(part);
    if (inspection.faults) throw new BackupError(inspection.faults);
    return restorable(inspection.contents);
  });
}

type Written = Pick<BackupOptions, 'target' | 'now' | 'version' | 'signal'> & Pick<Manifest, 'database'>;

/**
 * Writes a backup and its description. `fill` writes to an empty file and returns what it contains. Throws {@link
 * BackupError}.
 */
export async function writeBackup(
  { target, now, version, signal, database }: Written,
  fill: (part: string) => Promise<RestorableContents>,
): Promise<Manifest> {
  if (existsSync(target)) throw new BackupError(['The file already exists and is not overwritten.']);
  const part = `${target}.part`;
  try {
    await rm(part, { force: true });
    await writeFile(part, '', { mode: ownerOnly, flag: 'wx' });
    giveToService(part);
    const { stamp, ...held } = await fill(part);
    await syncFile(part);
    const made = { made_at: new Date(now).toISOString(), version, ...(database && { database }) };
    const written = { bytes: (await stat(part)).size, sha256: await sha256OfFile(part) };
    const manifest: Manifest = { ...made, region: stamp.region, environment: stamp.environment, ...held, ...written };
    await writeManifest(target, manifest);
    await rename(part, target);
    await syncFolderOf(target);
    return manifest;
  } catch (error) {
    await rm(part, { force: true });
    throw error instanceof BackupError ? error : new BackupError([reasonOf(error, signal)], { cause: error });
  }
}

/**
 * The open read transaction lets the copy of a plain file finish. Without it, SQLite restarts the copy at every commit
 * of the process that serves the file. An encrypted file is read in one statement.
 */
async function copySnapshot(part: SqliteFile, { source, signal, onProgress }: BackupOptions): Promise<void> {
  const db = openSqlite(source, { readonly: true, fileMustExist: true });
  try {
    if (!source.key) {
      db.exec('BEGIN');
      db.prepare('SELECT COUNT(*) FROM sqlite_master').get();
    }
    const progress = ({ totalPages, remainingPages }: BetterSqlite3.BackupMetadata): number => {
      signal.throwIfAborted();
      onProgress(totalPages === 0 ? 1 : 1 - remainingPages / totalPages);
      return MAX_BACKUP_PAGES_A_TURN;
    };
    await copySqlite(db, part, progress);
    signal.throwIfAborted();
    onProgress(1);
  } finally {
    db.close();
  }
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'Stopped; no backup was made.';
  if (error instanceof EncryptionUnavailable) return error.message;
  const { code } = error as { code?: unknown };
  return `The backup could not be made${typeof code === 'string' ? `: ${code}` : ''}.`;
}
