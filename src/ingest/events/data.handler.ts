import { Injectable } from '@nestjs/common';
import { resourceByEvent } from '../../health/catalogue/catalogue.js';
import { readWorkoutEvent, WorkoutSeries } from '../workout-series/workout-series.service.js';
import { ignore, type Plan, type RoutedEvent, recordsOf, store, write } from './event.js';

/** Events about health data: the records themselves, or that there are some to fetch. */
@Injectable()
export class DataHandler {
  constructor(private readonly workouts: WorkoutSeries) {}

  /**
   * `daily.data.{R}.created` and `.updated` are the same upsert, because order is not guaranteed
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

  /**
   * A shallow event (docs/upstream/webhooks.md#workout-stream-events): there is a stream to fetch, or to fetch again.
   */
  private workout({ data, seq, receivedAt }: RoutedEvent): Plan {
    const workout = readWorkoutEvent(data);
    return write((tx, account) => this.workouts.request(tx, account, { ...workout, seq, receivedAt }));
  }
}
