import type { Queryable, Tx } from '../database/tx.js';
import type { DatabaseCopyEntity } from './database-copy.entity.js';

/*
 * `pulsekeep database copy` marks both databases, so that neither is served by mistake:
 *
 *   source   (no row) --begins--> source --found equal--> source, ended_at set --`database reopen`--> (no row)
 *   target   (no row) --begins--> target --found equal--> (no row)
 *
 * A crash leaves both marks with the same copy id, and running the copy again resumes it. After `database reopen` the
 * id is gone from the source, so a target that was filled from its earlier content cannot be completed.
 */

/** Tables that describe a copy; they are not copied. */
export const copyMarks: readonly string[] = ['database_copies', 'database_copy_tables'];

/** The database is the unfinished target of a copy. */
export class DatabaseClosed extends Error {
  override readonly name = 'DatabaseClosed';
}

/**
 * For a database that departs from its history, such as a restored one: the next start gives its change feed another
 * id, so that no cursor of the former feed is accepted by the new one.
 */
export const endFeed = `UPDATE change_feed SET feed = ''`;

export const selectCopyMark = 'SELECT * FROM database_copies WHERE id = 1';

/** The mark of a database; null if it is neither source nor target of a copy. */
export async function copyMark(database: Queryable): Promise<DatabaseCopyEntity | null> {
  const [mark] = await database.few<DatabaseCopyEntity>(selectCopyMark);
  return mark ?? null;
}

/** Why a marked database is not served, and how to lift that; null if it may be served. */
export function closedBecause(mark: DatabaseCopyEntity | null): string | null {
  if (mark === null) return null;
  if (mark.side === 'target') {
    return 'The copy into this database is incomplete. Run `pulsekeep database copy` on the source again, or empty this database.';
  }
  const reopen = '`pulsekeep database reopen` lets the service use this one again';
  if (mark.ended_at === null) {
    return `A copy of this database has begun. Run \`pulsekeep database copy\` again to complete it; ${reopen}.`;
  }
  const at = new Date(mark.ended_at).toISOString();
  return `This database was copied to another one at ${at}. Set DATABASE_URL to that one; ${reopen}, without the data that the copy has received since.`;
}

/**
 * Allows the source of a copy to be served again. Returns false if it was not closed. Throws {@link DatabaseClosed}.
 */
export async function reopen(tx: Tx): Promise<boolean> {
  const mark = await copyMark(tx);
  if (mark?.side === 'target') throw new DatabaseClosed(closedBecause(mark) ?? undefined);
  const isClosed = (await tx.execute('DELETE FROM database_copies WHERE id = 1')) > 0;
  if (isClosed) await tx.execute(endFeed);
  return isClosed;
}
