import { Injectable } from '@nestjs/common';
import { type Resource, resourceByEvent } from '../catalogue/catalogue.js';
import { mapGroups, mapSummaries } from '../catalogue/map-records.js';
import type { Records } from '../catalogue/records.js';
import { PullStreams } from '../coverage/pull-streams.service.js';
import { HealthDataService } from '../health-data/health-data.service.js';
import { asFields, asText, WireShapeError } from '../platform/json-reader.js';
import { parseInstant } from '../platform/time.js';
import { PullsService } from '../pulls/pulls.service.js';
import { HistoricalPulls } from '../source-polls/historical-pulls.service.js';
import { readGroup } from '../upstream/wire-data.js';
import { readWorkoutEvent } from '../workout-series/workout-event.js';
import { WorkoutSeries } from '../workout-series/workout-series.service.js';
import { apply, ignore, type Plan, type RoutedEvent } from './event.js';

/** Events about health data: the records themselves, and that upstream has pulled a source's past. */
@Injectable()
export class DataHandler {
  constructor(
    private readonly healthData: HealthDataService,
    private readonly pulls: PullsService,
    private readonly streams: PullStreams,
    private readonly historicalPulls: HistoricalPulls,
    private readonly workouts: WorkoutSeries,
  ) {}

  /**
   * `daily.data.{R}.created` and `.updated` are the same upsert, since order is not guaranteed
   * (docs/upstream/webhooks.md#created-and-updated). A sample that contradicts a stored one is written and its range
   * read again: a late retry looks like news.
   */
  records(event: RoutedEvent): Plan {
    const resource = resourceByEvent(event.resource);
    if (resource === null) return ignore('unknown_resource');
    if (resource.family === 'stream') return this.workout(event);
    const records = recordsOf(resource, event.data);
    return apply(async (tx, { account }) => {
      const provenance = { kind: 'message', ref: event.seq, at: event.receivedAt } as const;
      const observation = await this.healthData.observe(tx, provenance);
      const { conflicts, newSources } = await this.healthData.apply(tx, account, records, observation);
      if (conflicts.length > 0) await this.pulls.requestRefetch(tx, account, resource.name, conflicts);
      for (const provider of newSources) await this.streams.sourceSeen(tx, account, provider);
    });
  }

  /**
   * A shallow event (docs/upstream/webhooks.md#workout-stream-events): it says that there is a stream to fetch, or to
   * fetch again.
   */
  private workout({ data, seq, receivedAt }: RoutedEvent): Plan {
    const workout = readWorkoutEvent(data);
    return apply((tx, { account }) => this.workouts.request(tx, account, { ...workout, seq, receivedAt }));
  }

  /**
   * `historical.data.{R}.created` holds no records: its range is ours to pull from now on
   * (docs/upstream/webhooks.md#historical-completion).
   */
  history({ resource, data, receivedAt }: RoutedEvent): Plan {
    const fields = asFields(data, 'data');
    const completion = {
      provider: asText(fields['provider'], 'provider'),
      eventResource: resource,
      start: asInstant(fields['start_date'], 'start_date'),
      end: asInstant(fields['end_date'], 'end_date'),
      at: receivedAt,
    };
    return apply((tx, { account }) => this.historicalPulls.completed(tx, account, completion));
  }
}

/** Points without a time or a value are left out; an event with nothing left is an error. */
function recordsOf(resource: Resource, data: unknown): Records {
  const records =
    resource.family === 'summary' ? mapSummaries(resource, [data]) : mapGroups(resource, [readGroup(data)]);
  if (records.received > 0 && records.rejected === records.received) throw new WireShapeError('data');
  return records;
}

function asInstant(value: unknown, field: string): number {
  const instant = parseInstant(asText(value, field));
  if (instant === null) throw new WireShapeError(field);
  return instant;
}
