import { Injectable } from '@nestjs/common';
import { RetentionConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS, HOUR_MS } from '../../platform/platform/time.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { InboxRepository } from './inbox.repository.js';
import { InboxTelemetry } from './inbox.telemetry.js';

/*
 * Deletes the bodies of messages that were done or ignored before the retention, in slices small enough not to delay
 * deliveries. The message row stays. A dead message keeps its body for a year, unless it is replayed or its account is
 * erased: it was acknowledged, and the body is the only copy of its content. Unfinished messages keep their bodies;
 * they finish within hours once upstream and the database work.
 *
 * The position of a scan is not stored: after an interruption, it restarts at the oldest remaining body.
 */

const INTERVAL_MS = HOUR_MS;
const SLICE_SIZE = 200;
const DEAD_MESSAGE_DAYS = 365;

@Injectable()
export class RetentionWorker {
  readonly loop: WorkerLoop;
  private scannedTo = 0;

  constructor(
    private readonly config: RetentionConfig,
    private readonly inbox: InboxRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly telemetry: InboxTelemetry,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.register({ name: 'retention', everyMs: INTERVAL_MS, work: (signal) => this.round(signal) });
  }

  /** Scans past bodies that are kept for longer, until it has deleted some. */
  private async round(signal: AbortSignal): Promise<WorkOutcome> {
    const now = this.clock.now();
    const before = now - this.config.messageDays * DAY_MS;
    const deadBefore = now - DEAD_MESSAGE_DAYS * DAY_MS;
    const newest = Math.max(before, deadBefore);
    while (!signal.aborted) {
      const seqs = await this.inbox.withBody(this.scannedTo, newest, SLICE_SIZE);
      this.scannedTo = seqs.at(-1) ?? 0;
      if (seqs.length === 0) return 'idle';
      const removed = await this.lane.run((tx) => this.inbox.dropFinishedBodies(tx, seqs, { before, deadBefore }));
      this.telemetry.bodiesDropped(removed);
      if (removed > 0) return 'more';
    }
    return 'idle';
  }
}
