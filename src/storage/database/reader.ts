import type { EntityManager } from 'typeorm';
import { type Dialect, type SqlInput, storeFailure } from './dialect.js';
import type { Queryable } from './tx.js';

/** The part of TypeORM that readers may use. */
export type ReadManager = Pick<
  EntityManager,
  'find' | 'findBy' | 'findOne' | 'findOneBy' | 'count' | 'countBy' | 'exists' | 'existsBy'
>;

/**
 * The read side: separate connections that cannot write (SQLite: opened read-only; PostgreSQL: read-only
 * transactions). Sees committed rows only. Every method throws `storage_unavailable` if the database is unavailable.
 */
export abstract class Reader implements Queryable {
  abstract readonly dialect: Dialect;
  /** For tests: on SQLite it reads synchronously. */
  abstract readonly orm: ReadManager;

  /** For lists, counts and large values: on SQLite a thread reads them, so that the event loop is not blocked. */
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

/** The manager, with database errors converted to `storage_unavailable` where they mean that. */
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
