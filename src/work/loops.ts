import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { Log } from '../platform/log.js';
import { Metrics } from '../platform/metrics.js';
import { WorkerLoop, type WorkOutcome } from './worker-loop.js';
import { WorkerRegistry } from './worker-registry.js';

/** Makes the loops of workers and has them ticked. */
@Injectable()
export class Loops {
  constructor(
    private readonly workers: WorkerRegistry,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {}

  make(name: string, everyMs: number, work: (signal: AbortSignal) => Promise<WorkOutcome>): WorkerLoop {
    const { clock, log, metrics } = this;
    const loop = new WorkerLoop({ name, work, clock, log, metrics });
    this.workers.add(loop, everyMs);
    return loop;
  }
}
