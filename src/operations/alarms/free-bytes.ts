import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Bytes that this user can still write to the disk of a folder. The folder need not exist yet. */
export async function freeBytesIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(nearest(folder));
  return bavail * bsize;
}

/** The folder, or its nearest existing ancestor. */
export function nearest(folder: string): string {
  return existsSync(folder) ? folder : nearest(dirname(folder));
}
