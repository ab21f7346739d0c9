import { ConstantBackoff, handleWhen, retry } from 'cockatiel';
import { AppError } from '../../platform/platform/errors.js';
import { isLocked, isOutOfRoom, storeFailure, tableOfTakenKey } from './dialect.js';
import type { LostFile } from './file-watch.js';
import { MAX_ITEMS_A_COMMIT } from './tuning.js';
import type { Tx } from './tx.js';

export type Work<T> = (tx: Tx) => Promise<T>;

export interface JobOptions {
  /** `first`: runs before all waiting jobs; for short jobs that a caller waits for. */
  readonly priority?: 'usual' | 'first';
  /** `one`: the job makes at most one call, which saves BEGIN and COMMIT on PostgreSQL. */
  readonly calls?: 'many' | 'one';
}

/** Time that a start waits for another process's lock of the file, in addition to the lane's own wait. */
const untilUnlocked = retry(
  handleWhen((error) => error instanceof AppError && isLocked(error.cause)),
  { maxAttempts: 20, backoff: new ConstantBackoff(500) },
);

/**
 * The one way to write. A job is a function of an open transaction. It commits completely or not at all, and its
 * promise settles only after the commit is durable. A failing job does not affect other jobs.
 * A job may run again before it settles (another job in its batch failed, or PostgreSQL detected a deadlock), so it
 * must have no effects outside its transaction except through `tx.afterCommit`, and await nothing but the database. A
 * call to upstream inside a job is refused (`lane_refused`), so no transaction stays open during a network call.
 */
export abstract class WriteLane {
  /** Runs one job. Rejects with its error, or with `storage_unavailable` if the commit itself failed. */
  abstract run<T>(work: Work<T>, options?: JobOptions): Promise<T>;

  /** The same for a job at startup, which has no caller to refuse: retries while the file is locked. */
  runAtStart<T>(work: Work<T>): Promise<T> {
    return untilUnlocked.execute(() => this.run(work));
  }

  /**
   * True after a write failed because the disk was full, until `hasRoom` is called. Small writes may still succeed on a
   * full disk, so they do not reset it.
   */
  outOfRoom = false;

  /** Call after a write that was as large as most. */
  hasRoom(): void {
    this.outOfRoom = false;
  }

  /** Number of writes that the store refused, for probes: a check that is older than the last of them is void. */
  refusals = 0;

  /** Table of the last row whose generated number another row already had; null if none since it was cleared. */
  repeatedIn: string | null = null;

  protected noteFailure(error: unknown): void {
    const cause = error instanceof AppError ? error.cause : error;
    if (isOutOfRoom(cause)) this.outOfRoom = true;
    const failure = storeFailure(error);
    if (failure instanceof AppError && failure.code === 'storage_unavailable') this.refusals += 1;
    this.repeatedIn = tableOfTakenKey(cause) ?? this.repeatedIn;
  }

  /** True if no other process can hold a lease when this lane opens, because a SQLite file has one process. */
  readonly ownsFile: boolean = false;

  /** Set once the database file was removed, moved or replaced. Every job is then refused. */
  lostFile: LostFile | null = null;

  /** Size in bytes of the write-ahead log; 0 if unknown. */
  logBytes(): number {
    return 0;
  }

  /** True while a job's code runs. */
  abstract inside(): boolean;

  /** Resolves once all pending jobs have settled. */
  abstract idle(): Promise<void>;

  /**
   * Batches small writes of one kind: all that are waiting when the lane reaches them go through `write` together. If
   * that fails, each is retried alone, so that a bad item rejects only itself. If the store is at fault, none is
   * retried.
   */
  batcher<I, R>(write: (tx: Tx, items: readonly I[]) => Promise<readonly R[]>, options?: JobOptions): Batcher<I, R> {
    return new Batcher(this, write, options);
  }
}

/**
 * Runs the reports of a committed transaction outside the lane, before the job's promise continues. An error in one is
 * uncaught and cannot reject the committed job.
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

/** Small writes that share one statement and commit; made by {@link WriteLane.batcher}. */
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
        if (taken.length === 0) taken = this.waiting.splice(0, MAX_ITEMS_A_COMMIT);
        return this.write(
          tx,
          taken.map((entry) => entry.item),
        );
      }, this.options);
      taken.forEach((entry, index) => entry.resolve(results[index] as R));
    } catch (error) {
      if (taken.length === 0) taken = this.waiting.splice(0, MAX_ITEMS_A_COMMIT);
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
