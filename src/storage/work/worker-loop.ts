import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../platform/platform/clock.js';
import { AppError, describeError } from '../../platform/platform/errors.js';
import type { Log } from '../../platform/platform/log.js';
import type { Metrics } from '../../platform/platform/metrics.js';
import { withinRequest } from '../../platform/platform/request-context.js';
import { driverCode, storeFailure } from '../database/dialect.js';

/**
 * One background worker: prevents overlap and drains, around a `work` function that claims due rows.
 *
 *   idle    --tick-->  busy      work runs once
 *   busy    --tick-->  busy      remembered; one more round follows, however many ticks there were
 *   busy    --more-->  busy      next round after one turn of the event loop
 *   busy    --idle, skipped or exception--> idle     unless a tick was remembered
 *   any     --stop-->  stopped   the signal is aborted, no further round begins
 *
 * If the database or its disk fails, so does the round: the next tick runs it again, and the log shows
 * `storage_unavailable`.
 *
 * A crash loses nothing, because every round reads due work from the tables.
 */

/** `idle`: nothing was due. `more`: work was done, more may be due. `skipped`: another process holds the lease. */
export type WorkOutcome = 'idle' | 'more' | 'skipped';

export interface WorkerLoopOptions {
  name: string;
  /** One round of limited length. Must check the signal between steps and leave its rows claimable if it ends early. */
  work: (signal: AbortSignal) => Promise<WorkOutcome>;
  clock: Clock;
  log: Log;
  metrics: Metrics;
}

interface Failure {
  error: unknown;
}

/** The server ended a statement at its limit, or lacks a right: the round alone is at fault, and will fail again. */
const ofRound: ReadonlySet<string | null> = new Set(['57014', '42501']);

function isStoreAway(error: unknown): boolean {
  const isAway = error instanceof AppError && error.code === 'storage_unavailable';
  return isAway && !ofRound.has(driverCode(error.cause));
}

export class WorkerLoop {
  readonly name = this.options.name;
  /** Time of the last tick; monotonic. For the readiness probe. */
  lastTickAt: number | null = null;
  /** When the last round began or ended; monotonic. Null before the first one. */
  lastRoundAt: number | null = null;
  /** When the current round began; monotonic. Null between rounds. */
  roundStartedAt: number | null = null;
  /** Number of rounds that found work. */
  productiveRounds = 0;
  /** Rounds that failed in a row, without those during which the store was away. */
  failures = 0;

  private readonly stopper = new AbortController();
  private readonly outcomes = this.options.metrics.counter('worker_rounds_total', 'Worker rounds by outcome', [
    'worker',
    'outcome',
  ]);
  private run: Promise<Failure | undefined> | null = null;
  private tickPending = false;
  private gathering: NodeJS.Timeout | undefined;

  constructor(private readonly options: WorkerLoopOptions) {}

  get busy(): boolean {
    return this.run !== null;
  }

  /** Requests a round. Never throws, waits or overlaps; ignored once stopped. */
  tick(): void {
    if (this.stopper.signal.aborted) return;
    this.lastTickAt = this.options.clock.monotonic();
    if (this.run) this.tickPending = true;
    else void this.begin();
  }

  /** Hints that work is due. Does nothing if the loop was never started. */
  wake(): void {
    if (this.lastTickAt !== null) this.tick();
  }

  /** Like `wake`, once after `ms`, so that one round handles what becomes due meanwhile. */
  wakeWithin(ms: number): void {
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined;
      this.wake();
    }, ms).unref();
  }

  /** Works until nothing is due or another process holds the lease. Rejects with the error of a failed round. */
  async runUntilIdle(): Promise<void> {
    while (this.run) await this.run;
    if (this.stopper.signal.aborted) return;
    const failure = await this.begin();
    if (failure) throw failure.error;
  }

  /** Ends the loop. Returns `drained` if the current round ended within `deadlineMs`, else `abandoned`. */
  async stop(deadlineMs: number): Promise<'drained' | 'abandoned'> {
    this.stopper.abort();
    clearTimeout(this.gathering);
    if (!this.run) return 'drained';
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<'abandoned'>((resolve) => {
      timer = setTimeout(() => resolve('abandoned'), deadlineMs);
    });
    const result = await Promise.race([this.run.then(() => 'drained' as const), deadline]);
    clearTimeout(timer);
    return result;
  }

  private begin(): Promise<Failure | undefined> {
    // A request may have woken it.
    this.run = withinRequest({ mayReadReplica: false }, () => this.rounds());
    return this.run;
  }

  /** Checks for a remembered tick and leaves `busy` in one step, so that no tick is lost in between. */
  private async rounds(): Promise<Failure | undefined> {
    let result: WorkOutcome | Failure;
    do {
      this.tickPending = false;
      result = await this.round();
      if (result === 'more') await nextTurn();
    } while (!this.stopper.signal.aborted && (result === 'more' || this.tickPending));
    this.run = null;
    return typeof result === 'object' ? result : undefined;
  }

  private async round(): Promise<WorkOutcome | Failure> {
    this.roundStartedAt = this.options.clock.monotonic();
    this.lastRoundAt = this.roundStartedAt;
    try {
      const outcome = await this.options.work(this.stopper.signal);
      this.outcomes.inc({ worker: this.name, outcome });
      if (outcome === 'more') this.productiveRounds += 1;
      this.failures = 0;
      return outcome;
    } catch (cause) {
      const error = storeFailure(cause);
      if (!isStoreAway(error)) this.failures += 1;
      this.outcomes.inc({ worker: this.name, outcome: 'failed' });
      this.options.log.event('worker.round_failed', { worker: this.name, ...describeError(error) }, 'error');
      return { error };
    } finally {
      this.lastRoundAt = this.options.clock.monotonic();
      this.roundStartedAt = null;
    }
  }
}
