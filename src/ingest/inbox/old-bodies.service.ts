import { Injectable } from '@nestjs/common';
import { RetentionConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS } from '../../platform/platform/time.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { CleanerWorker, type Cleaning, type SliceOutcome } from '../../storage/work/cleaner.worker.js';
import { MAX_OLD_BODIES_A_SLICE } from '../streams/tuning.js';
import { InboxRepository } from './inbox.repository.js';
import { InboxTelemetry } from './inbox.telemetry.js';

const DEAD_MESSAGE_DAYS = 365;

/**
 * Deletes the bodies of messages that were done or ignored before the retention. The message row stays. A dead message
 * keeps its body for a year, unless it is replayed or its account is erased: it was acknowledged, and the body is the
 * only copy of its content. Unfinished messages keep their bodies; they finish within hours once upstream and the
 * database work.
 */
@Injectable()
export class OldBodies implements Cleaning {
  readonly maxRows = MAX_OLD_BODIES_A_SLICE;
  private scannedTo = 0;

  constructor(
    private readonly config: RetentionConfig,
    private readonly inbox: InboxRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly telemetry: InboxTelemetry,
    cleaner: CleanerWorker,
  ) {
    cleaner.add(this);
  }

  async slice(limit: number): Promise<SliceOutcome> {
    const now = this.clock.now();
    const before = now - this.config.messageDays * DAY_MS;
    const deadBefore = now - DEAD_MESSAGE_DAYS * DAY_MS;
    const seqs = await this.inbox.withBody(this.scannedTo, Math.max(before, deadBefore), limit);
    if (seqs.length > 0) {
      const removed = await this.lane.run((tx) => this.inbox.dropFinishedBodies(tx, seqs, { before, deadBefore }));
      this.telemetry.bodiesDropped(removed);
      this.scannedTo = seqs.at(-1) ?? 0;
      return removed > 0 ? 'deleted' : 'passed';
    }
    this.scannedTo = 0;
    return 'end';
  }
}
