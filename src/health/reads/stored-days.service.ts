import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../platform/platform/time.js';
import { isWhole, type Resource } from '../catalogue/catalogue.js';
import type { DaySpan, Days } from '../clock/day-spans.js';
import {
  type DaysOfResource,
  PersonClocks,
  type ResourceDays,
  type ZoneOfAccount,
} from '../clock/person-clocks.service.js';
import { SourcePriorities } from '../priorities/source-priorities.service.js';
import { GoneRecordsReader } from './gone-records.reader.js';
import { RecordDaysReader } from './record-days.reader.js';
import { type RecordsOfDayQuery, RecordsOfDayReader } from './records-of-day.reader.js';
import type { AllOfDay, DayMeasure, RecordDay, StandingOfDay, StoredOfDay, StreamName } from './stored-day.js';
import { earlierUntil, type RecordRead, type Relinked } from './stored-record.js';

/** What is stored of the local days of a person. `account` is `accounts.id`. */
@Injectable()
export class StoredDays {
  constructor(
    private readonly days: RecordDaysReader,
    private readonly shown: RecordsOfDayReader,
    private readonly gone: GoneRecordsReader,
    private readonly clocks: PersonClocks,
    private readonly priorities: SourcePriorities,
  ) {}

  /** The person's current local date. */
  today(of: ZoneOfAccount): Promise<string> {
    return this.clocks.today(of);
  }

  /** The person's local days for the records of a resource, by the one clock (person-clock.ts). */
  daysOf(of: ZoneOfAccount, resource: Resource, days: Days): Promise<ResourceDays> {
    return this.clocks.ofResource(of, resource, days);
  }

  /** {@link daysOf} for any number of resources: what they share is read once. */
  daysOfResources(of: ZoneOfAccount, days: Days): Promise<DaysOfResource> {
    return this.clocks.ofResources(of, days);
  }

  /** At most `limit` summaries that represent their day, sorted by day, provider and source type. */
  async ofDays(query: RecordsOfDayQuery): Promise<RecordRead[]> {
    const sources = await this.shown.sourcesOf(query);
    return this.shown.ofDays(query, await this.priorities.rank(query.account, query.resource, sources));
  }

  /**
   * The resources of which the store may have something of a day (`YYYY-MM-DD`), apart from those with series, which
   * {@link daysOf} shows: for all others, it has nothing.
   */
  async resourcesOf(account: number, date: string): Promise<ReadonlySet<string>> {
    return new Set(await this.days.resourcesOf(account, date));
  }

  /** All that the store has of one day. */
  async allOfDay(of: ZoneOfAccount & Relinked, resource: Resource, day: ResourceDays): Promise<AllOfDay> {
    const [stored, gone, standing, measures] = await Promise.all([
      this.ofDay(of.id, resource, day),
      this.gone.ofDay(of.id, resource, day),
      this.standingOf(of, resource, day),
      this.measuresOf(resource, day),
    ]);
    return { stored, gone, standing, measures };
  }

  /** By date and source, the records that are not shown for their date, and why. */
  async standingOf(of: ZoneOfAccount & Relinked, resource: Resource, days: ResourceDays): Promise<StandingOfDay[]> {
    const since = earlierUntil(of.relinked_at);
    if (!isWhole(resource)) {
      const slots = days.slots(DAY_MS);
      const superseded = since === null ? [] : await this.days.superseded(resource, slots, since);
      const [uncounted, thinned] = [await this.days.uncounted(resource, slots), await this.days.thinned(slots)];
      return [...superseded, ...uncounted, ...thinned];
    }
    const [firstDay, lastDay] = [days.spans[0]?.date ?? null, days.spans.at(-1)?.date ?? null];
    const filter = { firstDay, lastDay, start: null, end: null, provider: null, sourceType: null };
    const query = { account: of.id, resource, ...filter, earlierUntil: since, after: null, limit: 1 };
    const sources = await this.shown.sourcesOf(query);
    return this.shown.standingOf(query, await this.priorities.rank(of.id, resource, sources));
  }

  /** Stored records of one day, by source. */
  async ofDay(account: number, resource: Resource, { spans, slots }: ResourceDays): Promise<StoredOfDay[]> {
    if (resource.family !== 'summary') return this.days.samplesOf(slots(DAY_MS));
    return spans[0] ? this.days.summariesOf(account, resource, spans[0]) : [];
  }

  /** Number of hidden records per source and day. */
  goneDays(account: number, resource: Resource, days: ResourceDays): Promise<RecordDay[]> {
    return this.gone.ofDays(account, resource, days);
  }

  /** Every combination of source and resource that ever had a sample. */
  sampledStreams(account: number): Promise<StreamName[]> {
    return this.days.sampledStreams(account);
  }

  /** Number of samples per day. Reads one resource at a time, so that every statement is short. */
  sampleDays(resource: string, { slots }: ResourceDays): Promise<RecordDay[]> {
    return this.days.samples(resource, slots(DAY_MS));
  }

  /** Number of summaries per day, for every resource. */
  summaryDays(account: number, days: readonly DaySpan[]): Promise<RecordDay[]> {
    return this.days.summaries(account, days);
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
}
