import type BetterSqlite3 from 'better-sqlite3';

/** Durable at every commit, like Pulsekeep. */
export function prepareFull(db: BetterSqlite3.Database): void {
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
}

/** More rows per statement are not faster. */
const rowsPerStatement = 100;

export type Value = number | string | null;

/** Multi-row upserts with one prepared statement for each number of rows: the fastest way to use better-sqlite3. */
export class RawUpsert {
  private readonly statements: BetterSqlite3.Statement[] = [];

  constructor(
    private readonly db: BetterSqlite3.Database,
    private readonly head: string,
    private readonly tail: string,
    private readonly width: number,
  ) {}

  /** Runs inside the caller's transaction. `values` are complete rows, one after another. */
  write(values: readonly Value[]): void {
    const step = rowsPerStatement * this.width;
    for (let from = 0; from < values.length; from += step) {
      const slice = values.length <= step ? values : values.slice(from, from + step);
      this.statement(slice.length / this.width).run(slice);
    }
  }

  private statement(rows: number): BetterSqlite3.Statement {
    const row = `(${Array.from({ length: this.width }, () => '?').join(', ')})`;
    const text = (): string => `${this.head} VALUES ${Array.from({ length: rows }, () => row).join(', ')} ${this.tail}`;
    return (this.statements[rows] ??= this.db.prepare(text()));
  }
}

/** The usual design: a text key by which the table is clustered. */
export const textKeyTable = `CREATE TABLE points (user_id TEXT NOT NULL, metric TEXT NOT NULL, ts TEXT NOT NULL,
  value REAL NOT NULL, unit TEXT NOT NULL, PRIMARY KEY (user_id, metric, ts)) WITHOUT ROWID, STRICT`;

export function textKeyUpsert(db: BetterSqlite3.Database): RawUpsert {
  const tail = 'ON CONFLICT (user_id, metric, ts) DO UPDATE SET value = excluded.value, unit = excluded.unit';
  return new RawUpsert(db, 'INSERT INTO points (user_id, metric, ts, value, unit)', tail, 5);
}

const sampleColumns = ['value', 'text_value', 'duration_ms', 'group_id'];

/** Into Pulsekeep's own table, without its order rule. */
export function sampleUpsert(db: BetterSqlite3.Database): RawUpsert {
  const set = sampleColumns.map((column) => `${column} = excluded.${column}`).join(', ');
  return new RawUpsert(
    db,
    `INSERT INTO samples (series_id, time, sibling, ${sampleColumns.join(', ')})`,
    `ON CONFLICT (series_id, time, sibling) DO UPDATE SET ${set}`,
    7,
  );
}
