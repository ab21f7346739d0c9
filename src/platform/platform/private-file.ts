import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes an empty file that only its owner may read, if there is none, and the folders to it; SQLite gives its helper
 * files the mode of the database.
 */
export function makePrivateFile(path: string): void {
  makeFolder(dirname(resolve(path)));
  closeSync(openSync(path, 'a', 0o600));
}

/** Returns once the content is on disk. */
export function syncFile(path: string): Promise<void> {
  return sync(path, 'r+');
}

/** Returns once names that were made, moved or removed beside `path` are on disk. */
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

/** `20261121T103000000Z`, for the name of a file that is kept. */
export function fileStamp(now: number): string {
  return new Date(now).toISOString().replace(/[-:.]/g, '');
}

/** Makes a folder that only its owner may enter, if there is none. */
export function makePrivateFolder(path: string): void {
  makeFolder(resolve(path));
}

/** Folder by folder: with `recursive`, Node never returns where the system answers ENOENT, as it does below /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
