import type { EntityManager } from 'typeorm';
import { type Dialect, type SqlInput, storeFailure } from './dialect.js';
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
  /** Throws `storage_unavailable` where the database cannot be used, as `orm` does. */
  abstract rows<T>(sql: string, parameters?: readonly SqlInput[]): Promise<T[]>;

  /** The only row, or null. */
  async row<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T | null> {
    const [first] = await this.rows<T>(sql, parameters);
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
