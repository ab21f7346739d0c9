import { Injectable } from '@nestjs/common';
import { RetentionConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS } from '../../platform/platform/time.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { CleanerWorker, type Cleaning, type SliceOutcome } from '../../storage/work/cleaner.worker.js';
import { MAX_OLD_REJECTIONS_A_SLICE } from '../catalogue/tuning.js';
import { RejectedRecordsRepository } from './rejected-records.repository.js';

/** Deletes rejections older than the retention period of message bodies. */
@Injectable()
export class OldRejections implements Cleaning {
  readonly maxRows = MAX_OLD_REJECTIONS_A_SLICE;

  constructor(
    private readonly config: RetentionConfig,
    private readonly repository: RejectedRecordsRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    cleaner: CleanerWorker,
  ) {
    cleaner.add(this);
  }

  async slice(limit: number): Promise<SliceOutcome> {
    const before = this.clock.now() - this.config.messageDays * DAY_MS;
    if (!(await this.repository.hasSeenBefore(before))) return 'end';
    const removed = await this.lane.run((tx) => this.repository.forgetSeenBefore(tx, before, limit));
    return removed > 0 ? 'deleted' : 'end';
  }
}
