import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { CliFailure } from './world.js';

/** For the eyes of whoever runs the command. */
const ownerOnly = 0o600;

/** Opens a file that did not exist. Throws CliFailure. */
export async function newFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, ownerOnly);
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    const said = exists ? 'The file exists already and is not overwritten.' : 'The file cannot be made.';
    throw new CliFailure(said, exists ? 'file_exists' : 'file_refused');
  }
}
