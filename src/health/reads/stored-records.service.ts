import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS, dateOf, MAX_AHEAD_MS, type TimeRange } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import { isWhole, type Resource } from '../catalogue/catalogue.js';
import type { DaySpan, Days } from '../clock/day-spans.js';
import type { PersonClock } from '../clock/person-clock.js';
import { PersonClocks, type ResourceDays, type ZoneOfAccount } from '../clock/person-clocks.service.js';
import { SourcePriorities } from '../priorities/source-priorities.service.js';
import { firstObservationAt, type ProviderDeliveryEntity } from '../records/record.entity.js';
import { type GoneOfDay, GoneRecordsReader, inOrder } from './gone-records.reader.js';
import {
  type LatestQuery,
  LatestRecordsReader,
  type LatestTimes,
  type NewestRecord,
  type StandingOfDay,
  type StreamOfAccount,
} from './latest-records.reader.js';
import {
  type DayMeasure,
  type RecordDay,
  RecordDaysReader,
  type StoredOfDay,
  type StreamName,
} from './record-days.reader.js';
import { type RecordRead, type RecordsQuery, RecordsReader } from './records.reader.js';

export type { ObservationKind } from '../records/record.entity.js';
export type { GoneOfDay } from './gone-records.reader.js';
export type { NewestRecord, StandingOfDay } from './latest-records.reader.js';
export type { DayMeasure, RecordDay, StoredOfDay, StreamName } from './record-days.reader.js';
export { everyRecord } from './record-export.reader.js';
export type {
  GoneMark,
  RecordProvenance,
  RecordRead,
  RecordsFilter,
  RecordsQuery,
  SampleRead,
  SummaryRead,
} from './records.reader.js';
export { type RecordOrder, recordOrders } from './records.reader.js';

/** When the present upstream user of an account replaced another one. */
export interface Relinked {
  readonly relinked_at?: number | null;
}

/** The first observation of an account's present upstream user; null if it had no other one. */
export function earlierUntil(relinkedAt: number | null | undefined): number | null {
  return relinkedAt === null || relinkedAt === undefined ? null : firstObservationAt(relinkedAt + 1);
}

/** Clocks of devices and of upstream may be this far ahead of ours. */
const CLOCK_SLACK_MS = 5 * 60_000;

/** Reads stored records. `account` is `accounts.id`. */
@Injectable()
export class StoredRecords {
  constructor(
    private readonly records: RecordsReader,
    private readonly latest: LatestRecordsReader,
    private readonly days: RecordDaysReader,
    private readonly clocks: PersonClocks,
    private readonly gone: GoneRecordsReader,
    private readonly priorities: SourcePriorities,
    private readonly clock: Clock,
  ) {}

  /** At most `limit` records by time, then series and sibling or summary id, in either order. */
  list(query: RecordsQuery): Promise<RecordRead[]> {
    return this.records.list(query);
  }

  /**
   * Like `list`, including hidden records. These are read before and after the visible ones, so that a record that is
   * hidden or restored during the call is listed exactly once.
   */
  async listWithGone(query: RecordsQuery): Promise<RecordRead[]> {
    const before = await this.gone.list(query);
    const stored = await this.records.list(query);
    const after = await this.gone.list(query);
    const all = [...stored, ...after, ...before].sort(inOrder);
    return all
      .filter((one, index) => index === 0 || inOrder(all[index - 1] as RecordRead, one) !== 0)
      .slice(0, query.limit);
  }

  /** Hidden records of one day, by source. */
  goneOfDay(account: number, resource: Resource, day: ResourceDays): Promise<GoneOfDay[]> {
    return this.gone.ofDay(account, resource, day);
  }

  /** Number of hidden records per source and day. */
  goneDays(account: number, resource: Resource, days: ResourceDays): Promise<RecordDay[]> {
    return this.gone.ofDays(account, resource, days);
  }

  /** At most `limit` summaries that represent their day, sorted by day, provider and source type. */
  async ofDays(query: LatestQuery): Promise<RecordRead[]> {
    const sources = await this.latest.sourcesOf(query);
    return this.latest.ofDays(query, await this.priorities.rank(query.account, query.resource, sources));
  }

  /** By date and source, the records that are not shown for their date, and why. */
  async standingOf(of: ZoneOfAccount & Relinked, resource: Resource, days: ResourceDays): Promise<StandingOfDay[]> {
    const since = earlierUntil(of.relinked_at);
    if (!isWhole(resource)) return since === null ? [] : this.days.superseded(resource, days.slots(DAY_MS), since);
    const [firstDay, lastDay] = [days.spans[0]?.date ?? null, days.spans.at(-1)?.date ?? null];
    const filter = { firstDay, lastDay, start: null, end: null, provider: null, sourceType: null };
    const query = { account: of.id, resource, ...filter, earlierUntil: since, after: null, limit: 1 };
    const sources = await this.latest.sourcesOf(query);
    return this.latest.standingOf(query, await this.priorities.rank(of.id, resource, sources));
  }

  /** The time of a stored summary in epoch milliseconds; null if no summary has this id. */
  timeOf(account: number, resource: Resource, summaryId: string): Promise<number | null> {
    return this.records.timeOf(account, resource.name, summaryId);
  }

  /** The time of the newest record of each resource and source. Future times are ignored. */
  newest(account: number): Promise<NewestRecord[]> {
    return this.latest.newest(account, this.latestTimes());
  }

