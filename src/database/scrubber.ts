import type BetterSqlite3 from 'better-sqlite3';
import type { DataSource } from 'typeorm';

/** Gets what was deleted out of the database's own files. */
export abstract class Scrubber {
  /**
   * After rows of these tables were deleted. False when others are in the way just now: to be tried again.
   *
   * SQLite: what was deleted is zeros already (`secure_delete`); the write-ahead log, which still holds the pages as
   * they were, is brought into the file and cut to nothing. PostgreSQL: VACUUM, after which nothing can read the rows
   * and their space is written over in time (docs/operations.md says what that leaves).
   */
  abstract scrub(tables: readonly string[]): Promise<boolean>;
}

export class SqliteScrubber extends Scrubber {
  constructor(private readonly db: BetterSqlite3.Database) {
    super();
  }

  async scrub(): Promise<boolean> {
    while (this.db.inTransaction) await new Promise((resolve) => setImmediate(resolve));
    const [result] = this.db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    return result?.busy === 0;
  }
}

export class PostgresScrubber extends Scrubber {
  constructor(private readonly source: DataSource) {
    super();
  }

  async scrub(tables: readonly string[]): Promise<boolean> {
    if (tables.length > 0) await this.source.query(`VACUUM ${tables.join(', ')}`);
    return true;
  }
}
