import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { Log } from '../../platform/platform/log.js';
import { WriteLane } from '../database/write-lane.js';
import type { WorkerLoop, WorkOutcome } from './worker-loop.js';
import { type DueTimes, WorkerRegistry } from './worker-registry.js';

const everyMs = 5_000;
/** What the clock is set by less than this makes nothing late that anybody waits for. */
const LEAST_STEP_MS = 5_000;

/**
 * Notices that the machine's clock was set: between two rounds it went by more or less than the time that passed. After
 * a step back whatever is due at a time would come late by the step, so those times are moved. A step forward makes
 * everything due at once, and needs nothing. Holds no lease: the times moved by one process stay where they are for the
 * others. A step while no process runs is not noticed.
 */
@Injectable()
export class ClockStepsWorker {
  readonly loop: WorkerLoop;
  /** How far the clock was ahead of the time that had passed, at the last round that ended well. */
  private ahead: number;

  constructor(
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly workers: WorkerRegistry,
  ) {
    this.ahead = clock.now() - clock.monotonic();
    this.loop = workers.register({ name: 'clock_steps', everyMs, inEveryRole: true, work: () => this.work() });
  }

  private async work(): Promise<WorkOutcome> {
    const now = this.clock.now();
    const ahead = now - this.clock.monotonic();
    const step = Math.round(ahead - this.ahead);
    if (Math.abs(step) >= LEAST_STEP_MS) {
      const count = step < 0 ? await this.bringForward(this.workers.dueTimes(), { now, ms: -step }) : 0;
      this.log.event('app.clock_stepped', { delay_ms: step, count }, 'warn');
    }
    this.ahead = ahead;
    return 'idle';
  }

  /** A job for each table: one over all would hold the rows of some while it waits for others, as other jobs do. */
  private async bringForward(all: readonly DueTimes[], step: { now: number; ms: number }): Promise<number> {
    let count = 0;
    for (const times of all) count += await this.lane.run((tx) => times.bringForward(tx, step));
    return count;
  }
}
