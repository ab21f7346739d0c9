import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
import { LeaseLost } from '../pulls/pull-task.js';
import { Loops } from '../work/loops.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import { isStorageFailure, judgeFetch } from './fetch-failure.js';
import type { SeriesFetchEntity } from './series-fetch.entity.js';
import { SeriesFetcher } from './series-fetcher.js';
import { StoreSeries } from './store-series.js';
import { WorkoutSeriesTelemetry } from './workout-series.telemetry.js';

/*
 * Fetches the streams of workouts that events have told of.
 *
 *   (none)        --event-->   due      stored with the done-mark of the event's message
 *   due           --claim-->   leased   still `due`, with an owner and an end
 *   leased        --fetched--> done     with the record, in one transaction
 *   leased        --event-->   leased   and fetched once more after this
 *   leased        --later-->   due      upstream is busy or down, or does not know the workout yet
 *   leased        --refused--> failed   not the account's, too large, unreadable or unknown for good; `error_code` says
 *   done, failed  --event-->   due
 *
 * A crash leaves a lease, at whose end the fetch is due again; a stream stored twice is the same record. Only the pause
 * that upstream asked for is remembered, and is asked for again after a restart.
 */

const everyMs = 1_000;
const LEASE_MS = 300_000;
/** Each may be many megabytes, so few are held at a time. */
const AT_ONCE = 2;
const NOT_READY_MS = 30_000;

@Injectable()
export class SeriesFetchWorker {
  readonly loop: WorkerLoop;
  private readonly owner = newId();
  private pausedUntil = 0;

  constructor(
    private readonly fetcher: SeriesFetcher,
    private readonly store: StoreSeries,
    private readonly clock: Clock,
    private readonly events: WorkoutSeriesTelemetry,
    loops: Loops,
  ) {
    this.loop = loops.make('workout-stream', everyMs, (signal) => this.work(signal));
  }

  private async work(signal: AbortSignal): Promise<WorkOutcome> {
    const now = this.clock.now();
    if (signal.aborted || now < this.pausedUntil) return 'idle';
    const due = await this.store.claim({ owner: this.owner, now, leaseUntil: now + LEASE_MS, limit: AT_ONCE });
    await Promise.all(due.map((fetch) => this.run(fetch, signal)));
    return due.length > 0 ? 'more' : 'idle';
  }

  private async run(fetch: SeriesFetchEntity, signal: AbortSignal): Promise<void> {
    try {
      await this.attempt(fetch, signal);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      this.events.leaseLost(fetch);
    }
  }

  private async attempt(fetch: SeriesFetchEntity, signal: AbortSignal): Promise<void> {
    const at = this.clock.now();
    try {
      const records = await this.fetcher.fetch(fetch, signal);
      if (!records) return await this.defer(fetch, { code: 'account_not_ready', delayMs: NOT_READY_MS, counts: false });
      await this.store.store(fetch, records, at);
      this.events.stored(fetch);
    } catch (error) {
      if (error instanceof LeaseLost || isStorageFailure(error)) throw error;
      if (signal.aborted) return this.defer(fetch, { code: 'shutting_down', delayMs: 0, counts: false });
      await this.failed(fetch, error);
    }
  }

  private async failed(fetch: SeriesFetchEntity, error: unknown): Promise<void> {
    const verdict = judgeFetch(error, fetch.failures);
    if (verdict.then === 'defer') {
      this.pausedUntil = Math.max(this.pausedUntil, this.clock.now() + verdict.pauseMs);
      return this.defer(fetch, { ...verdict, counts: true });
    }
    const { code } = verdict;
    await this.store.settle(fetch, { status: 'failed', dueAt: null, failures: fetch.failures + 1, code });
    this.events.failed(fetch, code, error);
  }

  private async defer(
    fetch: SeriesFetchEntity,
    { code, delayMs, counts }: { code: string; delayMs: number; counts: boolean },
  ): Promise<void> {
    const failures = fetch.failures + (counts ? 1 : 0);
    await this.store.settle(fetch, { status: 'due', dueAt: this.clock.now() + delayMs, failures, code });
    this.events.deferred(fetch, code, delayMs);
  }
}
