import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { asFields, asKey, textOrNull, type WireFields } from '../../platform/platform/json-reader.js';
import { decodeCursor, onePage, type Page, pageOf } from '../../platform/platform/paging.js';
import type { Tx } from '../../storage/database/tx.js';
import { SeriesFetchesRepository, type ShownFetch } from './series-fetches.repository.js';
import type { SeriesFetchQuery } from './workout-series.dto.js';

/**
 * Content of a `workout_stream` event (docs/upstream/webhooks.md#workout-stream-events): the workout's owner, but not
 * the series.
 */
export interface WorkoutEvent {
  readonly workoutId: string;
  readonly userId: string | null;
  /** `provider_id`, `source` and `sport` as they came. */
  readonly facts: WireFields;
}

/** Throws `WireShapeError` for an event that names no workout. */
export function readWorkoutEvent(data: unknown): WorkoutEvent {
  const { workout_id, user_id, provider_id, source, sport } = asFields(data, 'data');
  return {
    workoutId: asKey(workout_id, 'workout_id'),
    userId: textOrNull(user_id)?.toLowerCase() ?? null,
    facts: { provider_id, source, sport },
  };
}

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
  async list({ account_id, status, cursor, limit }: SeriesFetchQuery): Promise<Page<ShownFetch>> {
    const [beforeId] = cursor === undefined ? [] : decodeCursor(cursor, ['number']);
    const account = account_id === undefined ? undefined : await this.accounts.find(account_id);
    if (account === null) return onePage([]);
    const rows = await this.fetches.page({ account: account?.id, status, beforeId, limit: limit + 1 });
    return pageOf(rows, limit, ({ id }) => [id]);
  }
}
