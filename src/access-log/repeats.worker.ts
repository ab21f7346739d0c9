import { Injectable } from '@nestjs/common';
import { WriteLane } from '../database/write-lane.js';
import { Clock } from '../platform/clock.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import { WorkerRegistry } from '../work/worker-registry.js';
import { AccessLogRepository } from './access-log.repository.js';
import { REPEATED_WITHIN_MS } from './repeated-reads.js';

const everyMs = 15_000;
const MOST_AT_ONCE = 500;

/**
 * Chains what was counted: for a read that was repeated within its minute, an entry with how often. The counts and
 * their entries change places in one transaction, so a crash loses none and counts none twice; those of a process that
 * died are chained by the next one. Needs no lease: a count is taken by whoever deletes it.
 */
@Injectable()
export class RepeatsWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly lane: WriteLane,
    private readonly entries: AccessLogRepository,
    private readonly clock: Clock,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.register({ name: 'access-log-repeats', everyMs, work: () => this.round() });
  }

  private async round(): Promise<WorkOutcome> {
    const before = this.clock.now() - REPEATED_WITHIN_MS;
    if (!(await this.entries.hasRepeats(before))) return 'idle';
    const taken = await this.lane.run(async (tx) => {
      const closing = await this.entries.takeRepeats(tx, before, MOST_AT_ONCE);
      if (closing.length > 0) await this.entries.append(tx, closing);
      return closing.length;
    });
    return taken > 0 ? 'more' : 'idle';
  }
}
