import type BetterSqlite3 from 'better-sqlite3';
import { SqliteDatabase } from '../database/sqlite-driver.js';

/** A person who was erased after a backup was made, and is back once it is restored. */
export interface ErasureToRepeat {
  readonly erasure_id: string;
  /** Our number of the account. */
  readonly account_ref: number;
  /** Its id, as the backup has it again. */
  readonly account_id: string;
}

/** Erasures that the present database knows and the backup does not, of accounts that the backup has. */
export function erasuresToRepeat(present: string, backup: string): ErasureToRepeat[] {
  const asked = read(present, (db) =>
    hasErasures(db) ? (db.prepare('SELECT id, account_ref FROM erasures ORDER BY account_ref').all() as Erasure[]) : [],
  );
  return read(backup, (db) => {
    const done = new Set(hasErasures(db) ? (db.prepare('SELECT id FROM erasures').pluck().all() as string[]) : []);
    const account = db.prepare('SELECT account_id FROM accounts WHERE id = ?').pluck();
    return asked.flatMap(({ id, account_ref }) => {
      const account_id = account.get(account_ref) as string | undefined;
      return done.has(id) || account_id === undefined ? [] : [{ erasure_id: id, account_ref, account_id }];
    });
  });
}

interface Erasure {
  readonly id: string;
  readonly account_ref: number;
}

function read<T>(path: string, look: (db: BetterSqlite3.Database) => T): T {
  const db = new SqliteDatabase(path, { readonly: true, fileMustExist: true });
  try {
    return look(db);
  } finally {
    db.close();
  }
}

function hasErasures(db: BetterSqlite3.Database): boolean {
  return db.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'erasures'`).get() !== undefined;
}
