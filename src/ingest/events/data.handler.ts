import { Injectable } from '@nestjs/common';
import { resourceByEvent } from '../../health/catalogue/catalogue.js';
import { readWorkoutEvent, WorkoutSeries } from '../workout-series/workout-series.service.js';
import { ignore, type Plan, type RoutedEvent, recordsOf, store, write } from './event.js';

/** Events with health records, or about a workout stream to fetch. */
@Injectable()
export class DataHandler {
  constructor(private readonly workouts: WorkoutSeries) {}

  /**
   * `daily.data.{R}.created` and `.updated` are the same upsert, because they may arrive in any order
   * (docs/upstream/webhooks.md#created-and-updated).
   */
  records(event: RoutedEvent): Plan {
    const resource = resourceByEvent(event.resource);
    if (resource === null) return ignore('unknown_resource');
    if (resource.family === 'stream') return this.workout(event);
    if (event.records === null) {
      const records = recordsOf(resource, event.data);
      return store([records], records);
    }
    const { slices, ...counts } = event.records(resource);
    return store(slices, counts);
  }

  /** Announces a stream to fetch, perhaps again (docs/upstream/webhooks.md#workout-stream-events). */
  private workout({ data, seq, receivedAt }: RoutedEvent): Plan {
    const workout = readWorkoutEvent(data);
    return write((tx, account) => this.workouts.request(tx, account, { ...workout, seq, receivedAt }));
  }
}
