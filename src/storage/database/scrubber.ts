import { statSync } from 'node:fs';
import type BetterSqlite3 from 'better-sqlite3';
import type { DataSource } from 'typeorm';
import { isLocked, storeFailure } from './dialect.js';
import type { LogCheckpoints, LogWriter } from './log-checkpoints.js';
import { withoutLimits } from './postgres.js';
import { MAX_BYTES_REWRITTEN, MAX_BYTES_VACUUMED } from './tuning.js';

/**
 * The way in which deleted rows were removed from the database's files.
 *
 * - `rewritten` (SQLite): the file contains only live rows.
 * - `overwritten` (SQLite): deleted rows are overwritten with zeros, and the write-ahead log is truncated; the unused
 *   part of a page may still contain copies that SQLite left when it moved rows between pages.
 * - `vacuumed` (PostgreSQL): no query can read the rows; their space is overwritten over time.
 * - `left_to_autovacuum` (PostgreSQL): the same, but at least one table was too large to be vacuumed immediately, and
 * its
 *   space is not free before autovacuum comes. The baseline migration makes it come often to the tables that grow.
 */
export const scrubs = ['rewritten', 'overwritten', 'vacuumed', 'left_to_autovacuum'] as const;
export type Scrub = (typeof scrubs)[number];

export abstract class Scrubber {
  /**
   * Call after deleting rows of these tables; `thorough` if it is worth rewriting the complete file. Null if other
   * connections prevent it; retry later. Rejects with `storage_unavailable` if the disk or the server fails.
   */
  async scrub(tables: readonly string[], thorough: boolean): Promise<Scrub | null> {
    try {
      return await this.remove(tables, thorough);
    } catch (error) {
      throw storeFailure(error);
    }
  }

  protected abstract remove(tables: readonly string[], thorough: boolean): Promise<Scrub | null>;
}

/** Truncates the log of the file, which blocks writes. */
type FileAccess = Pick<LogCheckpoints, 'cut'> & Pick<LogWriter, 'hold'>;

/** Relies on `secure_delete` of the writing connection (sqlite.ts). */
export class SqliteScrubber extends Scrubber {
  constructor(
    private readonly db: BetterSqlite3.Database,
    private readonly file: FileAccess,
    private readonly maxBytes = MAX_BYTES_REWRITTEN,
  ) {
    super();
  }

  protected async remove(_tables: readonly string[], thorough: boolean): Promise<Scrub | null> {
    if (!(await this.file.cut())) return null;
    if (!thorough || statSync(this.db.name).size > this.maxBytes) return 'overwritten';
    if (!(await this.file.hold(async () => this.rewrite()))) return null;
    return (await this.file.cut()) ? 'rewritten' : null;
  }

  private rewrite(): boolean {
    try {
      this.db.exec('VACUUM');
      return true;
    } catch (error) {
      if (isLocked(error)) return false;
      throw error;
    }
  }
}

/** Those of our tables (one array of names) that the role may not vacuum: VACUUM skips them with a warning. */
export const notVacuumed = `SELECT relname AS name FROM pg_class c JOIN pg_database d ON d.datname = current_database()
  WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relkind = 'r' AND c.relname = ANY ($1)
    AND NOT pg_has_role(d.datdba, 'USAGE')
    AND CASE WHEN current_setting('server_version_num')::int < 170000 THEN NOT pg_has_role(c.relowner, 'USAGE')
      ELSE NOT has_table_privilege(c.oid, 'MAINTAIN') END`;

/** Tables (one array of names) with indexes of at most so many bytes. */
const smallTables = `SELECT relname AS name FROM pg_class
  WHERE relnamespace = to_regnamespace(quote_ident(current_schema())) AND relkind = 'r' AND relname = ANY ($1)
    AND pg_total_relation_size(oid) <= $2`;

export class PostgresScrubber extends Scrubber {
  constructor(
    private readonly source: DataSource,
    private readonly maxBytes = MAX_BYTES_VACUUMED,
  ) {
    super();
  }

  protected async remove(tables: readonly string[]): Promise<Scrub> {
    if (tables.length === 0) return 'vacuumed';
    const refused = await this.source.query<{ name: string }[]>(notVacuumed, [tables]);
    if (refused.length > 0) throw Object.assign(new Error('The role may not vacuum a table.'), { code: '42501' });
    const small = await this.source.query<{ name: string }[]>(smallTables, [tables, this.maxBytes]);
    // One statement for each: the limit of a role holds for a statement, and a pooler may not let it be lifted.
    await withoutLimits(this.source, async (runner) => {
      for (const { name } of small) await runner.query(`VACUUM ${name}`);
    });
    return small.length === tables.length ? 'vacuumed' : 'left_to_autovacuum';
  }
}
