import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { Log } from '../platform/log.js';
import { Metrics } from '../platform/metrics.js';
import { WorkerLoop, type WorkOutcome } from '../platform/worker-loop.js';
import { Workers } from '../platform/workers.js';
import { ChainUpkeep } from './chain/chain-upkeep.js';

const everyMs = 3_600_000;

/**
 * Every hour: removes entries that are too old, then says in the log in which entry the chain ends. Needs no lease: two
 * processes that remove at once wait for each other at the row of the chain.
 */
@Injectable()
export class AccessLogWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly upkeep: ChainUpkeep,
    workers: Workers,
    clock: Clock,
    log: Log,
    metrics: Metrics,
  ) {
    this.loop = new WorkerLoop({ name: 'access-log', work: () => this.round(), clock, log, metrics });
    workers.add(this.loop, everyMs);
  }

  private async round(): Promise<WorkOutcome> {
    if (await this.upkeep.removeOldest()) return 'more';
    await this.upkeep.tellEnd();
    return 'idle';
  }
}
