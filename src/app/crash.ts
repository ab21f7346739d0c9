import type { DestinationStream } from 'pino';
import { describeError } from '../platform/platform/errors.js';
import { Log } from '../platform/platform/log.js';

/**
 * Ends the process with 1 and one log line, on standard output by default, at an uncaught error. Node would print the
 * complete error, and errors of the database and of HTTP hold parameters, headers and bodies. Nothing is drained: the
 * tables still hold all unfinished work.
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
