import type { DestinationStream } from 'pino';
import { describeError } from '../platform/platform/errors.js';
import { Log } from '../platform/platform/log.js';

/**
 * From here on, an error that nobody catches ends the process with 1 and one line of the log, on standard output unless
 * told otherwise. Left to itself Node prints the whole error, and those of the database and of HTTP hold parameters,
 * headers and bodies. Nothing is drained: whatever was in hand is found again from the tables.
 */
export function endOnCrash(destination?: DestinationStream): void {
  const log = new Log({ level: 'error', ...(destination ? { destination } : {}) });
  process.on('uncaughtException', (error) => crash(log, 'uncaught_exception', error));
  process.on('unhandledRejection', (error) => crash(log, 'unhandled_rejection', error));
}

function crash(log: Log, reason: string, error: unknown): never {
  try {
    log.event('app.crashed', { ...describeError(error), reason }, 'error');
  } finally {
    process.exit(1);
  }
}
