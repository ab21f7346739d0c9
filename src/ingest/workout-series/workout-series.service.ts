import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { asFields, asKey, textOrNull, type WireFields } from '../../platform/platform/json-reader.js';
import { decodeCursor, onePage, type Page, pageOf } from '../../platform/platform/paging.js';
import type { Tx } from '../../storage/database/tx.js';
import { SeriesFetchesRepository, type ShownFetch } from './series-fetches.repository.js';
import type { SeriesFetchQuery } from './workout-series.dto.js';

/**
 * Content of a `workout_stream` event (docs/upstream/webhooks.md#workout-stream-events), which announces a series but
 * does not contain it.
 */
export interface WorkoutEvent {
  readonly workoutId: string;
  readonly userId: string | null;
  /** `provider_id`, `source` and `sport` as received. */
  readonly facts: WireFields;
}

/** Reads a `workout_stream` event. Throws `WireShapeError` without a workout id. */
export function readWorkoutEvent(data: unknown): WorkoutEvent {
  const { workout_id, user_id, provider_id, source, sport } = asFields(data, 'data');
  return {
    workoutId: asKey(workout_id, 'workout_id'),
    userId: textOrNull(user_id)?.toLowerCase() ?? null,
    facts: { provider_id, source, sport },
  };
}

/** Fetches of workout series, which upstream calls workout streams. */
@Injectable()
export class WorkoutSeries {
  constructor(
    private readonly fetches: SeriesFetchesRepository,
    private readonly accounts: AccountsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Requests a fetch of a workout's series, perhaps again. `seq` is that of the event's message and `receivedAt` its
   * first receipt; `account` is `accounts.id`.
   */
  request(tx: Tx, account: number, event: WorkoutEvent & { seq: number; receivedAt: number }): Promise<void> {
    const { workoutId: workout_id, userId: user_id, facts, seq: message_seq, receivedAt: received_at } = event;
    const fetch = { account_id: account, workout_id, user_id, facts: JSON.stringify(facts), message_seq, received_at };
    return this.fetches.request(tx, fetch, this.clock.now());
  }

  /** Newest first; empty for an unknown account. */
  async list({ account_id, status, cursor, limit }: SeriesFetchQuery): Promise<Page<ShownFetch>> {
    const [beforeId] = cursor === undefined ? [] : decodeCursor(cursor, ['number']);
    const account = account_id === undefined ? undefined : await this.accounts.find(account_id);
    if (account === null) return onePage([]);
    const rows = await this.fetches.page({ account: account?.id, status, beforeId, limit: limit + 1 });
    return pageOf(rows, limit, ({ id }) => [id]);
  }
}
