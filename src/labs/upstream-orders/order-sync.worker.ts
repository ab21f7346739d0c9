import { Injectable } from '@nestjs/common';
import { SyncConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import { classifyPatiently } from '../../storage/work/retry.js';
import { type Walk, Walks } from '../../storage/work/walks.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { ALL_ORDERS_EVERY_MS, ORDER_SYNC_EVERY_MS } from '../keys/tuning.js';
import { OrdersTelemetry } from '../orders/orders.telemetry.js';
import { OrderListSync, type OrderScan } from './order-list-sync.js';

/*
 * Makes up for lost order events by walking upstream's list of orders. Leases: work/leased-rows.ts.
 *
 *   waiting  --due_at-->      walking  from the last high-water mark minus the look-back, or, once a week, over all
 *                                      orders
 *   walking  --page stored--> walking  orders and page number in one transaction, so a crash reads one page again;
 *                                      the first page also stores the lower bound of the pass
 *   walking  --last page-->   waiting  the high-water mark becomes the start of this pass
 *   walking  --failure-->     walking  same page again, after a growing pause; after a refusal, the next interval
 *
 * The list is sorted by creation, oldest first, and limited only by a lower bound of the update time. No order leaves
 * this list and new ones are added at its end, so page numbers stay valid during the pass. Orders updated during the
 * pass are covered by the next one.
 */

const retry = { pause: { baseMs: 10_000, capMs: HOUR_MS / 4, factor: 2, jitter: 0.2 }, mostAttempts: 16 };

@Injectable()
export class OrderSyncWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly list: OrderListSync,
    walks: Walks,
    private readonly config: SyncConfig,
    private readonly clock: Clock,
    private readonly telemetry: OrdersTelemetry,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.registerQueue({
      name: 'order-sync',
      everyMs: ORDER_SYNC_EVERY_MS,
      batch: 1,
      rows: walks.rows,
      only: walks.only('order_list'),
      retry,
      judge: classifyPatiently,
      handle: (row, signal) => this.page(this.scanOf(row), signal),
      bury: (tx, row, code) => walks.rows.complete(tx, row, this.nextPass(clock.now()), { error_code: code }),
      deferred: (_row, { delayMs }, error) => telemetry.listDeferred(error, delayMs, false),
      buried: (_row, _code, error) => telemetry.listDeferred(error, this.intervalMs, true),
    });
  }

  private async page(scan: OrderScan, signal: AbortSignal): Promise<void> {
    const now = this.clock.now();
    const times = { now, nextPass: this.nextPass(now) };
    const isLast = await this.list.storePage(scan, times, { priority: 'background', signal });
    if (isLast) this.telemetry.passFinished(scan.pages + 1);
  }

  /** The current pass, or a new one. */
  private scanOf(row: Walk): OrderScan {
    const { started_at, high_water_mark } = row;
    if (started_at !== null) return { ...row, started_at };
    // The look-back also covers differences between the clocks, so it is never zero. A mark in the future is from
    // before the clock was set back.
    const overlapMs = Math.max(1, this.config.lookbackHours) * HOUR_MS;
    const now = this.clock.now();
    const isWhole =
      high_water_mark === null ||
      Math.floor(high_water_mark / ALL_ORDERS_EVERY_MS) < Math.floor(now / ALL_ORDERS_EVERY_MS);
    return { ...row, started_at: now, window_start: isWhole ? null : Math.min(high_water_mark, now) - overlapMs };
  }

  private nextPass(now: number): number {
    return now + this.intervalMs;
  }

  private get intervalMs(): number {
    return this.config.intervalSeconds * 1_000;
  }
}
