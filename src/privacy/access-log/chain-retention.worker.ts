import { Injectable } from '@nestjs/common';
import { AccessLogConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS } from '../../platform/platform/time.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { AccessLogRepository } from './access-log.repository.js';
import { writerMs } from './access-log.service.js';
import { AccessLogTelemetry } from './access-log.telemetry.js';
import { removalEntry } from './chain.js';
import { MAX_OLD_ENTRIES_A_SLICE, RETENTION_EVERY_MS } from './tuning.js';

/** Six years, as long as US law requires such documentation to be kept (45 CFR 164.316). */
export const KEPT_MS = 2_192 * DAY_MS;
/** Far longer than a writer is used without an entry, so that the clocks of processes need not agree. */
const WRITER_KEPT_MS = 24 * writerMs;

/**
 * Every hour, removes entries older than six years, forgets unused writers and logs the end of the chain. Needs no
 * lease, because the row of ends serializes concurrent removals.
 */
@Injectable()
export class ChainRetentionWorker {
  readonly loop: WorkerLoop;
  private loggedSeq = 0;

  constructor(
    private readonly lane: WriteLane,
    private readonly entries: AccessLogRepository,
    private readonly clock: Clock,
    private readonly telemetry: AccessLogTelemetry,
    private readonly config: AccessLogConfig,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.register({ name: 'access-log', everyMs: RETENTION_EVERY_MS, work: () => this.round() });
  }

  private async round(): Promise<WorkOutcome> {
    if (await this.removeOldest()) return 'more';
    await this.forgetWriters();
    await this.logChainHead();
    return 'idle';
  }

  private async forgetWriters(): Promise<void> {
    const before = this.clock.now() - WRITER_KEPT_MS;
    if (await this.entries.hasUnusedWriters(before)) {
      await this.lane.run((tx) => this.entries.forgetWriters(tx, before));
    }
  }

  /**
   * Removes one slice of old entries; true if it did. One transaction stores the removal, the new anchor and an entry
   * that records it: without that entry, verification reports that the front is missing. A slice with changed entries
   * stays, so that verification finds them.
   */
  async removeOldest(): Promise<boolean> {
    const now = this.clock.now();
    const before = now - KEPT_MS;
    const oldest = await this.entries.oldestAt();
    if (oldest === null || oldest >= before) return false;
    const until = await this.lane.run(async (tx) => {
      const removed = await this.entries.removeOldest(tx, before, MAX_OLD_ENTRIES_A_SLICE);
      if (removed === null || removed === 'altered') return removed;
      await this.entries.append(tx, [removalEntry(removed, now, this.config.checkpointKey)]);
      return removed.to;
    });
    if (until === 'altered') this.telemetry.notRemoved();
    else if (until !== null) this.telemetry.removed(until);
    return typeof until === 'number';
  }

  /** Logs number and hash of the last entry, unless they are unchanged. */
  private async logChainHead(): Promise<void> {
    const ends = await this.entries.ends();
    if (!ends || ends.last_seq === this.loggedSeq) return;
    this.loggedSeq = ends.last_seq;
    this.telemetry.chainHead(ends);
  }
}
