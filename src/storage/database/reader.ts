import type { EntityManager } from 'typeorm';
import { type Dialect, type SqlInput, storeFailure } from './dialect.js';
import type { Queryable } from './tx.js';

/** What reading code may ask TypeORM for. */
export type ReadManager = Pick<
  EntityManager,
  'find' | 'findBy' | 'findOne' | 'findOneBy' | 'count' | 'countBy' | 'exists' | 'existsBy'
>;

/**
 * The read side: connections of its own that refuse to write (SQLite: opened read-only; PostgreSQL: every transaction
 * read-only). Sees what is committed, never what a write in progress has done so far. All of it throws
 * `storage_unavailable` where the database cannot be used.
 */
export abstract class Reader implements Queryable {
  abstract readonly dialect: Dialect;
  /** For tests: on SQLite it reads here and now. */
  abstract readonly orm: ReadManager;

  /** For lists, counts and large values: on SQLite a thread reads them, so that the event loop goes on meanwhile. */
  abstract rows<T>(sql: string, parameters?: readonly SqlInput[]): Promise<T[]>;

  few<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T[]> {
    return this.rows(sql, parameters);
  }

  /** The only row, or null; as `few`. */
  async row<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T | null> {
    const [first] = await this.few<T>(sql, parameters);
    return first ?? null;
  }
}

/** The manager with errors that say `storage_unavailable` where they mean it. */
export function failingPlainly(manager: ReadManager): ReadManager {
  return new Proxy(manager, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...parameters: unknown[]): Promise<unknown> => {
        try {
          return (await Reflect.apply(member, target, parameters)) as unknown;
        } catch (error) {
          throw storeFailure(error);
        }
      };
    },
  });
}
