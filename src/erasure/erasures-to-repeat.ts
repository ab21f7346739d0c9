import type BetterSqlite3 from 'better-sqlite3';
import { externalIdOf } from '../accounts/account-sql.js';
import type { ErasureToRepeat } from '../backup/restore-backup.js';
import { SqliteDatabase } from '../database/sqlite-driver.js';

interface Erasure {
  readonly id: string;
  readonly account_ref: number;
}

/** Erasures that one database file knows and another, a backup of it, does not, of accounts that the backup has. */
export function erasuresToRepeat(present: string, backup: string): ErasureToRepeat[] {
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

function read<T>(path: string, look: (db: BetterSqlite3.Database) => T): T {
  const db = new SqliteDatabase(path, { readonly: true, fileMustExist: true });
  try {
    return look(db);
  } finally {
    db.close();
  }
}

/** None in a database of a program that knew no erasures. */
function erasuresIn(db: BetterSqlite3.Database): Erasure[] {
  const table = db.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'erasures'`).get();
  if (table === undefined) return [];
  return db.prepare('SELECT id, account_ref FROM erasures ORDER BY account_ref').all() as Erasure[];
}
