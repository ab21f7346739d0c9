import type { Worker } from 'node:worker_threads';
import { startThread } from '../../platform/platform/start-thread.js';
import type { SqliteOpening } from './sqlite-opening.js';
import { LOG_LOOK_MS, MAX_CHECKPOINTS_BEFORE_HOLD } from './tuning.js';

/*
 * SQLite appends commits to its write-ahead log and moves them into the file in checkpoints. The committing connection
 * would block the event loop during a checkpoint, so a thread makes them (docs/decisions/0022-short-turns.md).
 *
 *   resting --(enough pages are only in the log, or one for long)--> at work --> resting
 *                                                                   --(the log is long)--> writers wait --> resting
 *
 * The log restarts once all of it is in the file and no reader uses it, which never happens under continuous writes.
 * So writers pause briefly when the log is long. A long read still lets it grow; the file is truncated afterwards. The
 * next checkpoint restarts a thread that ended; without a thread the committing connection makes checkpoints once the
 * log is very long. A crash loses nothing, because the log is on disk.
 */

/** Pages of the log, and how many of them are in the file. */
export interface LogPages {
  readonly log: number;
  readonly checkpointed: number;
}

export type Mode = 'PASSIVE' | 'RESTART' | 'TRUNCATE';

/** Response of the thread; `busy` if other connections blocked the checkpoint or the disk failed. */
export interface Checkpoint extends LogPages {
  readonly busy: boolean;
}

/** The writing connection. */
export interface LogWriter {
  pages(): LogPages;
  /** Runs `work` between two transactions; none starts before it ends. */
  hold<T>(work: () => Promise<T>): Promise<T>;
  /** Truncates the log synchronously; false if other connections prevent it. */
  cut(): boolean;
}

export interface CheckpointPolicy {
  /** Number of pages only in the log that makes a checkpoint worthwhile. */
  readonly pages: number;
  /** Maximum time that a page is only in the log. */
  readonly ageMs: number;
  /** Log size in pages from which writers pause so that the log restarts; at twice this size the file is truncated. */
  readonly longLog: number;
  /** Fewer pages than this are truncated by the committing connection. */
  readonly shortLog: number;
}

/**
 * Pages of 4 KiB. Messages of one account change the same pages repeatedly, and a checkpoint copies each only once
 * (docs/decisions/0022-short-turns.md).
 */
const usualPolicy: CheckpointPolicy = { pages: 8_000, ageMs: 60_000, longLog: 16_000, shortLog: 1_000 };

/** Copying pages allocates no objects. */
const memory = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 };
const nothing: Checkpoint = { busy: true, log: 0, checkpointed: 0 };

export class LogCheckpoints {
  private thread: Worker | null = null;
  private answered: ((checkpoint: Checkpoint) => void) | null = null;
  /** Runs the current checkpoints one after another. */
  private work: Promise<unknown> | null = null;
  private lookedAt = 0;
  private ageing: NodeJS.Timeout | undefined;
  /** Log size at which writers pause again. */
  private nextHold = this.policy.longLog;
  private closed = false;
  ended = 0;

  constructor(
    private readonly opening: SqliteOpening,
    private readonly writer: LogWriter,
    private readonly policy = usualPolicy,
  ) {}

  get atWork(): boolean {
    return this.work !== null;
  }

  /** Called after a commit. */
  committed(): void {
    if (this.closed) return;
    this.ageing ??= setTimeout(() => this.begin(), this.policy.ageMs).unref();
    const now = performance.now();
    if (this.work || now - this.lookedAt < LOG_LOOK_MS) return;
    this.lookedAt = now;
    const { log, checkpointed } = this.writer.pages();
    if (log - checkpointed >= this.policy.pages) this.begin();
  }

  /**
   * Moves everything into the file and truncates the log; false if other connections prevent it. A short log is
   * truncated here, which is faster than starting a thread.
   */
  async cut(): Promise<boolean> {
    while (this.work) await this.work;
    const { log, checkpointed } = this.writer.pages();
    if (log - checkpointed < this.policy.shortLog) return this.under(this.writer.hold(async () => this.writer.cut()));
    const { busy } = await this.under(this.writer.hold(() => this.checkpoint('TRUNCATE')));
    return !busy;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.ageing);
    await this.work;
    await this.thread?.terminate();
  }

  private begin(): void {
    clearTimeout(this.ageing);
    this.ageing = undefined;
    if (!this.closed && !this.work) void this.under(this.round());
  }

  private under<T>(work: Promise<T>): Promise<T> {
    const ended = work.finally(() => {
      this.ended += 1;
      if (this.work === ended) this.work = null;
    });
    this.work = ended;
    return ended;
  }

  private async round(): Promise<void> {
    const { log } = await this.checkpoint('PASSIVE');
    if (log < this.policy.longLog) this.nextHold = this.policy.longLog;
    if (log < this.nextHold) return;
    // Each pass leaves only what was written during the previous one, so that writers wait briefly.
    for (let again = 0; again < MAX_CHECKPOINTS_BEFORE_HOLD; again++) await this.checkpoint('PASSIVE');
    // No immediate retry if a reader keeps the log from restarting.
    this.nextHold = log + this.policy.longLog;
    await this.writer.hold(() => this.checkpoint(log < 2 * this.policy.longLog ? 'RESTART' : 'TRUNCATE'));
  }

  /** `nothing` if the thread has ended, or the system could not start one. */
  private async checkpoint(mode: Mode): Promise<Checkpoint> {
    const thread = (this.thread ??= this.tryToStart());
    if (thread === null) return nothing;
    thread.ref();
    return new Promise((resolve) => {
      this.answered = (checkpoint) => {
        this.answered = null;
        thread.unref();
        resolve(checkpoint);
      };
      thread.postMessage(mode);
    });
  }

  private tryToStart(): Worker | null {
    try {
      return this.start();
    } catch {
      // The length of the log shows that a checkpoint is missing.
      return null;
    }
  }

  private start(): Worker {
    const url = new URL('./log-checkpoints.thread.js', import.meta.url);
    const thread = startThread(url, { workerData: this.opening, resourceLimits: memory });
    thread.on('message', (checkpoint: Checkpoint) => this.answered?.(checkpoint));
    // The length of the log shows that a checkpoint failed.
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      if (this.thread === thread) this.thread = null;
      this.answered?.(nothing);
    });
    return thread;
  }
}
