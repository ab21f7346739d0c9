import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../platform/platform/clock.js';
import { describeError } from '../../platform/platform/errors.js';
import type { Log } from '../../platform/platform/log.js';
import type { Metrics } from '../../platform/platform/metrics.js';

/**
 * One background worker: the guard against overlap and the drain, around a `work` that claims due rows by itself.
 *
 *   idle    --tick-->  busy      work runs once
 *   busy    --tick-->  busy      remembered; one more round follows, however many ticks came
 *   busy    --more-->  busy      next round after one turn of the event loop
 *   busy    --idle, skipped or exception--> idle     unless a tick was remembered
 *   any     --stop-->  stopped   the signal is aborted, no further round begins
 *
 * Nothing is kept in memory that a crash could lose: what is due is asked from the tables in every round.
 */

/** `idle`: nothing was due. `more`: something was done, there may be more. `skipped`: somebody else holds the lease. */
export type WorkOutcome = 'idle' | 'more' | 'skipped';

export interface WorkerLoopOptions {
  name: string;
  /** One bounded round. Must look at the signal between its steps and leave its rows claimable when it ends early. */
  work: (signal: AbortSignal) => Promise<WorkOutcome>;
  clock: Clock;
  log: Log;
  metrics: Metrics;
}

interface Failure {
  error: unknown;
}

export class WorkerLoop {
  readonly name: string;
  /** When the last tick was taken, by the monotonic clock; for the readiness probe. */
  lastTickAt: number | null = null;
  /** When the last round began, or ended, by the monotonic clock; null before the first. */
  lastRoundAt: number | null = null;
  /** When the round under way began, by the monotonic clock; null between rounds. */
  roundStartedAt: number | null = null;
  /** Rounds so far that found something to do. */
  productiveRounds = 0;

  private readonly stopper = new AbortController();
  private readonly outcomes;
  private run: Promise<Failure | undefined> | null = null;
  private tickPending = false;

  constructor(private readonly options: WorkerLoopOptions) {
    this.name = options.name;
    this.outcomes = options.metrics.counter('worker_rounds_total', 'Rounds of background work by outcome', [
      'worker',
      'outcome',
    ]);
  }

  get busy(): boolean {
    return this.run !== null;
  }

  /** Asks for a round. Never throws, never waits, never overlaps; ignored once stopped. */
  tick(): void {
    if (this.stopper.signal.aborted) return;
    this.lastTickAt = this.options.clock.monotonic();
    if (this.run) this.tickPending = true;
    else void this.begin();
  }

  /** A hint that something is due. Does nothing where the loop was never started. */
  wake(): void {
    if (this.lastTickAt !== null) this.tick();
  }

  /** Works until there is nothing due (or another holds the lease). Rejects with the exception of a failed round. */
  async runUntilIdle(): Promise<void> {
    while (this.run) await this.run;
    if (this.stopper.signal.aborted) return;
    const failure = await this.begin();
    if (failure) throw failure.error;
  }

  /** Ends the loop: `drained` when the round under way ended within `deadlineMs`, `abandoned` when it did not. */
  async stop(deadlineMs: number): Promise<'drained' | 'abandoned'> {
    this.stopper.abort();
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
    this.run = this.rounds();
    return this.run;
  }

  /** Leaves `busy` in the same step that looked for a remembered tick, so that no tick can fall between the two. */
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
      return outcome;
    } catch (error) {
      this.outcomes.inc({ worker: this.name, outcome: 'failed' });
      this.options.log.event('worker.round_failed', { worker: this.name, ...describeError(error) }, 'error');
      return { error };
    } finally {
      this.lastRoundAt = this.options.clock.monotonic();
      this.roundStartedAt = null;
    }
  }
}
