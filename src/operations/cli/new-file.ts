import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { CliFailure } from './world.js';

const ownerOnly = 0o600;

/** Creates a file that only its owner can read. Throws CliFailure if it already exists. */
export async function newFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, ownerOnly);
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    const said = exists ? 'The file already exists and is not overwritten.' : 'The file cannot be created.';
    throw new CliFailure(said, exists ? 'file_exists' : 'file_refused');
  }
}
