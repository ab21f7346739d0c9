import { Injectable } from '@nestjs/common';
import { SyncConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS, HOUR_MS } from '../../platform/platform/time.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { classifyPatiently } from '../../storage/work/retry.js';
import { type Walk, Walks } from '../../storage/work/walks.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { UnmatchedResultsClient } from '../../upstream/client/unmatched-results.client.js';
import { UNMATCHED_WALK_EVERY_MS } from '../keys/tuning.js';
import { UnmatchedResultsRepository } from './unmatched-results.repository.js';
import { UnmatchedResults } from './unmatched-results.service.js';
import { UnmatchedResultsTelemetry } from './unmatched-results.telemetry.js';

/*
 * Walks upstream's list of unmatched results, to find those whose event was lost. Leases: work/leased-rows.ts.
 *
 *   waiting  --due_at-->      walking  from the first page
 *   walking  --page stored--> walking  items and cursor in one transaction, so a crash reads one page again
 *   walking  --last page-->   waiting  for the sync interval; waiting results missing from the list are read one by one
 *   walking  --failure-->     walking  same page again, after a growing pause
 *   walking  --refused-->     waiting  for a day, because most teams have no review queue
 */

const PAGE_SIZE = 50;
const retry = { pause: { baseMs: 10_000, capMs: HOUR_MS / 4, factor: 2, jitter: 0.2 }, mostAttempts: 16 };

@Injectable()
export class UnmatchedResultWalkWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly results: UnmatchedResultsRepository,
    private readonly unmatched: UnmatchedResults,
    private readonly client: UnmatchedResultsClient,
    private readonly walks: Walks,
    private readonly lane: WriteLane,
    private readonly config: SyncConfig,
    private readonly clock: Clock,
    private readonly telemetry: UnmatchedResultsTelemetry,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.registerQueue({
      name: 'unmatched-result-list',
      everyMs: UNMATCHED_WALK_EVERY_MS,
      batch: 1,
      rows: walks.rows,
      only: walks.only('unmatched_results'),
      retry,
      judge: classifyPatiently,
      handle: (row, signal) => this.page(row, signal),
      bury: (tx, row, code) => walks.finish(tx, row, tx.now + DAY_MS, { error_code: code }),
      deferred: (_row, { delayMs }, error) => telemetry.listDeferred(error, delayMs, false),
      buried: (_row, _code, error) => telemetry.listDeferred(error, DAY_MS, true),
    });
  }

  private async page(walk: Walk, signal: AbortSignal): Promise<void> {
    const now = this.clock.now();
    const cursor = walk.next_cursor;
    const page = await this.client.list({ limit: PAGE_SIZE, cursor }, { priority: 'background', signal });
    const items = await this.unmatched.owned(page.data);
    const startedAt = walk.started_at ?? now;
    await this.lane.run(async (tx) => {
      for (const item of items) await this.unmatched.applyItem(tx, item, now);
      if (page.nextCursor !== null && page.nextCursor !== cursor) {
        await this.walks.rows.complete(tx, walk, now, { started_at: startedAt, next_cursor: page.nextCursor });
        return;
      }
      await this.results.requestUnconfirmed(tx, startedAt, now);
      await this.walks.finish(tx, walk, now + this.config.intervalSeconds * 1_000);
    });
    this.telemetry.read('listed');
  }
}
