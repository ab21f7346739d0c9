import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes an empty file that only its owner may read, if there is none, and the folders to it; SQLite gives its helper
 * files the mode of the database.
 */
export function makePrivateFile(path: string): void {
  makeFolder(dirname(resolve(path)));
  closeSync(openSync(path, 'a', 0o600));
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
