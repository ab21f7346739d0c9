import { parentPort, workerData } from 'node:worker_threads';
import { Secret } from '../../platform/config/secret.js';
import { type BackupOptions, makeBackup } from './make-backup.js';
import { BackupError, type Manifest } from './manifest.js';

/* Makes a backup in its own thread, because verifying the copy takes long: see backup-schedule.worker.ts. */

/** Can be sent to a thread; a `Secret` cannot. */
export interface BackupRequest extends Pick<BackupOptions, 'target' | 'now' | 'version'> {
  readonly source: { readonly path: string; readonly key: string | undefined };
}

export type BackupAnswer = { readonly made: Manifest } | { readonly problems: readonly string[] };

async function answer({ source: { path, key }, ...request }: BackupRequest): Promise<BackupAnswer> {
  try {
    const alone = { signal: new AbortController().signal, onProgress: (): void => undefined };
    const source = { path, key: key === undefined ? undefined : new Secret(key) };
    return { made: await makeBackup({ source, ...request, ...alone }) };
  } catch (error) {
    if (error instanceof BackupError) return { problems: error.problems };
    throw error;
  }
}

parentPort?.postMessage(await answer(workerData as BackupRequest));
