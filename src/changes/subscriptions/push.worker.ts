import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { describeError } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Reader } from '../../storage/database/reader.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { LeaseLost } from '../../storage/work/leased-rows.js';
import { isSpent, pauseFor } from '../../storage/work/retry.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { PushFlow } from './push.flow.js';
import { endpointRetry } from './push-rules.js';
import { type SubscriptionRow, SubscriptionsRepository } from './subscriptions.repository.js';

const name = 'push';
/** Interval of the check for new changes, also while endpoints are served. */
const everyMs = 250;
const LOOK_MS = 100;
/** Endpoints served at a time. */
const PLACES = 16;

/**
 * Serves endpoints that are behind the feed. A round ends when one of them is served or it is time to look for more, so
 * an endpoint that hangs does not delay others. push.flow.ts says what happens to each.
 */
@Injectable()
export class PushWorker {
  readonly loop: WorkerLoop;
  private readonly running = new Set<Promise<void>>();
  private failure: { error: unknown } | null = null;

  constructor(
    private readonly subscriptions: SubscriptionsRepository,
    private readonly flow: PushFlow,
    private readonly lane: WriteLane,
    private readonly reader: Reader,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly workers: WorkerRegistry,
  ) {
    this.loop = workers.register({ name, everyMs, work: (signal) => this.work(signal) });
    workers.releaseAtStart(subscriptions.rows);
  }

  private async work(signal: AbortSignal): Promise<WorkOutcome> {
    const claimed = signal.aborted ? 0 : await this.fill(signal);
    if (this.running.size === 0 && !this.failure) return claimed === 0 ? 'idle' : 'more';
    await this.nextMove();
    if (signal.aborted) await Promise.all(this.running);
    const { failure } = this;
    this.failure = null;
    if (failure) throw failure.error;
    return 'more';
  }

  /** Claims endpoints for the free places; returns their number. */
  private async fill(signal: AbortSignal): Promise<number> {
    const { rows, behind: only } = this.subscriptions;
    const limit = PLACES - this.running.size;
    const now = this.clock.now();
    if (limit <= 0 || !(await rows.anyDue(this.reader, now, only))) return 0;
    const claimed = await this.lane.run((tx) => rows.claim(tx, { now, limit, only }));
    for (const row of claimed) this.begin(row, signal);
    return claimed.length;
  }

  private begin(row: SubscriptionRow, signal: AbortSignal): void {
    const { rows } = this.subscriptions;
    const holding = this.workers.leases.hold(rows, [row], { worker: name });
    const run = this.serve(row, signal)
      .catch((error: unknown) => {
        this.workers.leases.giveBack(rows, row);
        this.failure = { error };
      })
      .finally(() => {
        holding.end();
        this.running.delete(run);
      });
    this.running.add(run);
  }

  /** Rejects if the store does not take the outcome. */
  private async serve(row: SubscriptionRow, signal: AbortSignal): Promise<void> {
    try {
      if (isSpent(row, endpointRetry)) await this.flow.disable(row, 'abandoned');
      else await this.flow.run(row, signal);
    } catch (error) {
      if (error instanceof LeaseLost) return this.log.event('worker.lease_lost', { worker: name }, 'warn');
      this.log.event('worker.row_failed', { worker: name, ...describeError(error) }, 'error');
      const dueAt = this.clock.now() + pauseFor(endpointRetry, row.attempts);
      await this.lane.run((tx) => this.subscriptions.rows.defer(tx, row, { dueAt, code: 'internal', counts: true }));
    }
  }

  /** Until an endpoint is served, or it is time to look for others. */
  private async nextMove(): Promise<void> {
    const enough = new AbortController();
    const look = wait(LOOK_MS, undefined, { signal: enough.signal }).catch(() => undefined);
    await Promise.race([look, ...this.running]);
    enough.abort();
  }
}
