import type BetterSqlite3 from 'better-sqlite3';
import { externalIdOf } from '../../accounts/accounts/account-sql.js';
import type { Rows } from '../../storage/backup/postgres-backup.js';
import type { ErasureToRepeat } from '../../storage/backup/restore-backup.js';
import { openSqlite, type SqliteFile } from '../../storage/database/sqlite-driver.js';

interface Erasure {
  readonly id: string;
  readonly account_ref: number;
}

/** Erasures in one database file that are missing from a backup of it which still has their accounts. */
export function erasuresToRepeat(present: SqliteFile, backup: SqliteFile): ErasureToRepeat[] {
  const asked = read(present, erasuresIn);
  return read(backup, (db) => {
    const done = new Set(erasuresIn(db).map(({ id }) => id));
    const account = db.prepare(`SELECT ${externalIdOf('?')}`).pluck();
    return asked.flatMap(({ id, account_ref }) => {
      const account_id = account.get(account_ref) as string | null;
      return done.has(id) || account_id === null ? [] : [{ erasure_id: id, account_ref, account_id }];
    });
  });
}

/**
 * The same on PostgreSQL: records the existing erasures; returns a function that, after a restore, finds those
 * missing.
 */
export async function erasuresBefore(rows: Rows): Promise<(rows: Rows) => Promise<ErasureToRepeat[]>> {
  const asked = await rows<Erasure>(allErasures);
  return async (restored) => {
    const done = new Set((await restored<Erasure>(allErasures)).map(({ id }) => id));
    const found: ErasureToRepeat[] = [];
    for (const { id, account_ref } of asked.filter((erasure) => !done.has(erasure.id))) {
      const [account] = await restored<{ account_id: string | null }>(
        `SELECT ${externalIdOf('$1::bigint')} AS account_id`,
        [account_ref],
      );
      const account_id = account?.account_id ?? null;
      if (account_id !== null) found.push({ erasure_id: id, account_ref, account_id });
    }
    return found;
  };
}

const allErasures = 'SELECT id, account_ref FROM erasures ORDER BY account_ref';

function read<T>(file: SqliteFile, look: (db: BetterSqlite3.Database) => T): T {
  const db = openSqlite(file, { readonly: true, fileMustExist: true });
  try {
    return look(db);
  } finally {
    db.close();
  }
}

/** None in a database of a version without erasures. */
function erasuresIn(db: BetterSqlite3.Database): Erasure[] {
  const table = db.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'erasures'`).get();
  if (table === undefined) return [];
  return db.prepare(allErasures).all() as Erasure[];
}
