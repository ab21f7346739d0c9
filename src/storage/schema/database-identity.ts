import type { Database } from 'better-sqlite3';
import type { Reader } from '../database/reader.js';
import type { WriteLane } from '../database/write-lane.js';

/** Upstream ids mean nothing in another region or environment, so a database belongs to one of each for good. */
export interface DatabaseIdentity {
  readonly region: string;
  readonly environment: string;
}

export const selectIdentity = 'SELECT region, environment FROM database_identity WHERE id = 1';

/**
 * The identity in a database file that is open on its own, whose table may still have its first name; null before its
 * first start.
 */
export function identityIn(db: Database): DatabaseIdentity | null {
  const named = db.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'database_identity'`).get() !== undefined;
  const sql = named ? selectIdentity : selectIdentity.replace('database_identity', 'instance');
  return (db.prepare(sql).get() as DatabaseIdentity | undefined) ?? null;
}

/** The database was made for another region or environment. */
export class IdentityMismatch extends Error {
  override readonly name = 'IdentityMismatch';
}

/** Stamps a new database; refuses one that carries another stamp. */
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
  const stored = await reader.row<DatabaseIdentity>(selectIdentity);
  if (stored?.region !== stamp.region || stored.environment !== stamp.environment) {
    throw new IdentityMismatch(
      `The database belongs to ${stored?.region}/${stored?.environment}, the configuration says ${stamp.region}/${stamp.environment}.`,
    );
  }
}
