import type { Dialect, SqlInput } from './dialect.js';
import type { Replica } from './replica.js';
import type { Queryable } from './tx.js';

/**
 * The read side: separate connections that cannot write (SQLite: opened read-only; PostgreSQL: read-only transactions).
 * Sees only committed rows. All methods throw `storage_unavailable` if the database is unavailable.
 */
export abstract class Reader implements Queryable {
  abstract readonly dialect: Dialect;

  /** Why the tables may not be read, because rows of them may be hidden; null if they may. */
  unfit: string | null = null;

  /** The standby of `DATABASE_READ_URL`; null without one. */
  readonly replica: Replica | null = null;

  /** Sessions of the process while the server or its pooler has no further one for it; null if it has enough. */
  get fewSessions(): number | null {
    return null;
  }

  /** For lists, counts and large values. On SQLite a thread reads them, so that the event loop is not blocked. */
  abstract rows<T>(sql: string, parameters?: readonly SqlInput[]): Promise<T[]>;

  /** For the database's own catalog: allowed even while the tables may not be read. */
  catalog<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T[]> {
    return this.rows(sql, parameters);
  }

  few<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T[]> {
    return this.rows(sql, parameters);
  }

  /** The only row, or null; reads like `few`. */
  async row<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T | null> {
    const [first] = await this.few<T>(sql, parameters);
    return first ?? null;
  }
}
