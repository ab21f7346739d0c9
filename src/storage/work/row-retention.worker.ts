import { Injectable } from '@nestjs/common';
import { RetentionConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { DAY_MS, HOUR_MS } from '../../platform/platform/time.js';
import { WriteLane } from '../database/write-lane.js';
import { Declarations } from '../declarations/declarations.js';
import type { EndedRows } from '../declarations/ended-rows.js';
import { RowRetentionRepository } from './row-retention.repository.js';
import type { WorkerLoop, WorkOutcome } from './worker-loop.js';
import { WorkerRegistry } from './worker-registry.js';

/*
 * Visits the old rows of each declared table, oldest first, and deletes those that have ended, in slices small enough
 * not to delay webhooks. Needs no lease, because deleting twice has the same effect. Progress is not stored; after an
 * interruption it restarts at the oldest row.
 */

const INTERVAL_MS = 6 * HOUR_MS;
const SLICE_SIZE = 500;
/** The delete checks the condition again, and blocks other writes while it runs. */
const DELETED_AT_ONCE = 50;

@Injectable()
export class RowRetentionWorker {
  readonly loop: WorkerLoop;
  private readonly deleted;
  private table = 0;
  private passed = 0;

  constructor(
    private readonly config: RetentionConfig,
    private readonly declarations: Declarations,
    private readonly repository: RowRetentionRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    metrics: Metrics,
    workers: WorkerRegistry,
  ) {
    this.deleted = metrics.counter('rows_deleted_total', 'Finished queue rows deleted or emptied by retention', [
      'table',
    ]);
    this.loop = workers.register({ name: 'row-retention', everyMs: INTERVAL_MS, work: (signal) => this.round(signal) });
  }

  /** Visits slices until one contained rows to delete or all rows were visited. */
  private async round(signal: AbortSignal): Promise<WorkOutcome> {
    while (!signal.aborted) {
      const rows = this.declarations.ended[this.table];
      if (rows === undefined) {
        this.table = 0;
        return 'idle';
      }
      const days = Math.min(this.config.historyDays, rows.keptDays ?? Number.POSITIVE_INFINITY);
      if ((await this.slice(rows, this.clock.now() - days * DAY_MS)) > 0) return 'more';
    }
    return 'idle';
  }

  private async slice(rows: EndedRows, before: number): Promise<number> {
    const slice = await this.repository.next(rows, this.passed, before, SLICE_SIZE);
    const old = slice.filter(({ made_at }) => made_at < before);
    const isAtEnd = old.length < SLICE_SIZE;
    this.passed = isAtEnd ? 0 : (old.at(-1)?.key ?? 0);
    if (isAtEnd) this.table += 1;
    const keys = old.filter(({ ended }) => ended === 1).map(({ key }) => key);
    if (keys.length === 0) return 0;
    for (let from = 0; from < keys.length; from += DELETED_AT_ONCE) {
      const some = keys.slice(from, from + DELETED_AT_ONCE);
      const count = await this.lane.run((tx) => this.repository.delete(tx, rows, some, before));
      this.deleted.inc({ table: rows.table }, count);
    }
    return keys.length;
  }
}
