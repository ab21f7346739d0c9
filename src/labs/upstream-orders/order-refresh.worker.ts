import { Injectable } from '@nestjs/common';
import { AppError } from '../../platform/platform/errors.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { classifyPatiently, type Judgement, monthOfPatience } from '../../storage/work/retry.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { ORDER_REFRESH_EVERY_MS } from '../keys/tuning.js';
import type { DueReadEntity } from '../orders/due-read.entity.js';
import { DueReads, ofKind } from '../orders/due-reads.repository.js';
import { OrderReadsService } from '../orders/order-reads.service.js';
import { OrdersTelemetry } from '../orders/orders.telemetry.js';
import { UpstreamOrders } from './upstream-orders.js';

/*
 * Reads orders that are known only by id or from their transaction. Leases: work/leased-rows.ts.
 *
 *   due      --claim-->     leased
 *   leased   --read-->      (deleted)  in the transaction that stores the order, whichever call read it; a request
 *                                      newer than the read keeps the row, which is then due again
 *   leased   --later-->     due        after a growing pause, while upstream is unavailable or its response unreadable
 *   leased   --404-->       due        for 30 days, if upstream never returned it: an event may precede its order;
 *                                      otherwise buried, because upstream no longer has it
 *   leased   --refused-->   buried     due_at null, also if no attempts are left; a new request makes it due again
 */

@Injectable()
export class OrderRefreshWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly dueReads: DueReads,
    private readonly upstream: UpstreamOrders,
    private readonly reads: OrderReadsService,
    private readonly telemetry: OrdersTelemetry,
    private readonly lane: WriteLane,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.registerQueue({
      name: 'order-refresh',
      everyMs: ORDER_REFRESH_EVERY_MS,
      batch: 10,
      rows: dueReads.rows,
      only: ofKind('order'),
      retry: monthOfPatience,
      judge,
      handle: (row, signal) => this.read(row, signal),
      deferred: (row, { delayMs }, error) => telemetry.refreshDeferred(row.subject_id, error, delayMs),
      buried: (row, _code, error) => telemetry.refreshDeferred(row.subject_id, error, null),
    });
  }

  private async read(row: DueReadEntity, signal: AbortSignal): Promise<void> {
    const { subject_id: id } = row;
    await this.upstream.readAndStore(id, { priority: 'background', signal }).catch(async (error: unknown) => {
      if (!isAbsent(error)) throw error;
      const known = await this.reads.findOwner({ scope: 'order', id });
      throw known && known.version > 0 ? error : new NotThereYet(error.code, error.message);
    });
    await this.lane.run((tx) => this.dueReads.rows.releaseIfKept(tx, row));
    this.telemetry.refreshed();
  }
}

/** An order of which only the id is known. */
class NotThereYet extends AppError {}

function isAbsent(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'not_found';
}

function judge(error: unknown): Judgement {
  return error instanceof NotThereYet ? { then: 'retry', code: error.code } : classifyPatiently(error);
}
