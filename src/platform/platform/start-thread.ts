import { Worker, type WorkerOptions } from 'node:worker_threads';
import { environmentOfThreads } from '../config/environment.js';

/**
 * Starts a thread of this program. Only the thread's own messages arrive as `message`; see {@link
 * environmentOfThreads}.
 */
export function startThread(file: URL, options: Omit<WorkerOptions, 'env'>): Worker {
  return new Worker(file, { ...options, env: environmentOfThreads() });
}
