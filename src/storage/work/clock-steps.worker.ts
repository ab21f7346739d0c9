import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { Log } from '../../platform/platform/log.js';
import { CLOCK_STEPS_EVERY_MS } from '../database/tuning.js';
import { WriteLane } from '../database/write-lane.js';
import type { WorkerLoop, WorkOutcome } from './worker-loop.js';
import { type DueTimes, WorkerRegistry } from './worker-registry.js';

/** A smaller step causes no noticeable delay. */
const MIN_STEP_MS = 5_000;
/** By then, work that read the clock before the step has stored its due times. */
const SECOND_MOVE_MS = 60_000;

/**
 * Detects steps of the system clock by comparing it with the monotonic clock between rounds. After a step back, due
 * times would be late by the step, so they are moved. A minute later, due times stored since by work that was in
 * progress at the step are moved too. A step forward makes everything due immediately and needs no action. Needs no
 * lease, because other processes do not move times twice. A step while no process runs is not detected.
 */
@Injectable()
export class ClockStepsWorker {
  readonly loop: WorkerLoop;
  /** Offset of the clock from the monotonic clock at the last successful round. */
  private ahead: number;
  private secondMove: { readonly at: number; readonly ms: number } | null = null;
  /** Already moved when a move failed; the next round moves the others. */
  private readonly moved = new Set<DueTimes>();

  constructor(
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly workers: WorkerRegistry,
  ) {
    this.ahead = clock.now() - clock.monotonic();
    this.loop = workers.register({
      name: 'clock_steps',
      everyMs: CLOCK_STEPS_EVERY_MS,
      inEveryRole: true,
      work: () => this.work(),
    });
  }

  private async work(): Promise<WorkOutcome> {
    const now = this.clock.now();
    const monotonic = this.clock.monotonic();
    const ahead = now - monotonic;
    const step = Math.round(ahead - this.ahead);
    if (Math.abs(step) >= MIN_STEP_MS) {
      const count = step < 0 ? await this.bringForward(this.workers.dueTimes(), { now, ms: -step }) : 0;
      this.log.event('app.clock_stepped', { delay_ms: step, count }, 'warn');
      this.secondMove = step < 0 ? { at: monotonic + SECOND_MOVE_MS, ms: -step } : null;
    }
    this.ahead = ahead;
    if (this.secondMove !== null && monotonic >= this.secondMove.at) {
      await this.bringForward(this.workers.dueTimes(), { now, ms: this.secondMove.ms });
      this.secondMove = null;
    }
    return 'idle';
  }

  /**
   * One job per table, because a single job would hold locks on one table while it waits for another, as other jobs do.
   */
  private async bringForward(all: readonly DueTimes[], step: { now: number; ms: number }): Promise<number> {
    let count = 0;
    for (const times of all) {
      if (this.moved.has(times)) continue;
      count += await this.lane.run((tx) => times.bringForward(tx, step));
      this.moved.add(times);
    }
    this.moved.clear();
    return count;
  }
}
