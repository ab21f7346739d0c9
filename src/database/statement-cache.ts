import type BetterSqlite3 from 'better-sqlite3';

/** Prepared statements by their text; the oldest goes when there are too many. */
export class StatementCache {
  private readonly known = new Map<string, BetterSqlite3.Statement>();

  constructor(
    private readonly db: BetterSqlite3.Database,
    private readonly most = 500,
  ) {}

  get(sql: string): BetterSqlite3.Statement {
    const known = this.known.get(sql);
    if (known) return known;
    const statement = this.db.prepare(sql);
    this.known.set(sql, statement);
    if (this.known.size > this.most) {
      const [oldest] = this.known.keys();
      if (oldest !== undefined) this.known.delete(oldest);
    }
    return statement;
  }
}
