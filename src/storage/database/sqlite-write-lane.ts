import { statSync } from 'node:fs';
import type BetterSqlite3 from 'better-sqlite3';
import type { EntityManager } from 'typeorm';
import { CallerTurns } from '../../platform/platform/caller-turns.js';
import type { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { isLocked, storageUnavailable, storeFailure } from './dialect.js';
import { SqliteTx, statementCache } from './sqlite-driver.js';
import { LOCK_LOOK_MS, MAX_LOCK_WAIT_MS, MAX_OWED_MS, MAX_WRITE_TURN_MS } from './tuning.js';
import type { Tx, TxOperations } from './tx.js';
import { type JobOptions, reportLater, type Work, WriteLane } from './write-lane.js';

/*
 * Group commit on the one SQLite connection that writes.
 *
 *   queue --setImmediate--> BEGIN; job; job; ... COMMIT --> settle all
 *                           a job fails --> ROLLBACK --> alone: reject it
 *                                                    --> after others: BEGIN; each again between SAVEPOINT and RELEASE
 *                                                        (ROLLBACK TO for those that fail); COMMIT --> settle all
 *
 * better-sqlite3 is synchronous, so a job that awaits nothing but its transaction finishes within the microtasks
 * of one turn of the event loop, and no other code can run in between. A job still open when the next turn begins
 * is waiting for something else: it is rolled back and refused. Nothing settles before the COMMIT. A crash before
 * it leaves no effect of the jobs, after it all of them; a failing COMMIT rejects them all.
 *
 * Another process may lock the file (a backup, a VACUUM in another program). SQLite's own busy wait would block the
 * event loop, so it is off: a turn that finds the file locked is retried by a timer, and once the lock has lasted for
 * MAX_LOCK_WAIT_MS all waiting and new jobs are refused until it is released.
 *
 * Callers take turns: the many jobs of one caller do not hold up a job of another (CallerTurns).
 *
 * Urgent jobs run first, in a separate turn, so that their callers do not wait for other jobs. The time they take
 * while others wait is owed to the others, so that under a flood of webhooks half of the lane is left to process them.
 */

interface Job {
  work: Work<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

type Settled = { job: Job; error: unknown } | { job: Job; result: unknown; reports: readonly (() => void)[] };

export class SqliteWriteLane extends WriteLane {
  private readonly queue = new CallerTurns<Job>();
  private readonly urgent = new CallerTurns<Job>();
  /** Time owed to other jobs that waited for urgent ones. */
  private owedMs = 0;
  private scheduled = false;
  private open = false;
  /** The current turn, or the last one. */
  private current: Promise<void> = Promise.resolve();
  /** When another process's lock of the file was first seen; monotonic time. */
  private lockedSince: number | null = null;
  private idleWaiters: (() => void)[] = [];
  /** Work during which no transaction may run; the next turn waits for it. */
  private held: Promise<unknown> | null = null;
  private committed: () => void = () => undefined;
  private assertThere: () => void = () => undefined;
  override readonly ownsFile = true;
  private readonly beginning = this.db.prepare('BEGIN IMMEDIATE');
  private readonly commit = this.db.prepare('COMMIT');
  private readonly savepoint = this.db.prepare('SAVEPOINT job');
  private readonly release = this.db.prepare('RELEASE job');
  private readonly undo = this.db.prepare('ROLLBACK TO job');
  private readonly statements = statementCache(this.db);

  constructor(
    private readonly db: BetterSqlite3.Database,
    private readonly orm: EntityManager,
    private readonly clock: Clock,
  ) {
    super();
  }

  run<T>(work: Work<T>, { priority }: JobOptions = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      (priority === 'first' ? this.urgent : this.queue).add({ work, resolve, reject });
      this.schedule();
    });
  }

  inside(): boolean {
    return this.open;
  }

  override logBytes(): number {
    return statSync(`${this.db.name}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  idle(): Promise<void> {
    if (!this.scheduled) return Promise.resolve();
    return new Promise((resolve) => this.idleWaiters.push(resolve));
  }

  /** Called after each turn, which may have committed. */
  onCommit(committed: () => void): void {
    this.committed = committed;
  }

  /**
   * Sets a check that runs after each commit and before it is confirmed. It throws if the file is gone (file-watch.ts).
   */
  confirmBy(assertThere: () => void): void {
    this.assertThere = assertThere;
  }

  /** Runs `work` between two turns; new jobs wait until it ends. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    while (this.held) await this.held.catch(() => undefined);
    const held = this.current.then(work);
    this.held = held;
    try {
      return await held;
    } finally {
      this.held = null;
    }
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => void this.begin());
  }

  private async begin(): Promise<void> {
    while (this.held) await this.held.catch(() => undefined);
    this.current = this.turn();
  }

  private async turn(): Promise<void> {
    const taken: Job[] = [];
    try {
      if (this.lostFile !== null) this.assertThere();
      if (!this.tryBegin()) return this.beginLater();
      this.open = true;
      const settled = await this.work(taken);
      if (this.db.inTransaction) this.commit.run();
      this.assertThere();
      settle(settled);
    } catch (error) {
      if (taken.length === 0) taken.push(...this.urgent.takeAll(), ...this.queue.takeAll());
      this.rollBack();
      this.failAll(taken, error);
    }
    this.open = false;
    this.committed();
    this.endTurn();
  }

  private beginLater(): void {
    setTimeout(() => void this.begin(), LOCK_LOOK_MS);
  }

  /** False while it is worth waiting for another process's lock. */
  private tryBegin(): boolean {
    try {
      this.beginning.run();
      this.lockedSince = null;
      return true;
    } catch (error) {
      if (!isLocked(error)) throw error;
      this.lockedSince ??= performance.now();
      if (performance.now() - this.lockedSince >= MAX_LOCK_WAIT_MS) throw error;
      return false;
    }
  }

  /** Jobs rarely fail, so they run without savepoints until one does. Adds each job taken from the queue to `taken`. */
  private async work(taken: Job[]): Promise<Settled[]> {
    const settled: Settled[] = [];
    const started = performance.now();
    for (let begun = started, next = this.take(); next; next = this.take()) {
      taken.push(next.job);
      const outcome = await this.attempt(next.job);
      settled.push(outcome);
      const ended = performance.now();
      this.charge(next.isUrgent, ended - begun);
      begun = ended;
      if ('error' in outcome) {
        this.rollBack();
        return taken.length === 1 ? settled : this.workApart(taken);
      }
      const isLastUrgent = next.isUrgent && this.urgent.size === 0;
      if (isLastUrgent || ended - started > MAX_WRITE_TURN_MS) break;
    }
    return settled;
  }

  /** Rejects if SQLite itself rolled the transaction back; nothing of the turn is left then. */
  private async workApart(jobs: readonly Job[]): Promise<Settled[]> {
    this.beginning.run();
    const settled: Settled[] = [];
    for (const job of jobs) {
      this.savepoint.run();
      const outcome = await this.attempt(job);
      settled.push(outcome);
      if ('error' in outcome) this.undo.run();
      this.release.run();
    }
    return settled;
  }

  private take(): { readonly job: Job; readonly isUrgent: boolean } | null {
    const isUrgent = this.urgent.size > 0 && (this.owedMs <= 0 || this.queue.size === 0);
    const job = (isUrgent ? this.urgent : this.queue).take();
    return job ? { job, isUrgent } : null;
  }

  private charge(isUrgent: boolean, ms: number): void {
    if (this.queue.size === 0) this.owedMs = 0;
    else this.owedMs = Math.min(MAX_OWED_MS, Math.max(0, this.owedMs + (isUrgent ? ms : -ms)));
  }

  /** Refuses a job that is still open when the event loop turns. */
  private async attempt(job: Job): Promise<Settled> {
    const tx = new SqliteTx(this.clock.now(), this.orm, this.statements);
    let turned: NodeJS.Immediate | undefined;
    const refused = new Promise<never>((_, reject) => {
      turned = setImmediate(() => reject(waitedForOthers()));
    });
    try {
      const result = await Promise.race([job.work(tx as TxOperations as Tx), refused]);
      return { job, result, reports: tx.reports };
    } catch (error) {
      this.noteFailure(error);
      return { job, error: storeFailure(error) };
    } finally {
      tx.end();
      clearImmediate(turned);
    }
  }

  private rollBack(): void {
    if (this.db.inTransaction) this.db.exec('ROLLBACK');
  }

  private failAll(jobs: Job[], cause: unknown): void {
    this.noteFailure(cause);
    const error = storageUnavailable(cause);
    for (const job of jobs) job.reject(error);
  }

  private endTurn(): void {
    this.scheduled = false;
    if (this.urgent.size + this.queue.size > 0) return this.schedule();
    for (const resolve of this.idleWaiters.splice(0)) resolve();
  }
}

function settle(settled: readonly Settled[]): void {
  for (const entry of settled) {
    if ('error' in entry) entry.job.reject(entry.error);
    else {
      reportLater(entry.reports);
      entry.job.resolve(entry.result);
    }
  }
}

function waitedForOthers(): AppError {
  return new AppError('lane_refused', 'A write job waited for something other than its transaction.');
}
