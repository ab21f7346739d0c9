import { chownSync, closeSync, existsSync, lstatSync, mkdirSync, openSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Creates an empty file that only its owner can read, unless it exists, and its folders. SQLite gives its auxiliary
 * files the mode of the database file.
 */
export function makePrivateFile(path: string): void {
  makeFolder(dirname(resolve(path)));
  const isNew = !existsSync(path);
  // Also for a file that exists: what cannot be opened is named here.
  closeSync(openSync(path, 'a', 0o600));
  if (isNew) giveToService(path);
}

/**
 * A file or folder that root makes for the service gets the owner of the file that it replaces, or else of its folder:
 * the service runs as another user, and must be able to open it. Without effect for other users.
 */
export function giveToService(path: string, replaced = path): void {
  if (process.getuid?.() !== 0) return;
  const model = replaced !== path && existsSync(replaced) ? replaced : dirname(resolve(path));
  const { uid, gid } = statSync(model);
  const own = lstatSync(path);
  if (own.uid !== uid || own.gid !== gid) chownSync(path, uid, gid);
}

/** Resolves once the content is on disk. */
export function syncFile(path: string): Promise<void> {
  return sync(path, 'r+');
}

/** Resolves once names created, moved or removed beside `path` are on disk. */
export function syncFolderOf(path: string): Promise<void> {
  return sync(dirname(path), 'r');
}

async function sync(path: string, flags: 'r' | 'r+'): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** `20261121T103000000Z`, for the names of files that are kept. */
export function fileStamp(now: number): string {
  return new Date(now).toISOString().replace(/[-:.]/g, '');
}

/** Creates a folder that only its owner can enter, unless it exists. */
export function makePrivateFolder(path: string): void {
  makeFolder(resolve(path));
}

/**
 * Creates folders one by one: with `recursive`, Node never returns if the system reports ENOENT, as it does below
 * /proc.
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
    giveToService(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
