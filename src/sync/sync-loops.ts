import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { Log } from '../platform/log.js';
import { Metrics } from '../platform/metrics.js';
import { WorkerLoop, type WorkOutcome } from '../platform/worker-loop.js';
import { Workers } from '../platform/workers.js';

const EVERY_MS = 1_000;

/** Makes the loops of the workers here and has them ticked. */
@Injectable()
export class SyncLoops {
  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly metrics: Metrics,
    private readonly workers: Workers,
  ) {}

  make(name: string, work: (signal: AbortSignal) => Promise<WorkOutcome>): WorkerLoop {
    const { clock, log, metrics } = this;
    const loop = new WorkerLoop({ name, work, clock, log, metrics });
    this.workers.add(loop, EVERY_MS);
    return loop;
  }
}
