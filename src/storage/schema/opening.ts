import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../platform/config/config.js';
import type { DatabaseConfig } from '../../platform/config/database-config.js';
import { AppError, describeError } from '../../platform/platform/errors.js';
import { driverCode } from '../database/dialect.js';
import { SessionUnfit } from '../database/session-settings.js';
import { EncryptionUnavailable } from '../database/sqlite-driver.js';
import { MAX_STARTING_UP_WAITS, STARTING_UP_PAUSE_MS } from '../database/tuning.js';
import { keyFault } from './database-key.js';
import { DatabaseInUse } from './database-lock.js';

/** A database that cannot be opened. Names the variable and the file or host, never a login. */
export class DatabaseUnusable extends Error {
  override readonly name = 'DatabaseUnusable';
}

const aboutPostgres: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its name cannot be resolved',
  EAI_AGAIN: 'its name cannot be resolved at the moment',
  ETIMEDOUT: 'it does not respond',
  EHOSTUNREACH: 'no route leads to it',
  '28P01': 'it refuses the login',
  '28000': 'it refuses the login',
  '57P03': 'it is starting up or recovering; start again once it takes connections',
  '3F000': 'its role has no schema: create one and set its search_path',
  '42501': 'its role lacks a right: GRANT it',
  '3D000': 'it has no database of that name',
  '53300': 'it, or a pooler before it, has no further session: allow 20 for each process',
  '08P01':
    'a pooler refuses the connection, most often for its startup parameter `options`: add that to ignore_startup_parameters',
};

/** Node's codes for a server whose certificate it does not trust. */
const untrusted = 'its certificate is not trusted: add sslmode=verify-full&sslrootcert=FILE with the CA of the server';
const aboutTls: Readonly<Record<string, string>> = {
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_HAS_EXPIRED: 'its certificate has expired: renew it',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name: use the name in the certificate',
  ENOENT: 'a file that the address names (a socket, sslrootcert, sslcert or sslkey) does not exist',
  EACCES: 'this user may not read a file that the address names (a socket, sslrootcert, sslcert or sslkey)',
};
/** A message of the driver, which has no code. */
const noTls = /does not support SSL/;
const STARTING_UP = '57P03';

const aboutFile: Readonly<Record<string, string>> = {
  ENOENT: 'its folder cannot be created',
  EACCES: 'this user may not open it',
  EPERM: 'this user may not open it',
  EROFS: 'the disk is read-only',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is a file',
  ENOSPC: 'the disk is full',
  SQLITE_FULL: 'the disk is full',
  SQLITE_CANTOPEN: 'it does not exist, this user may not open it, or the disk is read-only',
  SQLITE_NOTADB: 'it is no SQLite database',
  SQLITE_CORRUPT: 'it is damaged',
  SQLITE_READONLY: 'this user may only read it',
  SQLITE_BUSY: 'another program has it locked',
};

/**
 * Awaits a step that opens the database. If it fails, throws what is wrong with `DATABASE_URL` or `DATABASE_KEY`. Does
 * not take the step with a wrong key. `isOpenHere`: this process already serves the file, so its key fits, and reading
 * the file would release SQLite's locks.
 */
export async function opening<T>(config: DatabaseConfig, open: () => T | Promise<T>, isOpenHere = false): Promise<T> {
  try {
    const fault = config.kind === 'sqlite' && !isOpenHere ? keyFault(config) : null;
    if (fault !== null) throw new DatabaseUnusable(fault);
    return await open();
  } catch (error) {
    if (error instanceof DatabaseInUse || error instanceof DatabaseUnusable) throw error;
    if (error instanceof EncryptionUnavailable) throw new DatabaseUnusable(error.message);
    throw databaseFailure(config, error instanceof AppError ? (error.cause ?? error) : error);
  }
}

/**
 * Why no SQLite file may be created: files that a service keeps beside it exist, or its erasure journal does; the disk
 * of the file may not be mounted. Null if one may be created, or exists.
 */
