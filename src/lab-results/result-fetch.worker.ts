import { Injectable } from '@nestjs/common';
import { backoffDelay } from '../platform/backoff.js';
import { Clock } from '../platform/clock.js';
import { AppError, CodedError } from '../platform/errors.js';
import { newId } from '../platform/ids.js';
import { HOUR_MS } from '../platform/time.js';
import { type DueFetch, ResultFetches } from '../result-fetches/result-fetches.service.js';
import type { ResultSubject } from '../result-fetches/result-subject.js';
import { UpstreamError } from '../upstream-transport/upstream-error.js';
import { Loops } from '../work/loops.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import { ResultsService } from './results.service.js';
import { ResultsTelemetry } from './results.telemetry.js';

/*
 * Reads results from upstream of which an event said that they are new or were changed.
 *
 *   due      --claim-->       leased     for LEASE_MS; a crash leaves it due again after that
 *   leased   --read-->        (gone)     removed in the transaction that stores the result, by whichever way it comes;
 *                                        a request newer than the reading keeps the row, which is due again
 *   leased   --later-->       due        with a growing pause: upstream cannot be reached or read, or has no result yet
 *   leased   --refused-->     given up   due_at null; the next event makes it due again. So does a result that upstream
 *                                        has not got after MOST_TRIES, about two days
 */

const everyMs = 15_000;
const LEASE_MS = 120_000;
const BATCH = 10;
const MOST_TRIES = 16;
const pause = { baseMs: 30_000, capMs: 6 * HOUR_MS, factor: 2, jitter: 0.2 };

@Injectable()
export class ResultFetchWorker {
  readonly loop: WorkerLoop;
  private readonly owner = newId();

  constructor(
    private readonly fetches: ResultFetches,
    private readonly results: ResultsService,
    private readonly clock: Clock,
    private readonly events: ResultsTelemetry,
    loops: Loops,
  ) {
    this.loop = loops.make('result-fetch', everyMs, (signal) => this.round(signal));
  }

  private async round(signal: AbortSignal): Promise<WorkOutcome> {
    const now = this.clock.now();
    const due = await this.fetches.claim({ owner: this.owner, now, leaseUntil: now + LEASE_MS, limit: BATCH });
    if (due === null) return 'idle';
    for (const fetch of due) await this.fetch(fetch, signal);
    return due.length > 0 ? 'more' : 'skipped';
  }

  private async fetch(due: DueFetch, signal: AbortSignal): Promise<void> {
    try {
      signal.throwIfAborted();
      await this.results.fetch(subjectOf(due), { priority: 'bulk', signal });
      await this.fetches.release(due, this.owner);
      this.events.fetched();
    } catch (error) {
      if (signal.aborted) await this.defer(due, 0, 'shutting_down');
      else await this.failed(due, error);
    }
  }

  private async failed(due: DueFetch, error: unknown): Promise<void> {
    if (!(error instanceof CodedError)) throw error;
    const asked = error instanceof UpstreamError && error.isTransient ? (error.retryAfterMs ?? 0) : 0;
    const delay = isFinal(error, due.attempts) ? null : Math.max(backoffDelay(pause, due.attempts), asked);
    await this.defer(due, delay, error.code);
    this.events.fetchDeferred(subjectOf(due), error, delay);
  }

  private async defer(due: DueFetch, delay: number | null, code: string): Promise<void> {
    const dueAt = delay === null ? null : this.clock.now() + delay;
    await this.fetches.defer(due, { owner: this.owner, dueAt, code });
  }
}

function subjectOf({ scope, subject_id: id }: DueFetch): ResultSubject {
  return { scope, id };
}

/** Our own refusals stay what they are; that a result is not ready may pass, but not for ever. */
function isFinal(error: CodedError, attempts: number): boolean {
  if (error instanceof UpstreamError && error.isRefusal) return true;
  if (!(error instanceof AppError) || error.code === 'storage_unavailable') return false;
  return error.code === 'result_not_ready' ? attempts >= MOST_TRIES : true;
}
