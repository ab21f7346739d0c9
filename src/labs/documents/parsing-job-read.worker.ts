import { Injectable } from '@nestjs/common';
import { AppError } from '../../platform/platform/errors.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { classifyPatiently, type Judgement, monthOfPatience } from '../../storage/work/retry.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { PARSING_JOB_READ_EVERY_MS } from '../keys/tuning.js';
import { OrdersTelemetry } from '../orders/orders.telemetry.js';
import type { ParsingJobEntity } from './parsing-job.entity.js';
import { ParsingJobsRepository } from './parsing-jobs.repository.js';
import { hasEnded } from './parsing-jobs.service.js';
import { UpstreamParsingJobs } from './upstream-parsing-jobs.js';

/*
 * Reads parsing jobs until they have ended, because the event of the end may be lost. Leases: work/leased-rows.ts.
 *
 *   due      --claim-->     leased
 *   leased   --ended-->     idle      due_at null, also if an event said so before the read
 *   leased   --open-->      due       for 30 days, also after 404; then buried, listed and alarmed
 *   leased   --later-->     due       after a growing pause, while upstream is unavailable or its response unreadable
 *   leased   --refused-->   buried    due_at null; the next event of an open job makes it due again
 */

@Injectable()
export class ParsingJobReadWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly repository: ParsingJobsRepository,
    private readonly upstream: UpstreamParsingJobs,
    private readonly lane: WriteLane,
    telemetry: OrdersTelemetry,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.registerQueue({
      name: 'parsing-job',
      everyMs: PARSING_JOB_READ_EVERY_MS,
      batch: 10,
      rows: repository.rows,
      retry: monthOfPatience,
      judge,
      handle: (row, signal) => this.read(row, signal),
      deferred: (_row, { delayMs }, error) => telemetry.jobDeferred(error, delayMs),
      buried: (_row, _code, error) => telemetry.jobDeferred(error, null),
    });
  }

  private async read(row: ParsingJobEntity, signal: AbortSignal): Promise<void> {
    if (!hasEnded(row.status)) {
      const isThere = await this.upstream.readAndStore(row, { priority: 'background', signal });
      if (!isThere) throw new NotEnded('not_found', 'Upstream does not return the parsing job.');
      const now = await this.repository.find(row.job_id);
      if (now && !hasEnded(now.status)) throw new NotEnded('result_not_ready', 'The parsing job has not ended.');
    }
    await this.lane.run((tx) => this.repository.finish(tx, row));
  }
}

class NotEnded extends AppError {}

function judge(error: unknown): Judgement {
  return error instanceof NotEnded ? { then: 'retry', code: error.code } : classifyPatiently(error);
}
