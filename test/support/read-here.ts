import { setImmediate as turn } from 'node:timers/promises';
import { SqliteReader } from '../../src/storage/database/sqlite.js';

const byThreads: unknown = Reflect.get(SqliteReader.prototype, 'rows');

/*
 * Starting a thread takes nearly half as long as starting the application, and most test applications would start one.
 * So readers in this process read in a later turn of their own event loop. Threads are tested by
 * reader-threads.spec.ts, long-reads.spec.ts, and by all services in separate processes.
 */
async function here<T>(this: SqliteReader, ...[sql, parameters]: Parameters<SqliteReader['rows']>): Promise<T[]> {
  await turn();
  return this.few(sql, parameters);
}

SqliteReader.prototype.rows = here;

/** Makes this reader use threads from now on, as in production. */
export function readByThreads(reader: object): void {
  Object.assign(reader, { rows: byThreads });
}
