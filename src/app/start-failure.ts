import type { HttpConfig } from '../platform/config/config.js';
import { ConfigError } from '../platform/config/environment.js';
import { AppError, describeError } from '../platform/platform/errors.js';
import { JournalUnusable } from '../privacy/erasure/journal-file.js';
import { isLocked } from '../storage/database/dialect.js';
import { DatabaseInUse } from '../storage/schema/database-lock.js';
import { MigrationError } from '../storage/schema/migrate.js';
import { DatabaseUnusable } from '../storage/schema/opening.js';

/** The address of the configuration cannot be listened on. */
export class CannotListen extends Error {
  override readonly name = 'CannotListen';
}

const aboutAddress: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'it is no address of this machine',
  ENOTFOUND: 'its name is not known',
};

/** Awaits listening, and says what is wrong with `HOST` and `PORT` where that fails. */
export async function listening<T>({ host, port }: HttpConfig, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen();
  } catch (error) {
    const { code, error: className } = describeError(error);
    const why = aboutAddress[code ?? ''];
    const reason = why === undefined ? '' : `: ${why}`;
    const message = `HOST, PORT: cannot listen on ${host}:${port}${reason} (${code ?? className}).`;
    throw new CannotListen(message, { cause: error });
  }
}

/** Why a start failed, without a secret of the configuration: in our own words where we have them. */
export function reasonOf(error: unknown): string {
  if (error instanceof MigrationError) {
    const cause = error.cause === undefined ? '' : ` ${JSON.stringify(describeError(error.cause))}`;
    return `${error.message}${cause}${error.copy ? ` The database as it was: ${error.copy}` : ''}`;
  }
  if (error instanceof AppError && isLocked(error.cause)) {
    return 'DATABASE_URL: another program has the file locked (SQLITE_BUSY).';
  }
  const ours = [ConfigError, DatabaseInUse, DatabaseUnusable, JournalUnusable, CannotListen];
  return ours.some((known) => error instanceof known)
    ? (error as Error).message
    : `Could not start: ${JSON.stringify(describeError(error))}`;
}

/** Ends the process with 1 and says why on standard error. */
export function failStart(error: unknown): never {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exit(1);
}
