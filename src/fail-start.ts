import { ConfigError } from './config/environment.js';
import { describeError } from './platform/errors.js';
import { IdentityMismatch } from './schema/database-identity.js';
import { DatabaseInUse } from './schema/database-lock.js';
import { MigrationError } from './schema/migrate.js';

/**
 * Ends the process with 1 and says why on standard error: in our own words where we have them, else by class and code.
 */
export function failStart(error: unknown): never {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exit(1);
}

/** Why a start failed, without a value of the configuration. */
export function reasonOf(error: unknown): string {
  if (error instanceof ConfigError || error instanceof IdentityMismatch || error instanceof DatabaseInUse)
    return error.message;
  if (error instanceof MigrationError) {
    const cause = error.cause === undefined ? '' : ` ${JSON.stringify(describeError(error.cause))}`;
    return `${error.message}${cause}${error.copy ? ` The database as it was: ${error.copy}` : ''}`;
  }
  return `Could not start: ${JSON.stringify(describeError(error))}`;
}
