import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { judgeFetch, seriesRetry } from './fetch-failure.js';
import type { SeriesFetchEntity } from './series-fetch.entity.js';
import { SeriesFetcher } from './series-fetcher.js';
import { SeriesFetchesRepository } from './series-fetches.repository.js';
import { StoreSeries } from './store-series.js';
import { WorkoutSeriesTelemetry } from './workout-series.telemetry.js';

/*
 * Fetches the streams of workouts that events announced. Leases: work/leased-rows.ts.
 *
 *   (none)        --event-->   due      stored with the done-mark of the event's message
 *   due           --claim-->   leased   still `due`, with an owner and an end
 *   leased        --fetched--> done     with the record, in one transaction
 *   leased        --event-->   leased   and fetched again afterwards
 *   leased        --later-->   due      upstream is busy or down, or does not know the workout yet
 * leased --buried--> failed not the account's, too large, unreadable or permanently unknown; see `error_code`
 *   done, failed  --event-->   due
 *
 * A crash leaves a lease, at whose end the fetch is due again; a stream stored twice is the same record.
 */

const everyMs = 1_000;
/** Each may be many megabytes, so few are held at a time. */
const batch = 2;
const NOT_READY_MS = 30_000;

@Injectable()
export class SeriesFetchWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly fetcher: SeriesFetcher,
    private readonly fetches: SeriesFetchesRepository,
    private readonly store: StoreSeries,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly events: WorkoutSeriesTelemetry,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.registerQueue({
      name: 'workout-series',
      everyMs,
      batch,
      sideBySide: true,
      rows: fetches.rows,
      retry: seriesRetry,
      judge: judgeFetch,
      handle: (fetch, signal) => this.fetch(fetch, signal),
      bury: (tx, fetch, code) => fetches.rows.bury(tx, fetch, code, { status: 'failed' }),
      deferred: (fetch, { code, delayMs }) => events.deferred(fetch, code, delayMs),
      buried: (fetch, code, error) => events.failed(fetch, code, error),
    });
  }

  private async fetch(fetch: SeriesFetchEntity, signal: AbortSignal): Promise<void> {
    const at = this.clock.now();
    const records = await this.fetcher.fetch(fetch, signal);
    if (!records) return this.notReady(fetch);
    await this.store.store(fetch, records, at);
    this.events.stored(fetch);
  }

  private async notReady(fetch: SeriesFetchEntity): Promise<void> {
    const later = { dueAt: this.clock.now() + NOT_READY_MS, code: 'account_not_ready', counts: false };
    await this.lane.run((tx) => this.fetches.rows.defer(tx, fetch, later));
    this.events.deferred(fetch, later.code, NOT_READY_MS);
  }
}
