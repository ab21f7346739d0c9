import { Injectable } from '@nestjs/common';
import { WriteLane } from '../database/write-lane.js';
import { backoffDelay } from '../platform/backoff.js';
import { Clock } from '../platform/clock.js';
import { CodedError } from '../platform/errors.js';
import { newId } from '../platform/ids.js';
import { HOUR_MS } from '../platform/time.js';
import { UpstreamError } from '../upstream-transport/upstream-error.js';
import { Loops } from '../work/loops.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import { OrderIntakeTelemetry } from './order-intake.telemetry.js';
import { type DueRefresh, OrderRefreshRepository } from './order-refresh.repository.js';
import { UpstreamOrders } from './upstream-orders.js';

/*
 * Reads orders of which only the id, or only their place in a transaction, is known.
 *
 *   due      --claim-->     leased   for LEASE_MS; a crash leaves it due again after that
 *   leased   --read-->      (gone)   removed in the transaction that stores the order, by whichever way it comes
 *   leased   --later-->     due      with a growing pause while upstream cannot be reached or read
 *   leased   --refused-->   given up due_at null; asked for again, it is due again
 */

const everyMs = 15_000;
const LEASE_MS = 120_000;
const BATCH = 10;
const pause = { baseMs: 30_000, capMs: HOUR_MS, factor: 2, jitter: 0.2 };

@Injectable()
export class OrderRefreshWorker {
  readonly loop: WorkerLoop;
  private readonly owner = newId();

  constructor(
    private readonly refreshes: OrderRefreshRepository,
    private readonly upstream: UpstreamOrders,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly events: OrderIntakeTelemetry,
    loops: Loops,
  ) {
    this.loop = loops.make('order-refresh', everyMs, (signal) => this.round(signal));
  }

  private async round(signal: AbortSignal): Promise<WorkOutcome> {
    const now = this.clock.now();
    if (!(await this.refreshes.anyDue(now))) return 'idle';
    const claim = { owner: this.owner, now, leaseUntil: now + LEASE_MS, limit: BATCH };
    const due = await this.lane.run((tx) => this.refreshes.claim(tx, claim));
    for (const refresh of due) await this.refresh(refresh, signal);
    return due.length > 0 ? 'more' : 'skipped';
  }

  private async refresh(due: DueRefresh, signal: AbortSignal): Promise<void> {
    try {
      signal.throwIfAborted();
      await this.upstream.readAndStore(due.order_id, { priority: 'background', signal });
      this.events.refreshed();
    } catch (error) {
      if (signal.aborted) await this.defer(due, 0, 'shutting_down');
      else await this.failed(due, error);
    }
  }

  private async failed(due: DueRefresh, error: unknown): Promise<void> {
    if (!(error instanceof CodedError)) throw error;
    const isFinal = error instanceof UpstreamError ? error.isRefusal : error.code === 'not_found';
    const asked = error instanceof UpstreamError && error.isTransient ? (error.retryAfterMs ?? 0) : 0;
    const delay = isFinal ? null : Math.max(backoffDelay(pause, due.attempts), asked);
    await this.defer(due, delay, error.code);
    this.events.refreshDeferred(due.order_id, error, delay);
  }

  private async defer({ order_id }: DueRefresh, delay: number | null, code: string): Promise<void> {
    const dueAt = delay === null ? null : this.clock.now() + delay;
    await this.lane.run((tx) => this.refreshes.defer(tx, order_id, { owner: this.owner, dueAt, code }));
  }
}
