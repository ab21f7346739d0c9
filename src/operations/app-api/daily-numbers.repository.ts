import { joinShownAccount } from '../../accounts/accounts/account-sql.js';
import type { Reader } from '../../storage/database/reader.js';
import type { Row, Session, StoredDays, StoredRun } from '../../storage/declarations/views.js';
import { storedViews } from './daily-numbers.declarations.js';

/** The tables daily_numbers and daily_run. */
export const storedDaily: StoredDays = {
  views: storedViews,

  async lastRun(snapshot: Reader): Promise<StoredRun | null> {
    return snapshot.row<StoredRun>('SELECT position, columns, made_at FROM daily_run WHERE id = 1');
  },

  async people(snapshot: Reader): Promise<number[]> {
    const rows = await snapshot.rows<{ account: number }>(
      'SELECT DISTINCT account_id AS account FROM daily_numbers ORDER BY account_id',
    );
    return rows.map(({ account }) => account);
  },

  async clear(session: Session, account: number, days: readonly string[] | null): Promise<void> {
    const sql = 'DELETE FROM daily_numbers WHERE account_id = $1';
    if (days === null) await session.query(sql, [account]);
    else await session.query(`${sql} AND day = ANY ($2)`, [account, days]);
  },

  async add(session: Session, account: number, rows: readonly Row[]): Promise<void> {
    const column = (place: number): unknown[] => rows.map((row) => row[place]);
    await session.query(
      `INSERT INTO daily_numbers (account_id, resource, day, cells)
       SELECT accounts.id, given.* FROM UNNEST($2::text[], $3::text[], $4::text[]) AS given (resource, day, cells)
       ${joinShownAccount('$1')} FOR KEY SHARE OF accounts
       ON CONFLICT (account_id, day, resource) DO UPDATE SET cells = excluded.cells`,
      [account, column(1), column(2), rows.map((row) => JSON.stringify(row))],
    );
  },

  async end(session: Session, { position, columns, made_at }: StoredRun): Promise<void> {
    await session.query(
      `INSERT INTO daily_run (id, position, columns, made_at) VALUES (1, $1, $2, $3)
       ON CONFLICT (id) DO UPDATE SET position = excluded.position, columns = excluded.columns, made_at = excluded.made_at`,
      [position, columns, made_at],
    );
  },
};
