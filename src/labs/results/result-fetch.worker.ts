import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { classifyPatiently, type Judgement, monthOfPatience } from '../../storage/work/retry.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { RESULT_FETCH_EVERY_MS } from '../keys/tuning.js';
import type { DueReadEntity } from '../orders/due-read.entity.js';
import { DueReads, ofKind, resultRead } from '../orders/due-reads.repository.js';
import type { ResultSubject } from '../orders/result-subject.js';
import { ResultsService } from './results.service.js';
import { ResultsTelemetry } from './results.telemetry.js';
import { StoreResult } from './store-result.js';

/*
 * Fetches results that an event reported as new, changed or perhaps lost. Leases: work/leased-rows.ts.
 *
 *   due      --claim-->       leased
 *   leased   --read-->        (deleted)  in the transaction that stores the result, whichever call read it; a request
 *                                        newer than the read keeps the row, which is then due again
 *   leased   --404-->         due        for 30 days, because the result may come without another event, also in the
 *                                        place of a stored version, which is withdrawn in the same transaction. Then
 *                                        buried, or deleted if the withdrawn version is on its list
 *   leased   --partial-->     due        in the same way, if the order is completed: the final result is still to come
 *   leased   --no account-->  (deleted)  the result belongs to no account; requested again once it does
 *   leased   --later-->       due        after a growing pause: upstream is unavailable or has no result yet
 *   leased   --refused-->     buried     due_at null; the next event makes it due again
 */

@Injectable()
export class ResultFetchWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly dueReads: DueReads,
    private readonly results: ResultsService,
    private readonly store: StoreResult,
    private readonly telemetry: ResultsTelemetry,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.registerQueue({
      name: 'result-fetch',
      everyMs: RESULT_FETCH_EVERY_MS,
      batch: 10,
      rows: dueReads.rows,
      only: ofKind('result'),
      retry: monthOfPatience,
      judge,
      handle: (row, signal) => this.fetch(row, signal),
      bury: (tx, row, code) => this.end(tx, row, code),
      deferred: (row, { delayMs }, error) => telemetry.fetchDeferred(subjectOf(row), error, delayMs),
      buried: (row, _code, error) => telemetry.fetchDeferred(subjectOf(row), error, null),
    });
  }

  private async fetch(row: DueReadEntity, signal: AbortSignal): Promise<void> {
    const subject = subjectOf(row);
    const observedAt = this.clock.now();
    try {
      await this.results.fetch(subject, { priority: 'bulk', signal });
    } catch (error) {
      const isOwnerless = isCoded(error, 'not_found');
      if (!isOwnerless && !isNotReady(error)) throw error;
      if (isOwnerless) await this.complete(subject, observedAt);
      else if ((await this.dueReads.find(resultRead(subject))) !== null) throw error;
    }
    await this.lane.run((tx) => this.dueReads.rows.releaseIfKept(tx, row));
    this.telemetry.fetched();
  }

  private async end(tx: Tx, row: DueReadEntity, code: string): Promise<void> {
    const buried = await this.dueReads.rows.buryUnlessRequested(tx, row, code);
    const isListed = buried.due_at === null && code === 'result_not_ready';
    if (isListed && (await this.store.isWithdrawn(tx, subjectOf(row)))) {
      const now = this.clock.now();
      await this.dueReads.complete(tx, resultRead(subjectOf(row)), { observedAt: now, now });
    }
  }

  private complete(subject: ResultSubject, observedAt: number): Promise<void> {
    return this.lane.run((tx) =>
      this.dueReads.complete(tx, resultRead(subject), { observedAt, now: this.clock.now() }),
    );
  }
}

function subjectOf({ scope, subject_id: id }: DueReadEntity): ResultSubject {
  return { scope, id };
}

/** The event may arrive before the result is available (docs/upstream/results.md#before-there-are-results). */
function judge(error: unknown): Judgement {
  return isNotReady(error) ? { then: 'retry', code: error.code } : classifyPatiently(error);
}

function isNotReady(error: unknown): error is AppError {
  return isCoded(error, 'result_not_ready');
}

function isCoded(error: unknown, code: AppError['code']): error is AppError {
  return error instanceof AppError && error.code === code;
}
