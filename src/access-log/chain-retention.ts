import { Injectable } from '@nestjs/common';
import { AccessLogConfig } from '../config/config.js';
import { WriteLane } from '../database/write-lane.js';
import { Clock } from '../platform/clock.js';
import { DAY_MS } from '../platform/time.js';
import { AccessLogRepository } from './access-log.repository.js';
import { AccessLogTelemetry } from './access-log.telemetry.js';
import { removalEntry } from './chain.js';

/** Six years, as long as US law wants such documentation kept (45 CFR 164.316). */
export const KEPT_MS = 2_192 * DAY_MS;
const SLICE_SIZE = 1_000;

/** Retention of the access log, and the log line that says where its chain ends. */
@Injectable()
export class ChainRetention {
  private loggedSeq = 0;

  constructor(
    private readonly lane: WriteLane,
    private readonly entries: AccessLogRepository,
    private readonly clock: Clock,
    private readonly telemetry: AccessLogTelemetry,
    private readonly config: AccessLogConfig,
  ) {}

  /**
   * Removes one slice of entries older than six years; true when there was one. The slice, the anchor left in its place
   * and an entry that says what went are one transaction: without such an entry the front counts as cut by somebody
   * else. A slice that is not what was written stays, for checks to find.
   */
  async removeOldest(): Promise<boolean> {
    const now = this.clock.now();
    const before = now - KEPT_MS;
    const oldest = await this.entries.oldestAt();
    if (oldest === null || oldest >= before) return false;
    const until = await this.lane.run(async (tx) => {
      const removed = await this.entries.removeOldest(tx, before, SLICE_SIZE);
      if (removed === null || removed === 'altered') return removed;
      await this.entries.append(tx, [removalEntry(removed, now, this.config.checkpointKey)]);
      return removed.to;
    });
    if (until === 'altered') this.telemetry.notRemoved();
    else if (until !== null) this.telemetry.removed(until);
    return typeof until === 'number';
  }

  /** Writes number and hash of the last entry into the log once they have moved. */
  async logChainHead(): Promise<void> {
    const ends = await this.entries.ends();
    if (!ends || ends.last_seq === this.loggedSeq) return;
    this.loggedSeq = ends.last_seq;
    this.telemetry.chainHead(ends);
  }
}
