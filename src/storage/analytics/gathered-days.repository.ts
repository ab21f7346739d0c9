import type BetterSqlite3 from 'better-sqlite3';
import { makePrivateFile } from '../../platform/platform/private-file.js';
import { dateAfter } from '../../platform/platform/time.js';
import { SqliteDatabase } from '../database/sqlite-driver.js';
import { MAX_DATASET_ROWS_A_READ } from '../database/tuning.js';
import type { Row } from '../declarations/views.js';

/** Rows begin with the person, the resource and the day (`DayTable`). */
const DAY_PLACE = 2;

/** Rows by day, person and resource, in a file on disk that ends with the run. */
export class GatheredDays {
  private readonly db: BetterSqlite3.Database;

  /** `path`: a new file, which the caller removes after `close`. */
  constructor(path: string) {
    makePrivateFile(path);
    this.db = new SqliteDatabase(path);
    this.db.pragma('journal_mode = OFF');
    this.db.pragma('synchronous = OFF');
    this.db.exec(`
      CREATE TABLE differing (account INTEGER, day TEXT, PRIMARY KEY (account, day)) WITHOUT ROWID;
      CREATE TABLE gathered (day TEXT, account INTEGER, resource TEXT, cells TEXT,
        PRIMARY KEY (day, account, resource)) WITHOUT ROWID`);
  }

  close(): void {
    this.db.close();
  }

  /** Notes that the rows of a person may differ on these days, both inclusive. */
  differ(account: number, from: string, to: string): void {
    const insert = this.db.prepare('INSERT OR IGNORE INTO differing VALUES (?, ?)');
    for (let day = from; day <= to; day = dateAfter(day, 1)) insert.run(account, day);
  }

  differs(account: number, day: string): boolean {
    return this.select('SELECT 1 FROM differing WHERE account = ? AND day = ?', [account, day]).length > 0;
  }

  /** The days on which rows of a person may differ, in order. */
  differingOf(account: number): string[] {
    return this.daysOf('SELECT day FROM differing WHERE account = ? ORDER BY day', [account]);
  }

  /** The days with rows and those on which rows may differ. */
  concerned(): string[] {
    return this.daysOf('SELECT day FROM differing UNION SELECT day FROM gathered');
  }

  add(rows: readonly Row[]): void {
    const insert = this.db.prepare('INSERT OR REPLACE INTO gathered VALUES (?, ?, ?, ?)');
    this.db.exec('BEGIN');
    for (const row of rows) {
      insert.run(row[DAY_PLACE], row[0], row[1], JSON.stringify(row.toSpliced(DAY_PLACE, 1)));
    }
    this.db.exec('COMMIT');
  }

  /** Adds rows of a day that lack its cell. */
  addOf(day: string, rows: readonly Row[]): void {
    this.add(rows.map((row) => row.toSpliced(DAY_PLACE, 0, day)));
  }

  /** The days with rows, in order. */
  days(): string[] {
    return this.daysOf('SELECT DISTINCT day FROM gathered ORDER BY day');
  }

  /** The rows of a day by person and resource, without the cell of the day. */
  async *of(day: string): AsyncGenerator<readonly Row[]> {
    for (let [account, resource] = [0, '']; ; ) {
      const found = this.select<{ account: number; resource: string; cells: string }>(
        `SELECT account, resource, cells FROM gathered WHERE day = ? AND (account, resource) > (?, ?)
         ORDER BY account, resource LIMIT ${MAX_DATASET_ROWS_A_READ}`,
        [day, account, resource],
      );
      yield found.map(({ cells }) => JSON.parse(cells) as Row);
      const last = found.at(-1);
      if (last === undefined || found.length < MAX_DATASET_ROWS_A_READ) return;
      [account, resource] = [last.account, last.resource];
    }
  }

  private daysOf(sql: string, values: readonly number[] = []): string[] {
    return this.select<{ day: string }>(sql, values).map(({ day }) => day);
  }

  private select<T>(sql: string, values: readonly (string | number)[] = []): T[] {
    return this.db.prepare(sql).all(...values) as T[];
  }
}
