import { ConstantBackoff, handleWhen, retry } from 'cockatiel';
import { AppError } from '../../platform/platform/errors.js';
import { isLocked, isOutOfRoom } from './dialect.js';
import type { LostFile } from './file-watch.js';
import type { Tx } from './tx.js';

export type Work<T> = (tx: Tx) => Promise<T>;

export interface JobOptions {
  /** `first`: before all waiting jobs; for short jobs that a caller waits for. */
  readonly priority?: 'usual' | 'first';
  /** `one`: the job calls its transaction at most once, which saves BEGIN and COMMIT on PostgreSQL. */
  readonly calls?: 'many' | 'one';
}

/** Time a start waits for another process's lock of the file, in addition to the lane's own wait. */
const untilUnlocked = retry(
  handleWhen((error) => error instanceof AppError && isLocked(error.cause)),
  { maxAttempts: 20, backoff: new ConstantBackoff(500) },
);

/**
 * The one way to write. A job is a function over an open transaction: it commits completely or not at all, and its
 * promise settles only after the commit is durable. A failing job does not affect other jobs.
 *
 * A job may run again before it settles (a neighbour failed, PostgreSQL saw a deadlock), so it has no effect but on
 * its transaction, and on what it leaves with `tx.afterCommit`. It awaits the database and nothing else. A call to
 * upstream from inside is refused (`lane_refused`), so no transaction is ever open across the network.
 */
export abstract class WriteLane {
  /** Runs one job; rejects with its error, or with `storage_unavailable` when the commit itself failed. */
  abstract run<T>(work: Work<T>, options?: JobOptions): Promise<T>;

  /** The same for a job at the start, where no caller could be refused: retries while the file is locked. */
  runAtStart<T>(work: Work<T>): Promise<T> {
    return untilUnlocked.execute(() => this.run(work));
  }

  /**
   * A write failed because the disk is full, and `hasRoom` was not called since. Small writes may still succeed on a
   * full disk, so they prove nothing.
   */
  outOfRoom = false;

  /** A write as large as most has just succeeded. */
  hasRoom(): void {
    this.outOfRoom = false;
  }

  protected noteFailure(error: unknown): void {
    if (isOutOfRoom(error)) this.outOfRoom = true;
  }

  /** True if no other process can hold a lease when this lane opens: a SQLite file has one process. */
  readonly ownsFile: boolean = false;

  /** Set once the database file was removed, moved or replaced; then every job is refused. */
  lostFile: LostFile | null = null;

  /** Size in bytes of the write-ahead log; 0 if unknown. */
  logBytes(): number {
    return 0;
  }

  /** True while code of a job runs. */
  abstract inside(): boolean;

  /** Resolves once all pending jobs have settled. */
  abstract idle(): Promise<void>;

  /**
   * Batches small writes of one kind: all that wait when the lane reaches them go through `write` together. If that
   * fails, each is retried alone, so that one bad item rejects only itself, unless the store is at fault.
   */
  batcher<I, R>(write: (tx: Tx, items: readonly I[]) => Promise<readonly R[]>, options?: JobOptions): Batcher<I, R> {
    return new Batcher(this, write, options);
  }
}

/**
 * Runs the reports of a committed transaction outside the lane and before its job's promise continues: an error in
 * one is uncaught and cannot reject a committed job.
 */
export function reportLater(reports: readonly (() => void)[]): void {
  for (const report of reports) queueMicrotask(report);
}

function isStoreAway(error: unknown): boolean {
  return error instanceof AppError && error.code === 'storage_unavailable';
}

interface Waiting<I, R> {
  readonly item: I;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/** Items in one statement and commit. */
const MOST_ITEMS = 500;

/** Small writes that share one statement and one commit; made by {@link WriteLane.batcher}. */
export class Batcher<I, R> {
  private waiting: Waiting<I, R>[] = [];
  private flushing = false;

  constructor(
    private readonly lane: WriteLane,
    private readonly write: (tx: Tx, items: readonly I[]) => Promise<readonly R[]>,
    private readonly options?: JobOptions,
  ) {}

  /** Resolves with the item's result once it is durable. */
  add(item: I): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.flushing) void this.flush();
    });
  }

  private async flush(): Promise<void> {
    this.flushing = true;
    while (this.waiting.length > 0) await this.flushOnce();
    this.flushing = false;
  }

  private async flushOnce(): Promise<void> {
    let taken: Waiting<I, R>[] = [];
    try {
      const results = await this.lane.run((tx) => {
        if (taken.length === 0) taken = this.waiting.splice(0, MOST_ITEMS);
        return this.write(
          tx,
          taken.map((entry) => entry.item),
        );
      }, this.options);
      taken.forEach((entry, index) => entry.resolve(results[index] as R));
    } catch (error) {
      if (taken.length === 0) taken = this.waiting.splice(0, MOST_ITEMS);
      if (taken.length === 1 || isStoreAway(error)) for (const entry of taken) entry.reject(error);
      else await Promise.all(taken.map((entry) => this.alone(entry)));
    }
  }

  private async alone(entry: Waiting<I, R>): Promise<void> {
    try {
      const [result] = await this.lane.run((tx) => this.write(tx, [entry.item]), this.options);
      entry.resolve(result as R);
    } catch (error) {
      entry.reject(error);
    }
  }
}
