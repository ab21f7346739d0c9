import { Injectable } from '@nestjs/common';
import { AppError } from '../../platform/platform/errors.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { classifyPatiently, type Judgement, monthOfPatience } from '../../storage/work/retry.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { UNMATCHED_READ_EVERY_MS } from '../keys/tuning.js';
import { type UnmatchedResultRow, UnmatchedResultsRepository } from './unmatched-results.repository.js';
import { UnmatchedResults } from './unmatched-results.service.js';
import { UnmatchedResultsTelemetry } from './unmatched-results.telemetry.js';

/*
 * Reads unmatched results that an event or the list reported as new or changed. Leases: work/leased-rows.ts.
 *
 *   due      --claim-->       leased
 *   leased   --read-->        idle       due_at null; an event that arrived during the read makes it due again
 *   leased   --404-->         gone       if it was read before: it was decided, and upstream no longer returns it
 *   leased   --404-->         due        if it was never read: upstream may not return it yet, or the team has no
 *                                        review queue; buried after 30 days
 *   leased   --later-->       due        after a growing pause: upstream is unavailable or its response unreadable
 *   leased   --refused-->     buried     due_at null; the next event makes it due again. It still counts as waiting
 */

@Injectable()
export class UnmatchedResultReadWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly results: UnmatchedResultsRepository,
    private readonly unmatched: UnmatchedResults,
    private readonly lane: WriteLane,
    private readonly telemetry: UnmatchedResultsTelemetry,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.registerQueue({
      name: 'unmatched-result',
      everyMs: UNMATCHED_READ_EVERY_MS,
      batch: 10,
      rows: results.rows,
      retry: monthOfPatience,
      judge,
      handle: (row, signal) => this.read(row, signal),
      deferred: ({ id }, { delayMs }, error) => telemetry.readDeferred(id, error, delayMs),
      buried: ({ id }, _code, error) => telemetry.readDeferred(id, error, null),
    });
  }

  private async read(row: UnmatchedResultRow, signal: AbortSignal): Promise<void> {
    const { content } = await this.unmatched.readAgain(row.id, { priority: 'background', signal });
    if (content === null && row.read_at === null) throw new AppError('not_found', 'Upstream does not return it.');
    await this.lane.run((tx) => this.results.finish(tx, row));
    this.telemetry.read(content === null ? 'gone' : 'read');
  }
}

/** An announced item that upstream does not return yet. Given up, it still counts as waiting for a decision. */
function judge(error: unknown): Judgement {
  const isAbsent = error instanceof AppError && error.code === 'not_found';
  return isAbsent ? { then: 'retry', code: error.code } : classifyPatiently(error);
}
