import { setImmediate as turn } from 'node:timers/promises';
import { SqliteReader } from '../../src/storage/database/sqlite.js';

const byThreads: unknown = Reflect.get(SqliteReader.prototype, 'rows');

/*
 * A thread takes nearly half as long to start as the application, and most applications of the tests would start one.
 * So the readers of this process read in a later turn of their own. Threads are tested by reader-threads.spec.ts,
 * long-reads.spec.ts, and by all services that run as a process.
 */
async function here<T>(this: SqliteReader, ...[sql, parameters]: Parameters<SqliteReader['rows']>): Promise<T[]> {
  await turn();
  return this.few(sql, parameters);
}

SqliteReader.prototype.rows = here;

/** Reads by threads from now on, as in production. */
export function readByThreads(reader: object): void {
  Object.assign(reader, { rows: byThreads });
}
