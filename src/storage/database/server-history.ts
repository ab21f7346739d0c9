import { AppError } from '../../platform/platform/errors.js';
import { driverCode } from './dialect.js';

/**
 * SQL expression on a PostgreSQL that accepts writes. Changes with every promotion of a standby, every recovery and
 * every move to another cluster: from then on, rows that the former server had acknowledged may be missing, and numbers
 * that it gave are given again.
 */
export const serverHistory = `(SELECT (SELECT system_identifier FROM pg_control_system())::text
  || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))`;

/** Codes of a server that does not tell its history: no right, no such function, not supported. */
const untold: ReadonlySet<string | null> = new Set(['42501', '42883', '0A000', '55000']);

/** True if a statement with {@link serverHistory} failed because the server does not tell it. */
export function isUntold(error: unknown): boolean {
  return untold.has(driverCode(error instanceof AppError ? error.cause : error));
}