export function goneFault(config: DatabaseConfig, journalPath: string | undefined): string | null {
  if (config.kind === 'postgres' || existsSync(config.path)) return null;
  const kept = [`${config.path}-wal`, `${config.path}.owner`, ...(journalPath === undefined ? [] : [journalPath])];
  const left = kept.filter((path) => existsSync(path));
  if (left.length === 0) return null;
  return `DATABASE_URL: the file ${config.path} does not exist, but what a service keeps with it does. Mount its disk, put the file back or restore a backup; to begin with an empty database, move ${left.join(' and ')} away.`;
}

/** Call before anything else opens the database of a service, because a new file would hide the loss of the old one. */
export function assertNotGone({ database, erasure }: Pick<Config, 'database' | 'erasure'>): void {
  const fault = goneFault(database, erasure.journalPath);
  if (fault !== null) throw new DatabaseUnusable(fault);
}

/** Like `opening`, but waits up to 20 s for a PostgreSQL that is starting up; calls `waiting` once before. */
export async function openingOnceUp<T>(
  config: DatabaseConfig,
  open: () => Promise<T>,
  waiting: () => void,
  pauseMs = STARTING_UP_PAUSE_MS,
): Promise<T> {
  for (let waits = 0; ; waits++) {
    try {
      return await opening(config, open);
    } catch (error) {
      const isStarting = error instanceof DatabaseUnusable && driverCode(error.cause) === STARTING_UP;
      if (!isStarting || waits === MAX_STARTING_UP_WAITS) throw error;
      if (waits === 0) waiting();
      await delay(pauseMs);
    }
  }
}

/** Describes what is wrong with `DATABASE_URL`, given the error of a step that opens the database. */
export function databaseFailure(config: DatabaseConfig, error: unknown): DatabaseUnusable {
  const code = codeOf(error);
  if (config.kind === 'sqlite') {
    const why = aboutFile[code] ?? aboutFile[code.split('_').slice(0, 2).join('_')];
    const { path } = error as NodeJS.ErrnoException;
    const isBeside = path?.startsWith(config.path) === true;
    return unusable(`the file ${isBeside ? path : config.path} cannot be opened`, why, error);
  }
  const url = new URL(config.url.reveal());
  return unusable(`the database at ${url.host} cannot be used`, aboutServer(url, error), error);
}

/** A server that requires TLS refuses a plain login in the same way as one from an address it does not allow. */
function aboutServer({ searchParams }: URL, error: unknown): string | undefined {
  if (error instanceof SessionUnfit) {
    const why = error.isRequested
      ? ', because a pooler drops the startup parameter `options`: let the pooler pass it on, or'
      : ':';
    return `its sessions do not have ${error.setting}${why} ALTER ROLE or ALTER DATABASE ... SET ${error.setting}`;
  }
  const code = driverCode(error) ?? '';
  const isPlain = ['disable', null].includes(searchParams.get('sslmode')) && !searchParams.has('ssl');
  if (code === '28000' && isPlain) {
    return 'it refuses the login without TLS: create the role, add sslmode=verify-full, or allow this address in its pg_hba.conf';
  }
  if (error instanceof Error && noTls.test(error.message)) {
    return 'it does not offer TLS: turn TLS on there, or remove sslmode from the address';
  }
  return aboutTls[code] ?? aboutPostgres[code] ?? aboutPostgres[codeOf(error)];
}

function unusable(what: string, why: string | undefined, cause: unknown): DatabaseUnusable {
  return new DatabaseUnusable(`DATABASE_URL: ${what}${why === undefined ? '' : `: ${why}`} (${codeOf(cause)}).`, {
    cause,
  });
}

/** Code of the error, or its class if there is no code that may be shown. */
function codeOf(error: unknown): string {
  const { code, error: className } = describeError(error);
  return code ?? className;
}
