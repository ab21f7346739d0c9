import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { ThisProcess } from '../../platform/platform/this-process.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { AccessLogRepository } from './access-log.repository.js';
import { AccessLogTelemetry } from './access-log.telemetry.js';
import { CHAIN_EVERY_MS, CHAIN_GATHER_MS, MAX_ENTRIES_CHAINED } from './tuning.js';

/**
 * Gives recorded entries their place in the chain. Needs no lease, because the row of ends serializes processes, and
 * the work of a killed one is rolled back.
 */
@Injectable()
export class ChainWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly lane: WriteLane,
    private readonly entries: AccessLogRepository,
    private readonly telemetry: AccessLogTelemetry,
    private readonly thisProcess: ThisProcess,
    private readonly clock: Clock,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.register({
      name: 'access-log-chain',
      everyMs: CHAIN_EVERY_MS,
      work: async () => ((await this.entries.pendingRange()) && (await this.chain()) > 0 ? 'more' : 'idle'),
    });
  }

  /** Call after entries were recorded. */
  recorded(): void {
    this.loop.wakeWithin(CHAIN_GATHER_MS);
  }

  /** Chains what was recorded before the call, by any process. Throws `storage_unavailable`. */
  async settle(): Promise<void> {
    const recorded = await this.entries.pendingRange();
    for (let left = recorded; recorded && left && left.first <= recorded.last; ) {
      await this.chain();
      left = await this.entries.pendingRange();
    }
  }

  private async chain(): Promise<number> {
    const { count, lostAt } = await this.lane.run((tx) => this.entries.chain(tx, MAX_ENTRIES_CHAINED));
    if (lostAt !== null) {
      this.telemetry.broken({ seq: lostAt, reason: 'entries_lost' });
      this.thisProcess.note('access_log_broken', this.clock.now());
    }
    return count;
  }
}
