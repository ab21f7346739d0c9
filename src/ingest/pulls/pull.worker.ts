import { Injectable } from '@nestjs/common';
import { resourceByName } from '../../health/catalogue/catalogue.js';
import { UpstreamConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { RunningRows } from '../../storage/work/running-rows.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { PULL_EVERY_MS } from '../streams/tuning.js';
import type { PullTaskEntity } from './pull-task.entity.js';
import { type PullCall, PullTasksRepository, pullCalls, type Running } from './pull-tasks.repository.js';
import { PullTurn } from './pull-turn.js';

/**
 * Works on due tasks, up to the limit of concurrent calls to upstream. Only pauses requested by upstream are kept in
 * memory, and upstream requests them again after a restart.
 */
@Injectable()
export class PullWorker {
  readonly loop: WorkerLoop;
  private readonly running: RunningRows<PullTaskEntity>;
  /** End of the pause that upstream requested for a call, on the monotonic clock. */
  private readonly pausedUntil = new Map<PullCall, number>();

  constructor(
    private readonly lane: WriteLane,
    private readonly tasks: PullTasksRepository,
    private readonly pullTurn: PullTurn,
    private readonly config: UpstreamConfig,
    private readonly clock: Clock,
    workers: WorkerRegistry,
  ) {
    const name = 'pull';
    this.running = new RunningRows(name, tasks.rows, workers.leases);
    const work = (signal: AbortSignal) => this.running.round(signal, () => this.fill(signal));
    this.loop = workers.register({ name, everyMs: PULL_EVERY_MS, work });
    workers.releaseAtStart(tasks.rows);
  }

  private async fill(signal: AbortSignal): Promise<void> {
    const now = this.clock.now();
    const limit = this.config.maxConcurrency - this.running.held.length;
    const calls = pullCalls.filter((call) => this.clock.monotonic() >= (this.pausedUntil.get(call) ?? 0));
    if (limit <= 0 || calls.length === 0 || !(await this.tasks.anyDue(now, calls))) return;
    for (const task of await this.lane.run((tx) => this.tasks.claim(tx, now, limit, this.underWay(calls)))) {
      this.running.begin(task, async () => this.pause(callOf(task), await this.pullTurn.run(task, signal)));
    }
  }

  private underWay(calls: readonly PullCall[]): Running {
    const running = new Map<number, number>();
    for (const { account_id } of this.running.held) running.set(account_id, (running.get(account_id) ?? 0) + 1);
    return { running, places: this.config.maxConcurrency, calls };
  }

  private pause(call: PullCall, ms: number): void {
    if (ms > 0) this.pausedUntil.set(call, Math.max(this.pausedUntil.get(call) ?? 0, this.clock.monotonic() + ms));
  }
}

function callOf({ resource }: PullTaskEntity): PullCall {
  return resourceByName(resource)?.family === 'summary' ? 'summary' : 'timeseries';
}
