import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Creates an empty file that only its owner can read, unless it exists, and its folders. SQLite gives its auxiliary
 * files the mode of the database file.
 */
export function makePrivateFile(path: string): void {
  makeFolder(dirname(resolve(path)));
  closeSync(openSync(path, 'a', 0o600));
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
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
