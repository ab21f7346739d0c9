import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS } from '../../platform/platform/time.js';
import { WriteLane } from '../database/write-lane.js';
import { CleanerWorker, type Cleaning, type SliceOutcome } from '../work/cleaner.worker.js';
import { ChangeLogRepository } from './change-log.repository.js';

const KEPT_MS = 14 * DAY_MS;
/** Above this number, changes are deleted before their time; they take some gigabytes. */
const MAX_CHANGES = 20_000_000;

/** Deletes old changes, oldest first. A consumer behind them gets `cursor_expired`, never a gap. */
@Injectable()
export class OldChanges implements Cleaning {
  readonly maxRows = 300;

  constructor(
    private readonly repository: ChangeLogRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    cleaner: CleanerWorker,
  ) {
    cleaner.add(this);
  }

  async slice(limit: number): Promise<SliceOutcome> {
    const feed = await this.repository.feed();
    const before = this.clock.now() - KEPT_MS;
    const last = await this.repository.lastExpired(before, (feed?.last_number ?? 0) - MAX_CHANGES, limit);
    if (last === null) return 'end';
    await this.lane.run((tx) => this.repository.expire(tx, last));
    return 'deleted';
  }
}
