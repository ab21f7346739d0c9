import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import { LRUCache } from 'lru-cache';

/** better-sqlite3 13 is built for this Node-API version; on an older one it loads and then crashes the process. */
const NODE_API_OF_13 = 10;

/**
 * The package to load where Node has this Node-API version: better-sqlite3 13 where it runs, 12.11.1 elsewhere, which
 * is Node 20. From 24.19 on Node crashes with 12 (docs/decisions/0012-node-lines-and-the-sqlite-driver.md).
 */
export function sqlitePackage(nodeApi: number): 'better-sqlite3' | 'better-sqlite3-node-20' {
  return nodeApi >= NODE_API_OF_13 ? 'better-sqlite3' : 'better-sqlite3-node-20';
}

/** better-sqlite3, as this Node can run it. What we use of it is the same in 12 and 13. */
export const SqliteDatabase = createRequire(import.meta.url)(
  sqlitePackage(Number(process.versions['napi'])),
) as typeof BetterSqlite3;

/** Prepared statements by their text. */
export type StatementCache = (sql: string) => BetterSqlite3.Statement;

/** The statements of one connection; those not used for longest are dropped where there are more than `max`. */
export function statementCache(db: BetterSqlite3.Database, max = 500): StatementCache {
  const prepared = new LRUCache<string, BetterSqlite3.Statement>({ max, memoMethod: (sql) => db.prepare(sql) });
  return (sql) => prepared.memo(sql);
}
