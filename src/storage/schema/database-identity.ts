import type { Database } from 'better-sqlite3';
import type { Reader } from '../database/reader.js';
import type { WriteLane } from '../database/write-lane.js';
import { DatabaseUnusable } from './opening.js';

/** Upstream ids are meaningless in another region or environment, so a database belongs to one of each permanently. */
export interface DatabaseIdentity {
  readonly region: string;
  readonly environment: string;
}

export const selectIdentity = 'SELECT region, environment FROM database_identity WHERE id = 1';

/** The identity in an open database file, whose table may still have its original name; null before the first start. */
export function identityIn(db: Database): DatabaseIdentity | null {
  const named = db.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'database_identity'`).get() !== undefined;
  const sql = named ? selectIdentity : selectIdentity.replace('database_identity', 'instance');
  return (db.prepare(sql).get() as DatabaseIdentity | undefined) ?? null;
}

/** Why a database with this identity does not fit a configuration; null if it fits or is new. */
export function identityFault(
  identity: DatabaseIdentity | null,
  { region, environment }: DatabaseIdentity,
): string | null {
  if (identity === null || (identity.region === region && identity.environment === environment)) return null;
  return `DATABASE_URL: it belongs to ${identity.region}/${identity.environment}, but the configuration has ${region}/${environment}.`;
}

/** Stores the identity in a new database. Throws DatabaseUnusable if another process has stored a different one. */
export async function ensureIdentity(
  lane: WriteLane,
  reader: Reader,
  stamp: DatabaseIdentity,
  now: number,
): Promise<void> {
  await lane.runAtStart((tx) =>
    tx.execute(
      'INSERT INTO database_identity (id, region, environment, stamped_at) VALUES (1, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
      [stamp.region, stamp.environment, now],
    ),
  );
  const fault = identityFault((await reader.row<DatabaseIdentity>(selectIdentity)) ?? null, stamp);
  if (fault !== null) throw new DatabaseUnusable(fault);
}
