import { parentPort, workerData } from 'node:worker_threads';
import { type BackupOptions, makeBackup } from './make-backup.js';
import { BackupError, type Manifest } from './manifest.js';

/* A backup in a thread of its own, since reading the copy through takes long: see backup-schedule.worker.ts. */

/** What can be handed to a thread. */
export type BackupRequest = Pick<BackupOptions, 'source' | 'target' | 'now' | 'version'>;

export type BackupAnswer = { readonly made: Manifest } | { readonly problems: readonly string[] };

async function answer(request: BackupRequest): Promise<BackupAnswer> {
  try {
    const alone = { signal: new AbortController().signal, onProgress: (): void => undefined };
    return { made: await makeBackup({ ...request, ...alone }) };
  } catch (error) {
    if (error instanceof BackupError) return { problems: error.problems };
    throw error;
  }
}

parentPort?.postMessage(await answer(workerData as BackupRequest));
