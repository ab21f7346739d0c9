import type { EntityManager } from 'typeorm';
import type { Dialect, SqlInput } from './dialect.js';
import type { Queryable } from './tx.js';

/** What reading code may ask TypeORM for. */
export type ReadManager = Pick<
  EntityManager,
  'find' | 'findBy' | 'findOne' | 'findOneBy' | 'count' | 'countBy' | 'exists' | 'existsBy'
>;

/**
 * The read side: a connection of its own that refuses to write (SQLite: opened read-only; PostgreSQL: every
 * transaction read-only). Sees what is committed, never what a write in progress has done so far.
 */
export abstract class Reader implements Queryable {
  abstract readonly dialect: Dialect;
  abstract readonly orm: ReadManager;
  abstract rows<T>(sql: string, parameters?: readonly SqlInput[]): Promise<T[]>;

  /** The only row, or null. */
  async row<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T | null> {
    const [first] = await this.rows<T>(sql, parameters);
    return first ?? null;
  }
}