  /**
   * The newest record of each resource, by resource name; of several with the same time, that of the best source.
   * Future times and forecasts are ignored. A floating time is compared with true ones as the person's clock places it.
   */
  async newestRecords(of: ZoneOfAccount, resources: readonly Resource[]): Promise<Map<string, RecordRead>> {
    const newest = await this.latest.newestRecords(of.id, resources, this.latestTimes());
    const now = this.clock.now();
    const hasFloating = [...newest.values()].flat().some((one) => one.floatingTime);
    const clock = hasFloating
      ? await this.clocks.of(of, { from: dateOf(now - DAY_MS), to: dateOf(now + DAY_MS) })
      : null;
    const best = new Map<string, RecordRead>();
    for (const resource of resources) {
      const latest = newestOf(newest.get(resource.name) ?? [], clock, now + CLOCK_SLACK_MS);
      const [record] = await this.priorities.rank(of.id, resource, latest);
      if (record) best.set(resource.name, record);
    }
    return best;
  }

  /** The time of the newest record of a source within a range, over all resources; null if there is none. */
  newestIn(tx: Tx, account: number, provider: string, range: TimeRange): Promise<number | null> {
    return this.latest.newestIn(tx, account, provider, range);
  }

  /** The end of the newest record of each stream; streams without records are omitted. Future times are ignored. */
  newestEnds<S extends StreamOfAccount>(streams: readonly S[]): Promise<Map<S, number>> {
    return this.latest.newestEnds(streams, this.latestTime());
  }

  /** The time of the newest record of each provider; predictions are ignored. */
  async lastDataByProvider(account: number): Promise<Map<string, number>> {
    return lastDataByProvider(await this.newest(account));
  }

  /** When a message last delivered data of each provider, in epoch milliseconds; accurate to five minutes. */
  lastDeliveries(): Promise<ProviderDeliveryEntity[]> {
    return this.latest.deliveries();
  }

  /** The person's local days for the records of a resource, by the one clock (person-clock.ts). */
  daysOf(of: ZoneOfAccount, resource: Resource, days: Days): Promise<ResourceDays> {
    return this.clocks.ofResource(of, resource, days);
  }

  /** The person's current local date. */
  today(of: ZoneOfAccount): Promise<string> {
    return this.clocks.today(of);
  }

  /** Every combination of source and resource that ever had a sample. */
  sampledStreams(account: number): Promise<StreamName[]> {
    return this.days.sampledStreams(account);
  }

  /** Number of samples per day. Reads one resource at a time, so that every statement is short. */
  sampleDays(resource: string, { slots }: ResourceDays): Promise<RecordDay[]> {
    return this.days.samples(resource, slots(DAY_MS));
  }

  /**
   * The ways in which the samples of each day were measured, each combination once; none if all samples of the resource
   * were measured in the same way.
   */
  async measuresOf(resource: Resource, { series, slots }: ResourceDays): Promise<DayMeasure[]> {
    const isPlain = series.every((one) => one.is_mixed === 0 && one.measure === series[0]?.measure);
    const types = new Set(series.map((one) => one.sub_series));
    return isPlain && !(resource.byType && types.size > 1) ? [] : this.days.measures(slots(DAY_MS));
  }

  /** Number of summaries per day, for every resource. */
  summaryDays(account: number, days: readonly DaySpan[]): Promise<RecordDay[]> {
    return this.days.summaries(account, days);
  }

  /** Stored records of one day, by source. */
  async ofDay(account: number, resource: Resource, { spans, slots }: ResourceDays): Promise<StoredOfDay[]> {
    if (resource.family !== 'summary') return this.days.samplesOf(slots(DAY_MS));
    return spans[0] ? this.days.summariesOf(account, resource, spans[0]) : [];
  }

  private latestTimes(): LatestTimes {
    return { instant: this.clock.now() + CLOCK_SLACK_MS, local: this.latestTime() };
  }

  private latestTime(): number {
    return this.clock.now() + MAX_AHEAD_MS;
  }
}

/** Time of the newest record per provider. */
export function lastDataByProvider(newest: readonly NewestRecord[]): Map<string, number> {
  const last = new Map<string, number>();
  for (const { provider, time } of newest) {
    if (time > (last.get(provider) ?? Number.NEGATIVE_INFINITY)) last.set(provider, time);
  }
  return last;
}

/**
 * The newest of records whose true times are equal, and whose floating times are equal. A floating time that the clock
 * of the person does not place is newest only where there is no true one.
 */
function newestOf(records: readonly RecordRead[], clock: PersonClock | null, until: number): RecordRead[] {
  const exact = records.filter((one) => !one.floatingTime);
  const floating = records.filter((one) => one.floatingTime).map((one) => placed(one, clock, until));
  const [instant, own] = [exact[0]?.time, floating[0]?.instant];
  if (floating.length === 0 || (instant !== undefined && (own === undefined || own <= instant))) return exact;
  return floating;
}

function placed(record: RecordRead, clock: PersonClock | null, until: number): RecordRead {
  const { time, provider, sourceType: source_type } = record;
  const { instant, by } = clock?.instantOf(time, { provider, source_type }) ?? { instant: time, by: 'utc' };
  // Placed in the future, it shows that the assumed offset is not that of the source.
  return by === 'utc' || instant > until ? record : { ...record, instant };
}
