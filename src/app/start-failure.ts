import type { HttpConfig } from '../platform/config/config.js';
import { ConfigError } from '../platform/config/environment.js';
import { AppError, describeError } from '../platform/platform/errors.js';
import { JournalUnusable } from '../privacy/erasure/journal-file.js';
import { isLocked } from '../storage/database/dialect.js';
import { DatabaseInUse } from '../storage/schema/database-lock.js';
import { MigrationError } from '../storage/schema/migrate.js';
import { DatabaseUnusable } from '../storage/schema/opening.js';

/** The configured address cannot be listened on. */
export class CannotListen extends Error {
  override readonly name = 'CannotListen';
}

const aboutAddress: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'it is not an address of this machine',
  ENOTFOUND: 'the name cannot be resolved',
};

/**
 * Listens on the host, or on all IPv4 addresses in place of `::` on a machine without IPv6. If that fails, throws
 * CannotListen with what is wrong with `HOST` and `PORT`.
 */
export async function listening<T>(
  { host, port }: Pick<HttpConfig, 'host' | 'port'>,
  listen: (host: string) => Promise<T>,
): Promise<T> {
  try {
    return await listen(host);
  } catch (error) {
    if (host === '::' && describeError(error).code === 'EAFNOSUPPORT')
      return listening({ host: '0.0.0.0', port }, listen);
    const { code, error: className } = describeError(error);
    const why = aboutAddress[code ?? ''];
    const reason = why === undefined ? '' : `: ${why}`;
    const message = `HOST, PORT: cannot listen on ${host}:${port}${reason} (${code ?? className}).`;
    throw new CannotListen(message, { cause: error });
  }
}

/** Why a start failed, without secrets of the configuration: our own message, or class and code of other errors. */
export function reasonOf(error: unknown): string {
  if (error instanceof MigrationError) {
    const cause = error.cause === undefined ? '' : ` ${JSON.stringify(describeError(error.cause))}`;
    return `${error.message}${cause}${error.copy ? ` Copy of the previous database: ${error.copy}` : ''}`;
  }
  if (error instanceof AppError && isLocked(error.cause)) {
    return 'DATABASE_URL: another program has the file locked (SQLITE_BUSY).';
  }
  const ours = [ConfigError, DatabaseInUse, DatabaseUnusable, JournalUnusable, CannotListen];
  return ours.some((known) => error instanceof known)
    ? (error as Error).message
    : `Could not start: ${JSON.stringify(describeError(error))}`;
}

/** Writes the reason to standard error and ends the process with code 1. */
export function failStart(error: unknown): never {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exit(1);
}
