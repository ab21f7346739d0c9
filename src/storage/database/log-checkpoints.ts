import type { Worker } from 'node:worker_threads';
import { startThread } from '../../platform/platform/start-thread.js';
import type { SqliteOpening } from './sqlite-opening.js';

/*
 * What is committed is at the end of SQLite's write-ahead log, and is brought into the file later: a checkpoint. A
 * connection that commits would make them itself, and the event loop would stand still for as long as the disk takes.
 * So a thread makes them (docs/decisions/0022-short-turns.md).
 *
 *   resting --(enough is in the log alone, or something for long)--> at work --> resting
 *                                                                   --(the log is long)--> writers wait --> resting
 *
 * The log begins anew when everything in it is in the file and nobody reads it; while one writes on and on, that never
 * comes by itself. So writers wait for a moment when the log is long. Somebody who reads for long lets it grow all the
 * same, and its file is cut afterwards. A thread that ends is started again by the next checkpoint; without one, the
 * connection that commits makes them after all once the log is very long. A crash costs nothing: the log is on disk.
 */

/** Pages of the log, and how many of them are in the file. */
export interface LogPages {
  readonly log: number;
  readonly checkpointed: number;
}

export type Mode = 'PASSIVE' | 'RESTART' | 'TRUNCATE';

/** What the thread answers; `busy` where others were in the way, or the disk refused. */
export interface Checkpoint extends LogPages {
  readonly busy: boolean;
}

/** Of the connection that writes. */
export interface LogWriter {
  pages(): LogPages;
  /** Runs `work` between two transactions; none begins until it has ended. */
  hold<T>(work: () => Promise<T>): Promise<T>;
  /** Cuts the log itself, while its caller stands still; false where others are in the way. */
  cut(): boolean;
}

export interface CheckpointPolicy {
  /** Pages in the log alone that make a checkpoint worth its while. */
  readonly pages: number;
  /** For so long at most something is in the log alone. */
  readonly ageMs: number;
  /**
   * Pages of the log from which writers wait for a moment, so that it begins anew; its file is cut at twice as many.
   */
  readonly longLog: number;
  /** Fewer pages in the log alone are cut by the connection that commits. */
  readonly shortLog: number;
}

/**
 * Pages of 4 KiB. Messages of one account change the same page one after another; a checkpoint copies it once
 * (docs/decisions/0022-short-turns.md).
 */
export const usualPolicy: CheckpointPolicy = { pages: 8_000, ageMs: 60_000, longLog: 16_000, shortLog: 1_000 };

/** From here on the connection that commits makes checkpoints itself: 256 MiB. */
export const EMERGENCY_PAGES = 65_536;

/** The log is looked at no more often. */
const LOOK_MS = 10;
const CHECKPOINTS_BEFORE_HOLD = 3;
/** Copying pages makes no objects. */
const memory = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 };
const nothing: Checkpoint = { busy: true, log: 0, checkpointed: 0 };

export class LogCheckpoints {
  private thread: Worker | null = null;
  private answered: ((checkpoint: Checkpoint) => void) | null = null;
  /** The checkpoints of now, one after another. */
  private work: Promise<unknown> | null = null;
  private lookedAt = 0;
  private ageing: NodeJS.Timeout | undefined;
  /** Writers are made to wait again once the log is as long as this. */
  private nextHold: number;
  private closed = false;

  constructor(
    private readonly opening: SqliteOpening,
    private readonly writer: LogWriter,
    private readonly policy = usualPolicy,
  ) {
    this.nextHold = policy.longLog;
  }

  /** Something was committed. */
  committed(): void {
    if (this.closed) return;
    this.ageing ??= setTimeout(() => this.begin(), this.policy.ageMs).unref();
    const now = performance.now();
    if (this.work || now - this.lookedAt < LOOK_MS) return;
    this.lookedAt = now;
    const { log, checkpointed } = this.writer.pages();
    if (log - checkpointed >= this.policy.pages) this.begin();
  }

  /**
   * Brings everything into the file and cuts the log to nothing; false where others are in the way. Where it is short
   * that takes less than to start a thread.
   */
  async cut(): Promise<boolean> {
    while (this.work) await this.work;
    const { log, checkpointed } = this.writer.pages();
    if (log - checkpointed < this.policy.shortLog) return this.under(this.writer.hold(async () => this.writer.cut()));
    const { busy } = await this.under(this.writer.hold(() => this.checkpoint('TRUNCATE')));
    return !busy;
  }

  /** Waits for the checkpoint in hand. */
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
      if (this.work === ended) this.work = null;
    });
    this.work = ended;
    return ended;
  }

  private async round(): Promise<void> {
    const { log } = await this.checkpoint('PASSIVE');
    if (log < this.policy.longLog) this.nextHold = this.policy.longLog;
    if (log < this.nextHold) return;
    // Each leaves only what was written during the one before, so that writers wait for little.
    for (let again = 0; again < CHECKPOINTS_BEFORE_HOLD; again++) await this.checkpoint('PASSIVE');
    // Not again at once where a reader keeps the log from beginning anew.
    this.nextHold = log + this.policy.longLog;
    await this.writer.hold(() => this.checkpoint(log < 2 * this.policy.longLog ? 'RESTART' : 'TRUNCATE'));
  }

  /** `nothing` where the thread has ended. */
  private checkpoint(mode: Mode): Promise<Checkpoint> {
    const thread = (this.thread ??= this.start());
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

  private start(): Worker {
    const url = new URL('./log-checkpoints.thread.js', import.meta.url);
    const thread = startThread(url, { workerData: this.opening, resourceLimits: memory });
    thread.on('message', (checkpoint: Checkpoint) => this.answered?.(checkpoint));
    // What it could not do shows in the length of the log.
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      if (this.thread === thread) this.thread = null;
      this.answered?.(nothing);
    });
    return thread;
  }
}
