import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock.js';
import { Log } from '../../platform/log.js';
import { Metrics } from '../../platform/metrics.js';
import { WorkerLoop, type WorkOutcome } from '../../platform/worker-loop.js';
import { Workers } from '../../platform/workers.js';

/** Makes the loops of this feature's workers and has them ticked. */
@Injectable()
export class WorkerContext {
  constructor(
    private readonly workers: Workers,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {}

  loop(name: string, everyMs: number, work: (signal: AbortSignal) => Promise<WorkOutcome>): WorkerLoop {
    const { clock, log, metrics } = this;
    const loop = new WorkerLoop({ name, work, clock, log, metrics });
    this.workers.add(loop, everyMs);
    return loop;
  }
}
