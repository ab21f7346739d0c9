import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { classifyPatiently, type Judgement } from '../../storage/work/retry.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { OrderIntake, type ResultFetchRow } from '../orders/order-intake.service.js';
import type { ResultSubject } from '../orders/result-subject.js';
import { ResultsService } from './results.service.js';
import { ResultsTelemetry } from './results.telemetry.js';

/*
 * Reads results from upstream of which an event said that they are new or were changed. Leases: work/leased-rows.ts.
 *
 *   due      --claim-->       leased
 *   leased   --read-->        (gone)     removed in the transaction that stores the result, by whichever way it comes;
 *                                        a request newer than the reading keeps the row, which is due again
 *   leased   --404-->         (gone)     if a version is stored: it is withdrawn in the same transaction. If none is,
 *                                        the 404 is believed the fifth time, after about eight minutes: the next event
 *                                        or reading brings the result
 *   leased   --of nobody-->   (gone)     it belongs to none of our accounts; requested again once it does
 *   leased   --later-->       due        with a growing pause: upstream cannot be reached or read, or has no result yet
 *   leased   --refused-->     buried     due_at null; the next event makes it due again
 */

const everyMs = 3_000;
const retry = { pause: { baseMs: 30_000, capMs: 6 * HOUR_MS, factor: 2, jitter: 0.2 }, mostAttempts: 16 };
/** An event may be faster than the result it reports (docs/upstream/results.md#before-there-are-results). */
const TRIES_OF_ABSENT = 5;

@Injectable()
export class ResultFetchWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly intake: OrderIntake,
    private readonly results: ResultsService,
    private readonly events: ResultsTelemetry,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.registerQueue({
      name: 'result-fetch',
      everyMs,
      batch: 10,
      rows: intake.results.rows,
      retry,
      judge,
      handle: (row, signal) => this.fetch(row, signal),
      deferred: (row, { delayMs }, error) => events.fetchDeferred(subjectOf(row), error, delayMs),
      buried: (row, _code, error) => events.fetchDeferred(subjectOf(row), error, null),
    });
  }

  private async fetch(row: ResultFetchRow, signal: AbortSignal): Promise<void> {
    const subject = subjectOf(row);
    const observedAt = this.clock.now();
    try {
      await this.results.fetch(subject, { priority: 'bulk', signal });
    } catch (error) {
      const isNoMore = isCoded(error, 'not_found');
      if (!isNoMore && !isNotReady(error)) throw error;
      const isBelieved = isNoMore || row.attempts >= TRIES_OF_ABSENT;
      if (isBelieved) await this.complete(subject, observedAt);
      else if ((await this.intake.results.find(subject)) !== null) throw error;
    }
    await this.lane.run((tx) => this.intake.results.rows.releaseIfKept(tx, row));
    this.events.fetched();
  }

  private complete(subject: ResultSubject, observedAt: number): Promise<void> {
    return this.lane.run((tx) => this.intake.results.complete(tx, subject, { observedAt, now: this.clock.now() }));
  }
}

function subjectOf({ scope, subject_id: id }: ResultFetchRow): ResultSubject {
  return { scope, id };
}

/** `result_not_ready` is retried a few times. */
function judge(error: unknown): Judgement {
  return isNotReady(error) ? { then: 'retry', code: error.code } : classifyPatiently(error);
}

function isNotReady(error: unknown): error is AppError {
  return isCoded(error, 'result_not_ready');
}

function isCoded(error: unknown, code: AppError['code']): error is AppError {
  return error instanceof AppError && error.code === code;
}
