import { Injectable } from '@nestjs/common';
import { resourceByEvent } from '../../health/catalogue/catalogue.js';
import type { Records } from '../../health/catalogue/records.js';
import { HealthDataService, type ShownRecords } from '../../health/health-data/health-data.service.js';
import { type MessageRecords, RejectedRecords } from '../../health/health-data/rejected-records.service.js';
import type { Tx } from '../../storage/database/tx.js';
import { PullStreams } from '../pulls/pull-streams.service.js';
import { PullsService } from '../pulls/pulls.service.js';
import { readWorkoutEvent } from '../workout-series/workout-event.js';
import { WorkoutSeries } from '../workout-series/workout-series.service.js';
import {
  type ArrivedRecords,
  apply,
  applyRecords,
  type Deed,
  ignore,
  type Plan,
  type RoutedEvent,
  recordsOf,
} from './event.js';

/** Events about health data: the records themselves, or that there are some to fetch. */
@Injectable()
export class DataHandler {
  constructor(
    private readonly healthData: HealthDataService,
    private readonly pulls: PullsService,
    private readonly streams: PullStreams,
    private readonly workouts: WorkoutSeries,
    private readonly rejected: RejectedRecords,
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
      return applyRecords([arrived(event, records)], records);
    }
    const { slices, ...counts } = event.records(resource);
    return applyRecords(arrivedEach(event, slices), counts);
  }

  /** Stores the records of several events, as if each were stored after the one before. */
  async store(tx: Tx, deeds: readonly Deed<ArrivedRecords>[]): Promise<void> {
    const messages = deeds.map(({ effect: { seq, receivedAt: at, records }, target: { account, now } }) => {
      return { account, seq, at, now, records };
    });
    await this.rejected.ofMessages(tx, messages);
    const shown = messages.map(({ account, seq, at, records }): ShownRecords => {
      return { account, records, provenance: { kind: 'message', ref: seq, at } };
    });
    const applied = await this.healthData.applyTogether(tx, shown);
    for (const [index, { conflicts, newSources }] of applied.entries()) {
      const { account, records } = messages[index] as MessageRecords;
      const { name } = records.resource;
      if (conflicts.length > 0) await this.pulls.requestRefetch(tx, account, name, conflicts);
      for (const provider of newSources) await this.streams.sourceSeen(tx, account, provider, name);
    }
    for (const { effect, target } of deeds) {
      if (effect.records.rejected > 0) target.afterCommit(() => this.rejected.report(effect.records, 'message'));
    }
    const receipts = new Map<string, number>();
    for (const { at, records } of messages) {
      for (const provider of providersOf(records)) receipts.set(provider, Math.max(at, receipts.get(provider) ?? 0));
    }
    await this.healthData.noteDeliveries(tx, receipts);
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

function arrived({ seq, receivedAt }: RoutedEvent, records: Records): ArrivedRecords {
  return { seq, receivedAt, records };
}

async function* arrivedEach(event: RoutedEvent, slices: AsyncIterable<Records>): AsyncGenerator<ArrivedRecords> {
  for await (const records of slices) yield arrived(event, records);
}

function providersOf({ samples, summaries }: Records): string[] {
  return [...samples.map(({ key }) => key.provider), ...summaries.map(({ provider }) => provider)];
}
