import type { Queryable, Tx } from './tx.js';

/**
 * The last number that the database generated for the table, even if that row was deleted; 0 if none. Numbers are never
 * reused, because other rows may refer to a deleted row.
 */
export async function lastNumber(database: Queryable, table: string, column: string): Promise<number> {
  const [given] =
    database.dialect === 'sqlite'
      ? await database.few<{ last: number }>('SELECT seq AS last FROM sqlite_sequence WHERE name = ?', [table])
      : await database.few<{ last: number | null }>(
          'SELECT pg_sequence_last_value(pg_get_serial_sequence(?, ?)::regclass) AS last',
          [table, column],
        );
  const [stored] = await database.few<{ last: number | null }>(`SELECT MAX(${column}) AS last FROM ${table}`);
  return Math.max(given?.last ?? 0, stored?.last ?? 0);
}

/** The next row of the table gets a number above `last`. */
export async function continueAfter(tx: Tx, table: string, column: string, last: number): Promise<void> {
  if (last === 0) return;
  if (tx.dialect === 'postgres') {
    await tx.rows('SELECT setval(pg_get_serial_sequence(?, ?), ?)', [table, column, last]);
    return;
  }
  await tx.execute('DELETE FROM sqlite_sequence WHERE name = ?', [table]);
  await tx.execute('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', [table, last]);
}
