import { Injectable } from '@nestjs/common';
import { SyncConfig } from '../config/config.js';
import { backoffDelay } from '../platform/backoff.js';
import { Clock } from '../platform/clock.js';
import { CodedError } from '../platform/errors.js';
import { newId } from '../platform/ids.js';
import { HOUR_MS } from '../platform/time.js';
import { UpstreamError } from '../upstream-transport/upstream-error.js';
import { Loops } from '../work/loops.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import { OrderIntakeTelemetry } from './order-intake.telemetry.js';
import { OrderListSync } from './order-list-sync.js';
import type { OrderSyncRow } from './order-sync.repository.js';

/*
 * Heals missed order events by walking upstream's list of orders.
 *
 *   waiting  --due_at-->      walking  window_start frozen: the last high-water mark less the look-back, or everything
 *   walking  --page stored--> walking  orders and page number in one transaction, so a crash reads one page again
 *   walking  --last page-->   waiting  the high-water mark becomes the time at which this pass began
 *   walking  --failure-->     walking  same page later, after a growing pause; a refusal waits for the next interval
 *
 * Orders are asked for by creation, oldest first, with a lower bound of their update only. None leaves that list and
 * new ones come at its end, so a page number stays true while upstream changes. What is updated during the pass is
 * newer than its beginning and falls into the next one.
 */

const everyMs = 15_000;
const LEASE_MS = 300_000;
const pause = { baseMs: 10_000, capMs: 15 * 60_000, factor: 2, jitter: 0.2 };

@Injectable()
export class OrderSyncWorker {
  readonly loop: WorkerLoop;
  private readonly owner = newId();

  constructor(
    private readonly list: OrderListSync,
    private readonly config: SyncConfig,
    private readonly clock: Clock,
    private readonly events: OrderIntakeTelemetry,
    loops: Loops,
  ) {
    this.loop = loops.make('order-sync', everyMs, (signal) => this.round(signal));
  }

  private async round(signal: AbortSignal): Promise<WorkOutcome> {
    const now = this.clock.now();
    if (!(await this.list.isDue(now))) return 'idle';
    // The look-back also makes up for the difference between upstream's clock and ours, so it is never nothing.
    const overlapMs = Math.max(1, this.config.lookbackHours) * HOUR_MS;
    const pass = await this.list.claim({ owner: this.owner, now, leaseUntil: now + LEASE_MS, overlapMs });
    if (!pass) return 'skipped';
    try {
      const times = { now, nextPass: this.nextPass(now) };
      const { isLast, applied } = await this.list.storePage(pass, times, { priority: 'background', signal });
      for (const each of applied) this.events.applied('list', each);
      if (isLast) this.events.passFinished(pass.page);
      return 'more';
    } catch (error) {
      if (signal.aborted) await this.list.defer(this.owner, { dueAt: now, code: 'shutting_down' });
      else await this.failed(pass, error);
      return 'idle';
    }
  }

  private nextPass(now: number): number {
    return now + this.config.intervalSeconds * 1_000;
  }

  private async failed(pass: OrderSyncRow, error: unknown): Promise<void> {
    if (!(error instanceof CodedError)) throw error;
    const now = this.clock.now();
    const refused = error instanceof UpstreamError && error.isRefusal;
    const asked = error instanceof UpstreamError && error.isTransient ? (error.retryAfterMs ?? 0) : 0;
    const delay = refused ? this.nextPass(now) - now : Math.max(backoffDelay(pause, pass.failures + 1), asked);
    await this.list.defer(this.owner, { dueAt: now + delay, code: error.code });
    this.events.listDeferred(error, delay, refused);
  }
}
