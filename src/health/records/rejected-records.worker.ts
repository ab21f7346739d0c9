import { Injectable } from '@nestjs/common';
import { RetentionConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS, HOUR_MS } from '../../platform/platform/time.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { RejectedRecordsRepository } from './rejected-records.repository.js';

const SLICE_SIZE = 200;

/**
 * Deletes rejections older than the retention period of message bodies, in slices small enough not to delay deliveries.
 * Needs no lease: deleting is idempotent, and a crash leaves the rest for the next round.
 */
@Injectable()
export class RejectedRecordsWorker {
  constructor(
    config: RetentionConfig,
    repository: RejectedRecordsRepository,
    lane: WriteLane,
    clock: Clock,
    workers: WorkerRegistry,
  ) {
    workers.register({
      name: 'rejected-records',
      everyMs: HOUR_MS,
      work: async () => {
        const before = clock.now() - config.messageDays * DAY_MS;
        if (!(await repository.hasSeenBefore(before))) return 'idle';
        const removed = await lane.run((tx) => repository.forgetSeenBefore(tx, before, SLICE_SIZE));
        return removed > 0 ? 'more' : 'idle';
      },
    });
  }
}
