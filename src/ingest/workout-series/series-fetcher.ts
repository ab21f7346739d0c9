import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { workouts } from '../../health/catalogue/catalogue.js';
import type { Records } from '../../health/catalogue/records.js';
import { StoredRecords } from '../../health/reads/stored-records.service.js';
import { yieldToEventLoop } from '../../platform/platform/event-loop.js';
import { textOrNull } from '../../platform/platform/json-reader.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import { SERIES_CALL_MS } from '../streams/tuning.js';
import { SeriesRefused } from './fetch-failure.js';
import { mapWorkoutSeries } from './map-workout-series.js';
import type { SeriesFetchEntity } from './series-fetch.entity.js';
import { SeriesFetchesRepository } from './series-fetches.repository.js';

/** Characters of JSON; twice a day of eleven arrays with one value per second. */
const MAX_SERIES_POINTS = 16 * 1024 * 1024;

/** Reads the series of a workout from upstream, for its owner only. Writes nothing. */
@Injectable()
export class SeriesFetcher {
  constructor(
    private readonly upstream: UpstreamClient,
    private readonly accounts: AccountsService,
    private readonly fetches: SeriesFetchesRepository,
    private readonly records: StoredRecords,
  ) {}

  /**
   * The series as a record; null while the account has no upstream user yet. Throws `SeriesRefused`, `UpstreamError` or
   * the signal's reason.
   */
  async fetch(fetch: SeriesFetchEntity, signal: AbortSignal): Promise<Records | null> {
    const userId = await this.ownerOf(fetch);
    if (userId === null) return null;
    const options = { priority: 'bulk', account: fetch.account_id, deadlineMs: SERIES_CALL_MS, signal } as const;
    const stream = await this.upstream.workoutStream(fetch.workout_id, options);
    assertOwner(textOrNull(stream['user_id']), userId);
    const start = await this.records.timeOf(fetch.account_id, workouts, fetch.workout_id);
    const facts = JSON.parse(fetch.facts) as Record<string, unknown>;
    await yieldToEventLoop();
    const records = mapWorkoutSeries({ workoutId: fetch.workout_id, facts, time: start ?? fetch.received_at }, stream);
    const length = records.summaries.reduce((sum, { raw }) => sum + raw.length, 0);
    if (length > MAX_SERIES_POINTS) throw new SeriesRefused('stream_too_large');
    return records;
  }

  /** The user whose series may be read. The URL has no user id, so upstream returns the workout of any user. */
  private async ownerOf({ account_id, workout_id, user_id }: SeriesFetchEntity): Promise<string | null> {
    const account = await this.accounts.findById(account_id);
    if (!account || account.status === 'erasing') throw new SeriesRefused('account_gone');
    if (account.upstream_user_id === null) return null;
    assertOwner(user_id, account.upstream_user_id);
    if (await this.fetches.belongsToAnother(workout_id, account_id)) throw new SeriesRefused('foreign_workout');
    return account.upstream_user_id;
  }
}

function assertOwner(named: string | null, userId: string): void {
  if (named !== null && named.toLowerCase() !== userId) throw new SeriesRefused('foreign_user');
}
