import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS, HOUR_MS } from '../../platform/platform/time.js';
import { WriteLane } from '../database/write-lane.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import { WorkerRegistry } from '../work/worker-registry.js';
import { ChangeLogRepository } from './change-log.repository.js';

const KEPT_MS = 14 * DAY_MS;
/** Above this number, changes are deleted before their time; they take some gigabytes. */
const MOST_CHANGES = 20_000_000;
/** Maximum deleted in one write job; larger jobs would delay webhooks. */
const SLICE = 300;

/** Deletes old changes, oldest first. A consumer behind them gets `cursor_expired`, never a gap. */
@Injectable()
export class ChangeRetentionWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly repository: ChangeLogRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.register({ name: 'change-retention', everyMs: HOUR_MS, work: () => this.round() });
  }

  private async round(): Promise<WorkOutcome> {
    const feed = await this.repository.feed();
    const before = this.clock.now() - KEPT_MS;
    const last = await this.repository.lastExpired(before, (feed?.last_number ?? 0) - MOST_CHANGES, SLICE);
    if (last === null) return 'idle';
    await this.lane.run((tx) => this.repository.expire(tx, last));
    return 'more';
  }
}
