import { Injectable } from '@nestjs/common';
import { RetentionConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { DAY_MS } from '../../platform/platform/time.js';
import { MAX_OLD_ROWS_A_DELETE } from '../database/tuning.js';
import { WriteLane } from '../database/write-lane.js';
import type { EndedRows } from '../declarations/ended-rows.js';
import type { SliceOutcome } from './cleaner.worker.js';
import { OldRowsRepository } from './old-rows.repository.js';

/** Deletes the rows of declared tables that are old and have ended. */
@Injectable()
export class OldRows {
  private readonly deleted;

  constructor(
    private readonly config: RetentionConfig,
    private readonly repository: OldRowsRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.deleted = metrics.counter('rows_deleted_total', 'Finished queue rows deleted or emptied by retention', [
      'table',
    ]);
  }

  /** Visits at most `limit` rows of a table. `last` is the key after which the next slice begins. */
  async slice(rows: EndedRows, after: number, limit: number): Promise<{ outcome: SliceOutcome; last: number }> {
    const days = Math.min(this.config.historyDays, rows.keptDays ?? Number.POSITIVE_INFINITY);
    const before = this.clock.now() - days * DAY_MS;
    const slice = await this.repository.next(rows, after, before, limit);
    const old = slice.filter(({ made_at }) => made_at < before);
    const keys = old.filter(({ ended }) => ended === 1).map(({ key }) => key);
    for (let from = 0; from < keys.length; from += MAX_OLD_ROWS_A_DELETE) {
      const some = keys.slice(from, from + MAX_OLD_ROWS_A_DELETE);
      const count = await this.lane.run((tx) => this.repository.delete(tx, rows, some, before));
      this.deleted.inc({ table: rows.table }, count);
    }
    const isAtEnd = old.length < limit;
    return {
      outcome: isAtEnd ? 'end' : keys.length > 0 ? 'deleted' : 'passed',
      last: isAtEnd ? 0 : (old.at(-1)?.key ?? 0),
    };
  }
}
