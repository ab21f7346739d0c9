import { Injectable } from '@nestjs/common';
import { HOUR_MS } from '../platform/time.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import { WorkerRegistry } from '../work/worker-registry.js';
import { ChainRetention } from './chain-retention.js';

const everyMs = HOUR_MS;

/**
 * Every hour: removes entries that are too old, then says in the log in which entry the chain ends. Needs no lease: two
 * processes that remove at once wait for each other at the row of the chain.
 */
@Injectable()
export class AccessLogWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly retention: ChainRetention,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.register({ name: 'access-log', everyMs, work: () => this.round() });
  }

  private async round(): Promise<WorkOutcome> {
    if (await this.retention.removeOldest()) return 'more';
    await this.retention.logChainHead();
    return 'idle';
  }
}
