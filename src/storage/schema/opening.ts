import type { DatabaseConfig } from '../../platform/config/config.js';
import { AppError, describeError } from '../../platform/platform/errors.js';
import { EncryptionUnavailable } from '../database/sqlite-driver.js';
import { keyFault } from './database-key.js';
import { DatabaseInUse } from './database-lock.js';

/** A database that cannot be opened: the variable to look at and the file or host it is about, never a login. */
export class DatabaseUnusable extends Error {
  override readonly name = 'DatabaseUnusable';
}

const aboutPostgres: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name cannot be looked up now',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to it',
  '28P01': 'it refuses the login',
  '28000': 'it refuses the login',
  '3D000': 'it has no database of that name',
  '53300': 'it takes no more connections',
  '08P01':
    'a pooler refuses the connection, most often for its startup parameter `options`: add that to ignore_startup_parameters',
  SessionUnfit:
    'its sessions do not have synchronous_commit = on, since a pooler drops the startup parameter `options`: let the pooler pass it on, or ALTER ROLE or ALTER DATABASE ... SET synchronous_commit = on',
};

const aboutFile: Readonly<Record<string, string>> = {
  ENOENT: 'its folder cannot be made',
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EROFS: 'the disk is read-only',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is a file',
  ENOSPC: 'the disk is full',
  SQLITE_FULL: 'the disk is full',
  SQLITE_NOTADB: 'it is no SQLite database',
  SQLITE_CORRUPT: 'it is damaged',
  SQLITE_READONLY: 'this user may only read it',
  SQLITE_BUSY: 'another program has it locked',
};

/**
 * Awaits a step that opens the database, and says what is wrong with `DATABASE_URL` or `DATABASE_KEY` where that fails.
 * With the wrong key the step is not taken. Not for a process that has the file open already.
 */
export async function opening<T>(config: DatabaseConfig, open: () => T | Promise<T>): Promise<T> {
  try {
    const fault = config.kind === 'sqlite' ? keyFault(config) : null;
    if (fault !== null) throw new DatabaseUnusable(fault);
    return await open();
  } catch (error) {
    if (error instanceof DatabaseInUse || error instanceof DatabaseUnusable) throw error;
    if (error instanceof EncryptionUnavailable) throw new DatabaseUnusable(error.message);
    throw databaseFailure(config, error instanceof AppError ? (error.cause ?? error) : error);
  }
}

function databaseFailure(config: DatabaseConfig, error: unknown): DatabaseUnusable {
  const code = codeOf(error);
  if (config.kind === 'sqlite') {
    const why = aboutFile[code] ?? aboutFile[code.split('_').slice(0, 2).join('_')];
    return unusable(`the file ${config.path} cannot be opened`, why, error);
  }
  const { host } = new URL(config.url.reveal());
  return unusable(`the database at ${host} cannot be used`, aboutPostgres[code], error);
}

function unusable(what: string, why: string | undefined, cause: unknown): DatabaseUnusable {
  return new DatabaseUnusable(`DATABASE_URL: ${what}${why === undefined ? '' : `: ${why}`} (${codeOf(cause)}).`, {
    cause,
  });
}

/** Of the error, or its class where it has none that may be shown. */
function codeOf(error: unknown): string {
  const { code, error: className } = describeError(error);
  return code ?? className;
}
