import { Injectable } from '@nestjs/common';
import { assertWritable } from '../../accounts/erasure-guard/open-accounts.js';
import { HealthDataService } from '../../health/records/health-data.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { describeError } from '../../platform/platform/errors.js';
import { Log, type LogFields } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { Outcomes } from '../../platform/platform/outcomes.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { MAX_SERIES_FETCHES, SERIES_EVERY_MS, SERIES_NOT_READY_MS } from '../streams/tuning.js';
import { judgeFetch, seriesRetry } from './fetch-failure.js';
import type { SeriesFetchEntity } from './series-fetch.entity.js';
import { SeriesFetcher } from './series-fetcher.js';
import { SeriesFetchesRepository } from './series-fetches.repository.js';

/*
 * Fetches the workout series that events announced. Leases: work/leased-rows.ts.
 *
 *   (none)        --event-->   due      in the transaction that marks the event's message as done
 *   due           --claim-->   leased   still `due`, with an owner and an end of the lease
 *   leased        --fetched--> done     in one transaction with the record
 *   leased        --event-->   leased   and fetched again afterwards
 *   leased        --later-->   due      upstream is busy or down, or does not know the workout yet
 *   leased        --buried-->  failed   not the account's, too large, unreadable or permanently unknown; `error_code`
 *   done, failed  --event-->   due
 *
 * After a crash, the series is fetched again when the lease ends. Storing it twice leads to the same record.
 */

@Injectable()
export class SeriesFetchWorker {
  readonly loop: WorkerLoop;
  private readonly outcomes: Outcomes;

  constructor(
    private readonly fetcher: SeriesFetcher,
    private readonly fetches: SeriesFetchesRepository,
    private readonly healthData: HealthDataService,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    log: Log,
    metrics: Metrics,
    workers: WorkerRegistry,
  ) {
    this.outcomes = new Outcomes(log, metrics, 'workout_series_fetches_total', 'Fetches of workout series');
    this.loop = workers.registerQueue({
      name: 'workout-series',
      everyMs: SERIES_EVERY_MS,
      batch: MAX_SERIES_FETCHES,
      sideBySide: true,
      rows: fetches.rows,
      retry: seriesRetry,
      judge: judgeFetch,
      handle: (fetch, signal) => this.fetch(fetch, signal),
      bury: async (tx, fetch, code) => {
        await fetches.rows.bury(tx, fetch, code, { status: 'failed' });
        await fetches.dueAgain(tx, fetch, clock.now());
      },
      deferred: (fetch, { code, delayMs }) => this.deferred(fetch, code, delayMs),
      buried: (fetch, code, failure) => {
        const { error } = describeError(failure);
        this.outcomes.note('failed', 'workout_series.fetch_failed', { ...named(fetch), code, error }, 'error');
      },
    });
  }

  /** Fetches a series, and stores it together with the end of its fetch. */
  private async fetch(fetch: SeriesFetchEntity, signal: AbortSignal): Promise<void> {
    const at = this.clock.now();
    const records = await this.fetcher.fetch(fetch, signal);
    const now = this.clock.now();
    if (!records) {
      const code = 'account_not_ready';
      const later = { dueAt: now + SERIES_NOT_READY_MS, code, counts: false };
      await this.lane.run((tx) => this.fetches.rows.defer(tx, fetch, later));
      return this.deferred(fetch, code, SERIES_NOT_READY_MS);
    }
    await this.lane.run(async (tx) => {
      await assertWritable(tx, fetch.account_id);
      await this.fetches.rows.complete(tx, fetch, null, { status: 'done', stored_at: now });
      await this.fetches.dueAgain(tx, fetch, now);
      const provenance = { kind: 'message', ref: fetch.message_seq, at } as const;
      await this.healthData.apply(tx, { account: fetch.account_id, records, provenance });
    });
    this.outcomes.note('done', 'workout_series.fetch_done', named(fetch));
  }

  private deferred(fetch: SeriesFetchEntity, code: string, delay_ms: number): void {
    this.outcomes.note('deferred', 'workout_series.fetch_deferred', { ...named(fetch), code, delay_ms }, 'warn');
  }
}

function named({ id, account_id }: SeriesFetchEntity): LogFields {
  return { task_id: id, account_ref: account_id };
}
