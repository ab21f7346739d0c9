import { parentPort, workerData } from 'node:worker_threads';
import type BetterSqlite3 from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { Answer, Question, Row } from './reader-threads.js';
import { keepFewPages, openBy, type SqliteOpening } from './sqlite-opening.js';
import { MAX_STATEMENTS_PREPARED } from './tuning.js';

/* The thread of reader-threads.ts: one read-only connection, one statement at a time. */

const db = openBy(workerData as SqliteOpening, { readonly: true, fileMustExist: true, timeout: 0 });
let keepsFewPages = false;

interface Prepared {
  readonly statement: BetterSqlite3.Statement;
  readonly bytes: readonly string[];
}

const prepared = new LRUCache<string, Prepared>({ max: MAX_STATEMENTS_PREPARED, memoMethod: prepare });

function prepare(sql: string): Prepared {
  const statement = db.prepare(sql);
  const bytes = statement.columns().filter(({ type }) => type?.toLowerCase() === 'blob');
  return { statement, bytes: bytes.map(({ name }) => name) };
}

function answerTo({ sql, values }: Question): Answer {
  try {
    const { statement, bytes } = prepared.memo(sql);
    return { rows: statement.all(values) as Row[], bytes };
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    return { code: typeof code === 'string' ? code : null, message: String(message) };
  }
}

/** Opens the file at the first query, so that a brief lock of the file does not end the thread. */
function tryToKeepFewPages(): void {
  try {
    keepFewPages(db);
    keepsFewPages = true;
  } catch {
    // The file is opened again by the next query; this query reports its own error.
  }
}

parentPort?.on('message', (question: Question) => {
  if (!keepsFewPages) tryToKeepFewPages();
  parentPort?.postMessage(answerTo(question));
});
