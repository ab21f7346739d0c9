import type { SqliteOpening } from '../../src/storage/database/sqlite-opening.js';

/** Makes these attempts to start a thread fail, counted from 1, as on a system that has none left. */
export function refusing(opening: SqliteOpening, tries: readonly number[]): SqliteOpening {
  let tried = 0;
  return Object.defineProperty({ ...opening }, 'path', {
    enumerable: true,
    get() {
      tried += 1;
      if (!tries.includes(tried)) return opening.path;
      throw Object.assign(new Error('EAGAIN'), { code: 'ERR_WORKER_INIT_FAILED' });
    },
  });
}
