import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { resourceByName } from '../../health/catalogue/catalogue.js';
import { UpstreamConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { Reader } from '../../storage/database/reader.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import type { PullTaskEntity } from './pull-task.entity.js';
import { type PullCall, PullTasksRepository, pullCalls, type Running } from './pull-tasks.repository.js';
import { PullTurn } from './pull-turn.js';

/** While tasks run and places are free, new tasks are looked for this often. */
const everyMs = 1_000;
const LOOK_MS = 200;

/**
 * Works on due tasks, as many at a time as calls to upstream are allowed. A round fills the free places and ends when
 * a place becomes free, so a long task does not delay others. Due tasks are read from the table; only pauses
 * requested by upstream are kept in memory, and upstream requests them again after a restart.
 */
@Injectable()
export class PullWorker {
  readonly loop: WorkerLoop;
  /** Runs under way, with their accounts. */
  private readonly running = new Map<Promise<void>, number>();
  /** Runs that ended so far: one that ends while tasks are claimed may have left its own to be claimed again. */
  private ended = 0;
  /** Until when upstream asked for a pause of a call, by the monotonic clock. */
  private readonly pausedUntil = new Map<PullCall, number>();
  private failure: { error: unknown } | null = null;

  constructor(
    private readonly lane: WriteLane,
    private readonly reader: Reader,
    private readonly tasks: PullTasksRepository,
    private readonly runner: PullTurn,
    private readonly config: UpstreamConfig,
    private readonly clock: Clock,
    private readonly workers: WorkerRegistry,
  ) {
    this.loop = workers.register({ name: 'pull', everyMs, work: (signal) => this.work(signal) });
    workers.releaseAtStart(tasks.rows);
  }

  private async work(signal: AbortSignal): Promise<WorkOutcome> {
    const before = this.ended;
    if (!signal.aborted) await this.fill(signal);
    if (this.running.size === 0 && !this.failure) return this.ended === before ? 'idle' : 'more';
    if (!signal.aborted) await this.nextMove();
    // The stop may have come during the move: the round, and with it the drain, must not end before its runs.
    if (signal.aborted) await Promise.all(this.running.keys());
    const failure = this.failure;
    this.failure = null;
    if (failure) throw failure.error;
    return 'more';
  }

  private async fill(signal: AbortSignal): Promise<void> {
    const now = this.clock.now();
    const limit = this.config.maxConcurrency - this.running.size;
    const calls = pullCalls.filter((call) => this.clock.monotonic() >= (this.pausedUntil.get(call) ?? 0));
    if (limit <= 0 || calls.length === 0 || !(await this.tasks.anyDue(this.reader, now, calls))) return;
    for (const task of await this.lane.run((tx) => this.tasks.claim(tx, now, limit, this.underWay(calls)))) {
      const holding = this.workers.leases.hold(this.tasks.rows, [task], { worker: 'pull' });
      const run: Promise<void> = this.runner
        .run(task, signal)
        .then(
          (pauseMs) => this.pause(callOf(task), pauseMs),
          (error: unknown) => {
            this.workers.leases.giveBack(this.tasks.rows, task);
            this.failure = { error };
          },
        )
        .finally(() => {
          holding.end();
          this.ended += 1;
          this.running.delete(run);
        });
      this.running.set(run, task.account_id);
    }
  }

  private underWay(calls: readonly PullCall[]): Running {
    const running = new Map<number, number>();
    for (const account of this.running.values()) running.set(account, (running.get(account) ?? 0) + 1);
    return { running, places: this.config.maxConcurrency, calls };
  }

  /** Until a task ends, or it is time to look for new ones. */
  private async nextMove(): Promise<void> {
    const enough = new AbortController();
    const look = wait(LOOK_MS, undefined, { signal: enough.signal }).catch(() => undefined);
    await Promise.race([look, ...this.running.keys()]);
    enough.abort();
  }

  private pause(call: PullCall, ms: number): void {
    if (ms > 0) this.pausedUntil.set(call, Math.max(this.pausedUntil.get(call) ?? 0, this.clock.monotonic() + ms));
  }
}

function callOf({ resource }: PullTaskEntity): PullCall {
  return resourceByName(resource)?.family === 'summary' ? 'summary' : 'timeseries';
}
