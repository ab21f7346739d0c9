import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import type { Tx } from '../../storage/database/tx.js';
import type { SeriesFetchStatus } from './series-fetch.entity.js';
import { SeriesFetchesRepository, type ShownFetch } from './series-fetches.repository.js';
import type { WorkoutEvent } from './workout-event.js';

/** Series of workouts (upstream's workout streams): what is to be fetched, and how far that is. */
@Injectable()
export class WorkoutSeries {
  constructor(
    private readonly fetches: SeriesFetchesRepository,
    private readonly accounts: AccountsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores that a workout's series is to be fetched, again if it was before. `seq` is the row of the message that says
   * so and `receivedAt` its first receipt; `account` is `accounts.id`.
   */
  request(tx: Tx, account: number, event: WorkoutEvent & { seq: number; receivedAt: number }): Promise<void> {
    const { workoutId: workout_id, userId: user_id, facts, seq: message_seq, receivedAt: received_at } = event;
    const fetch = { account_id: account, workout_id, user_id, facts: JSON.stringify(facts), message_seq, received_at };
    return this.fetches.request(tx, fetch, this.clock.now());
  }

  /** Newest first. An unknown account has none. */
  async list(query: {
    accountId?: string | undefined;
    status?: SeriesFetchStatus | undefined;
    cursor?: string | undefined;
    limit: number;
  }): Promise<Page<ShownFetch>> {
    const { accountId, status, cursor, limit } = query;
    const [beforeId] = cursor === undefined ? [] : decodeCursor(cursor, ['number']);
    const account = accountId === undefined ? undefined : (await this.accounts.find(accountId))?.id;
    if (accountId !== undefined && account === undefined) return { data: [], next_cursor: null };
    const rows = await this.fetches.page({ account, status, beforeId, limit: limit + 1 });
    return pageOf(rows, limit, ({ id }) => [id]);
  }
}
