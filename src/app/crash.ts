import type { DestinationStream } from 'pino';
import { describeError } from '../platform/platform/errors.js';
import { Log } from '../platform/platform/log.js';

/**
 * On an uncaught error, ends the process with code 1 after one log line, by default on standard output. Node would
 * print the complete error, and errors of the database and of HTTP contain parameters, headers and bodies. Nothing is
 * drained: unfinished work stays in the tables.
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
