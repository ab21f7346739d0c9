import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { describeError } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { LeaseLost } from '../../storage/work/leased-rows.js';
import { pauseFor } from '../../storage/work/retry.js';
import { RunningRows } from '../../storage/work/running-rows.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { MAX_ENDPOINTS_SERVED, PUSH_EVERY_MS } from '../feed/tuning.js';
import { PushFlow } from './push.flow.js';
import { endpointRetry } from './push-rules.js';
import { type SubscriptionRow, SubscriptionsRepository } from './subscriptions.repository.js';

const name = 'push';

/**
 * Serves endpoints that are behind the feed in parallel, so that a slow one does not delay others. push.flow.ts
 * describes how each is served.
 */
@Injectable()
export class PushWorker {
  readonly loop: WorkerLoop;
  private readonly running: RunningRows<SubscriptionRow>;

  constructor(
    private readonly subscriptions: SubscriptionsRepository,
    private readonly flow: PushFlow,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly log: Log,
    workers: WorkerRegistry,
  ) {
    this.running = new RunningRows(name, subscriptions.rows, workers.leases);
    const work = (signal: AbortSignal) => this.running.round(signal, () => this.fill(signal));
    this.loop = workers.register({ name, everyMs: PUSH_EVERY_MS, work });
    workers.releaseAtStart(subscriptions.rows);
  }

  private async fill(signal: AbortSignal): Promise<void> {
    const { rows, behind: only } = this.subscriptions;
    const limit = MAX_ENDPOINTS_SERVED - this.running.held.length;
    const now = this.clock.now();
    if (limit <= 0 || !(await this.subscriptions.anyBehind(now))) return;
    const claimed = await this.lane.run((tx) => rows.claim(tx, { now, limit, only }));
    for (const row of claimed) this.running.begin(row, () => this.serve(row, signal));
  }

  /** Rejects if the outcome cannot be stored. */
  private async serve(row: SubscriptionRow, signal: AbortSignal): Promise<void> {
    try {
      await this.flow.run(row, signal);
    } catch (error) {
      if (error instanceof LeaseLost) return this.log.event('worker.lease_lost', { worker: name }, 'warn');
      this.log.event('worker.row_failed', { worker: name, ...describeError(error) }, 'error');
      const dueAt = this.clock.now() + pauseFor(endpointRetry, row.attempts);
      await this.lane.run((tx) => this.subscriptions.rows.defer(tx, row, { dueAt, code: 'internal', counts: true }));
    }
  }
}
