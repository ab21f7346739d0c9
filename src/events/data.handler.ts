import { Injectable } from '@nestjs/common';
import { resourceByEvent } from '../catalogue/catalogue.js';
import type { Records } from '../catalogue/records.js';
import { PullStreams } from '../coverage/pull-streams.service.js';
import { HealthDataService } from '../health-data/health-data.service.js';
import { ProviderHours } from '../provider-hours/provider-hours.service.js';
import { PullsService } from '../pulls/pulls.service.js';
import { RejectedRecords } from '../rejected-records/rejected-records.service.js';
import { readWorkoutEvent } from '../workout-series/workout-event.js';
import { WorkoutSeries } from '../workout-series/workout-series.service.js';
import { apply, applyRecords, type Effect, ignore, type Plan, type RoutedEvent, recordsOf } from './event.js';

/** Events about health data: the records themselves, or that there are some to fetch. */
@Injectable()
export class DataHandler {
  constructor(
    private readonly healthData: HealthDataService,
    private readonly pulls: PullsService,
    private readonly streams: PullStreams,
    private readonly workouts: WorkoutSeries,
    private readonly rejected: RejectedRecords,
    private readonly providerHours: ProviderHours,
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
    if (event.records === null) {
      const records = recordsOf(resource, event.data);
      return applyRecords([this.storing(event, records)], records);
    }
    const { slices, ...counts } = event.records(resource);
    return applyRecords(this.storingEach(event, slices), counts);
  }

  private async *storingEach(event: RoutedEvent, slices: AsyncIterable<Records>): AsyncGenerator<Effect> {
    for await (const records of slices) yield this.storing(event, records);
  }

  private storing({ seq, receivedAt }: RoutedEvent, records: Records): Effect {
    return async (tx, { account, now, afterCommit }) => {
      await this.rejected.ofMessage(tx, { account, seq, at: receivedAt, now }, records);
      afterCommit(() => this.rejected.report(records, 'message'));
      const provenance = { kind: 'message', ref: seq, at: receivedAt } as const;
      const { conflicts, newSources } = await this.healthData.apply(tx, { account, records, provenance });
      if (conflicts.length > 0) await this.pulls.requestRefetch(tx, account, records.resource.name, conflicts);
      for (const provider of newSources) await this.streams.sourceSeen(tx, account, provider, records.resource.name);
      await this.providerHours.note(tx, { providers: providersOf(records), at: receivedAt, afterCommit });
    };
  }

  /**
   * A shallow event (docs/upstream/webhooks.md#workout-stream-events): it says that there is a stream to fetch, or to
   * fetch again.
   */
  private workout({ data, seq, receivedAt }: RoutedEvent): Plan {
    const workout = readWorkoutEvent(data);
    return apply((tx, { account }) => this.workouts.request(tx, account, { ...workout, seq, receivedAt }));
  }
}

function providersOf({ samples, summaries }: Records): string[] {
  return [...samples.map(({ key }) => key.provider), ...summaries.map(({ provider }) => provider)];
}
