import { Injectable } from '@nestjs/common';
import { RetentionConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS } from '../../platform/platform/time.js';
import { MAX_OLD_CHANGES_A_SLICE } from '../database/tuning.js';
import { WriteLane } from '../database/write-lane.js';
import { CleanerWorker, type Cleaning, type SliceOutcome } from '../work/cleaner.worker.js';
import { ChangeLogRepository } from './change-log.repository.js';

/**
 * Deletes changes by their age alone, oldest first: their number never shortens the time that a consumer may be away. A
 * consumer behind them gets `cursor_expired`, never a gap.
 */
@Injectable()
export class OldChanges implements Cleaning {
  readonly maxRows = MAX_OLD_CHANGES_A_SLICE;

  constructor(
    private readonly config: RetentionConfig,
    private readonly repository: ChangeLogRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    cleaner: CleanerWorker,
  ) {
    cleaner.add(this);
  }

  async slice(limit: number): Promise<SliceOutcome> {
    const before = this.clock.now() - this.config.changeDays * DAY_MS;
    const last = await this.repository.lastExpired(before, limit);
    if (last === null) return 'end';
    await this.lane.run((tx) => this.repository.expire(tx, last));
    return 'deleted';
  }
}
