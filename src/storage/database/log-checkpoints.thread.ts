import { parentPort, workerData } from 'node:worker_threads';
import type { Checkpoint, LogPages, Mode } from './log-checkpoints.js';
import { openBy, type SqliteOpening } from './sqlite-opening.js';

/* The thread of log-checkpoints.ts: a connection that only makes checkpoints. */

const db = openBy(workerData as SqliteOpening, { fileMustExist: true, timeout: 0 });
db.pragma('synchronous = FULL');

function checkpoint(mode: Mode): Checkpoint {
  try {
    const [answer] = db.pragma(`wal_checkpoint(${mode})`) as (LogPages & { busy: number })[];
    return { busy: answer?.busy !== 0, log: answer?.log ?? 0, checkpointed: answer?.checkpointed ?? 0 };
  } catch {
    // For example a full disk: the writer fails too, and the next checkpoint tries again.
    return { busy: true, log: 0, checkpointed: 0 };
  }
}

parentPort?.on('message', (mode: Mode) => parentPort?.postMessage(checkpoint(mode)));
