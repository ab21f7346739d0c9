import type BetterSqlite3 from 'better-sqlite3';
import type { EntityManager } from 'typeorm';
import { AppError } from '../platform/errors.js';
import { ROWS_PER_STATEMENT, sqliteBulkText } from './bulk.js';
import { type SqlInput, type SqlValue, toSqlValue } from './dialect.js';
import { StatementCache } from './statement-cache.js';
import type { BulkShape, Tx, TxOperations } from './tx.js';
import { type Work, WriteLane } from './write-lane.js';

/*
 * Group commit on the one SQLite connection that writes.
 *
 *   queue --setImmediate--> BEGIN; for each job: SAVEPOINT, work, RELEASE (or ROLLBACK TO); COMMIT --> settle all
 *
 * better-sqlite3 is synchronous, so a job that awaits nothing but its transaction finishes within the microtasks
 * of one turn of the event loop, and no other code can come between. A job still open when the next turn begins
 * is waiting for something else: it is rolled back and refused. Nothing settles before the COMMIT. A crash before
 * it leaves none of the jobs, after it all of them; a failing COMMIT rejects them all.
 */

/** A turn takes no new jobs after so long, to let the rest of the process breathe. */
const TURN_MS = 8;

interface Job {
  work: Work<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

type Settled = { job: Job; error: unknown } | { job: Job; result: unknown };

export class SqliteWriteLane extends WriteLane {
  private readonly queue: Job[] = [];
  private scheduled = false;
  private open = false;
  private idleWaiters: (() => void)[] = [];
  private readonly begin: BetterSqlite3.Statement;
  private readonly commit: BetterSqlite3.Statement;
  private readonly savepoint: BetterSqlite3.Statement;
  private readonly release: BetterSqlite3.Statement;
  private readonly undo: BetterSqlite3.Statement;
  private readonly statements: StatementCache;

  constructor(
    private readonly db: BetterSqlite3.Database,
    private readonly orm: EntityManager,
  ) {
    super();
    this.begin = db.prepare('BEGIN IMMEDIATE');
    this.commit = db.prepare('COMMIT');
    this.savepoint = db.prepare('SAVEPOINT job');
    this.release = db.prepare('RELEASE job');
    this.undo = db.prepare('ROLLBACK TO job');
    this.statements = new StatementCache(db);
  }

  run<T>(work: Work<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.queue.push({ work, resolve: resolve, reject });
      this.schedule();
    });
  }

  inside(): boolean {
    return this.open;
  }

  idle(): Promise<void> {
    if (this.queue.length === 0 && !this.scheduled) return Promise.resolve();
    return new Promise((resolve) => this.idleWaiters.push(resolve));
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => void this.turn());
  }

  private async turn(): Promise<void> {
    const settled: Settled[] = [];
    try {
      this.begin.run();
    } catch (error) {
      this.failAll(this.queue.splice(0), error);
      return this.endTurn();
    }
    this.open = true;
    const started = performance.now();
    for (let job = this.queue.shift(); job; job = this.queue.shift()) {
      settled.push(await this.attempt(job));
      if (!this.db.inTransaction || performance.now() - started > TURN_MS) break;
    }
    this.open = false;
    this.finish(settled);
    this.endTurn();
  }

  /** One job between a savepoint and its release. */
  private async attempt(job: Job): Promise<Settled> {
    const tx = new SqliteTx(this.orm, this.statements);
    const watch = new HoldWatch();
    try {
      this.savepoint.run();
      const result = await Promise.race([job.work(tx as TxOperations as Tx), watch.refused]);
      tx.end();
      this.release.run();
      return { job, result };
    } catch (error) {
      tx.end();
      this.undoJob();
      return { job, error };
    } finally {
      watch.stop();
    }
  }

  /** Where not even that works, the whole turn is given up: its COMMIT fails and rejects every job. */
  private undoJob(): void {
    if (!this.db.inTransaction) return;
    try {
      this.undo.run();
      this.release.run();
    } catch {
      if (this.db.inTransaction) this.db.exec('ROLLBACK');
    }
  }

  private finish(settled: Settled[]): void {
    try {
      this.commit.run();
    } catch (error) {
      if (this.db.inTransaction) this.db.exec('ROLLBACK');
      this.failAll(
        settled.map((entry) => entry.job),
        error,
      );
      return;
    }
    for (const entry of settled) {
      if ('error' in entry) entry.job.reject(entry.error);
      else entry.job.resolve(entry.result);
    }
  }

  private failAll(jobs: Job[], cause: unknown): void {
    const error = new AppError('storage_unavailable', 'The database did not take the write.', { cause });
    for (const job of jobs) job.reject(error);
  }

  private endTurn(): void {
    this.scheduled = false;
    if (this.queue.length > 0) return this.schedule();
    for (const resolve of this.idleWaiters.splice(0)) resolve();
  }
}

/** Refuses a job that is still open when the event loop turns. */
class HoldWatch {
  readonly refused: Promise<never>;
  private timer: NodeJS.Immediate | undefined;

  constructor() {
    this.refused = new Promise<never>((_, reject) => {
      this.timer = setImmediate(() =>
        reject(new AppError('lane_refused', 'A write job waited for something other than its transaction.')),
      );
    });
  }

  stop(): void {
    clearImmediate(this.timer);
  }
}

class SqliteTx implements TxOperations {
  readonly dialect = 'sqlite';
  readonly skipLocked = '';
  private live = true;

  constructor(
    private readonly manager: EntityManager,
    private readonly statements: StatementCache,
  ) {}

  get orm(): EntityManager {
    this.assertLive();
    return this.manager;
  }

  async rows<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T[]> {
    this.assertLive();
    return this.statements.get(sql).all(parameters.map(toSqlValue)) as T[];
  }

  async execute(sql: string, parameters: readonly SqlInput[] = []): Promise<number> {
    this.assertLive();
    return this.statements.get(sql).run(parameters.map(toSqlValue)).changes;
  }

  async bulk(shape: BulkShape, values: readonly SqlValue[]): Promise<number> {
    this.assertLive();
    const width = shape.columns.length;
    const step = ROWS_PER_STATEMENT * width;
    let written = 0;
    for (let from = 0; from < values.length; from += step) {
      const slice = values.length <= step ? values : values.slice(from, from + step);
      written += this.statements.get(sqliteBulkText(shape, slice.length / width)).run(slice).changes;
    }
    return written;
  }

  async lock(): Promise<void> {
    this.assertLive();
  }

  end(): void {
    this.live = false;
  }

  private assertLive(): void {
    if (!this.live) throw new AppError('lane_refused', 'The transaction has ended.');
  }
}
