import type { Worker } from 'node:worker_threads';
import { CallerTurns } from '../../platform/platform/caller-turns.js';
import { startThread } from '../../platform/platform/start-thread.js';
import type { SqliteOpening } from './sqlite-opening.js';
import { MAX_READER_THREADS, MAX_READS_WAITING, SECOND_READER_AFTER_MS, SECOND_READER_IDLE_MS } from './tuning.js';

/*
 * better-sqlite3 reads synchronously. Long reads run in a few threads with a read-only connection each, so that they
 * do not block the event loop (docs/decisions/0018-reader-threads.md).
 *
 *   waiting --(a thread is idle, or is started)--> running --> done | failed
 *
 * Waiting queries are taken in turn by caller. A thread handles one query at a time, so the event loop receives at most
 * one result per thread in a turn. If a thread ends, its query fails and the next query starts another thread. The
 * first thread starts with the first query; the second starts when a query has to wait, and ends after it was idle for
 * a while. Threads keep the process alive only while they have a query.
 */

export type Value = number | string | Buffer | null;

export interface Question {
  readonly sql: string;
  readonly values: readonly Value[];
}

export type Row = Record<string, unknown>;

/** `bytes` names the columns of kind bytes. */
export type Answer =
  | { readonly rows: Row[]; readonly bytes: readonly string[] }
  | { readonly code: string | null; readonly message: string };

/** Rows are sent immediately, so a thread needs a small young generation; Node's default is 48 MB or more. */
const memory = { maxYoungGenerationSizeMb: 4 };

/** `code` is the driver's, or ours if there was no response. */
export class ReadFailure extends Error {
  override readonly name = 'ReadFailure';

  constructor(
    readonly code: string | null,
    message: string,
  ) {
    super(message);
  }
}

interface Waiting extends Question {
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (error: unknown) => void;
}

export class ReaderThreads {
  private readonly waiting = new CallerTurns<Waiting>();
  private readonly threads = new Set<ReaderThread>();
  private secondTimer: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(private readonly opening: SqliteOpening) {}

  get size(): number {
    return this.threads.size;
  }

  /** All rows of a statement. Rejects with {@link ReadFailure}. */
  rows(sql: string, values: readonly Value[]): Promise<Row[]> {
    if (this.closed) return Promise.reject(new ReadFailure('SQLITE_CANTOPEN', 'The readers are closed.'));
    if (this.waiting.size >= MAX_READS_WAITING) {
      return Promise.reject(new ReadFailure('SQLITE_BUSY', 'Too many reads are waiting.'));
    }
    return new Promise((resolve, reject) => {
      this.waiting.add({ sql, values, resolve, reject });
      this.handOut();
    });
  }

  /** Finishes running queries and refuses the others. */
  async close(): Promise<void> {
    this.closed = true;
    for (const { reject } of this.waiting.takeAll()) {
      reject(new ReadFailure('SQLITE_CANTOPEN', 'The readers are closed.'));
    }
    await Promise.all([...this.threads].map((thread) => thread.end()));
  }

  private handOut(): void {
    if (this.waiting.size > 0 && this.threads.size === 0) this.startFirst();
    for (const thread of this.threads) {
      const next = thread.isIdle ? this.waiting.take() : undefined;
      if (next) thread.take(next);
    }
    if (this.waiting.size > 0)
      this.secondTimer ??= setTimeout(() => this.handOutToSecond(), SECOND_READER_AFTER_MS).unref();
  }

  private handOutToSecond(): void {
    this.secondTimer = null;
    if (this.waiting.size > 0 && this.threads.size < MAX_READER_THREADS) this.startSecond();
    this.handOut();
  }

  private startFirst(): void {
    try {
      this.start(null);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      for (const { reject } of this.waiting.takeAll()) reject(new ReadFailure(code ?? 'SQLITE_CANTOPEN', message));
    }
  }

  private startSecond(): void {
    try {
      this.start(SECOND_READER_IDLE_MS);
    } catch {
      // The first thread continues, and the waiting query tries again.
    }
  }

  /** The thread ends after `idleMs` without a query; null: never. Throws if the system cannot start a thread. */
  private start(idleMs: number | null): void {
    const thread = new ReaderThread(this.opening, idleMs, {
      idle: () => this.handOut(),
      ended: () => {
        this.threads.delete(thread);
        this.handOut();
      },
    });
    this.threads.add(thread);
  }
}

interface Listener {
  idle(): void;
  ended(): void;
}

class ReaderThread {
  private readonly worker: Worker;
  private inHand: Waiting | null = null;
  private isEnding = false;
  private whenIdle: (() => void) | null = null;
  private readonly idleTimer: NodeJS.Timeout | null;

  constructor(
    opening: SqliteOpening,
    idleMs: number | null,
    private readonly listener: Listener,
  ) {
    const url = new URL('./reader.thread.js', import.meta.url);
    this.worker = startThread(url, { workerData: opening, resourceLimits: memory });
    this.worker.unref();
    // Handled in a separate turn, because Node delivers up to 1,000 messages in one turn while more keep arriving.
    this.worker.on('message', (answer: Answer) => void setImmediate(() => this.settle(answer)));
    this.worker.on('error', (error: NodeJS.ErrnoException) =>
      this.fail(error.code ?? 'SQLITE_CANTOPEN', error.message),
    );
    this.worker.on('exit', () => {
      this.fail('SQLITE_CANTOPEN', 'The reading thread has ended.');
      if (this.idleTimer) clearTimeout(this.idleTimer);
      listener.ended();
    });
    this.idleTimer = idleMs === null ? null : setTimeout(() => this.endIfIdle(), idleMs).unref();
  }

  get isIdle(): boolean {
    return this.inHand === null && !this.isEnding;
  }

  take(question: Waiting): void {
    this.inHand = question;
    this.worker.ref();
    this.worker.postMessage({ sql: question.sql, values: question.values } satisfies Question);
  }

  async end(): Promise<void> {
    this.isEnding = true;
    if (this.inHand) await new Promise<void>((resolve) => (this.whenIdle = resolve));
    await this.worker.terminate();
  }

  private endIfIdle(): void {
    if (this.isIdle) void this.end();
  }

  private settle(answer: Answer): void {
    const question = this.release();
    if ('rows' in answer) question?.resolve(withBuffers(answer.rows, answer.bytes));
    else question?.reject(new ReadFailure(answer.code, answer.message));
    this.listener.idle();
  }

  private fail(code: string | null, message: string): void {
    this.release()?.reject(new ReadFailure(code, message));
  }

  private release(): Waiting | null {
    const question = this.inHand;
    this.inHand = null;
    this.idleTimer?.refresh();
    this.worker.unref();
    this.whenIdle?.();
    return question;
  }
}

/** A `Buffer` of the thread arrives as a plain byte array. */
function withBuffers(rows: Row[], columns: readonly string[]): Row[] {
  for (const column of columns) {
    for (const row of rows) {
      const value = row[column];
      if (value instanceof Uint8Array) row[column] = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
  }
  return rows;
}
