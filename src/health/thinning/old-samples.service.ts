import { Injectable } from '@nestjs/common';
import { type Account, AccountsService } from '../../accounts/accounts/accounts.service.js';
import { isWritable } from '../../accounts/erasure-guard/open-accounts.js';
import { RetentionConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import {
  DAY_MS,
  dateAfter,
  dateOf,
  HOUR_MS,
  startOfDate,
  type TimeRange,
  union,
} from '../../platform/platform/time.js';
import type { NewChange } from '../../storage/change-log/change.js';
import { noteChanges } from '../../storage/change-log/note-changes.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { CleanerWorker, type Cleaning, type SliceOutcome } from '../../storage/work/cleaner.worker.js';
import { measureResources, type Resource, resourceByName } from '../catalogue/catalogue.js';
import { MAX_ACCOUNTS_A_READ, MAX_DAYS_A_SLICE } from '../catalogue/tuning.js';
import type { Days } from '../clock/day-spans.js';
import { PersonClocks, type SeriesSlot } from '../clock/person-clocks.service.js';
import type { SeriesRange } from '../clock/series-ranges.js';
import { ofBothUsers } from '../reads/earlier-samples.reader.js';
import { earlierUntil } from '../reads/stored-record.js';
import { RecordsTelemetry } from '../records/records.telemetry.js';
import { type NewestOfSeries, OldSamplesRepository, type SummedRow } from './old-samples.repository.js';

/*
 * Replaces samples of measures that are older than SAMPLES_KEEP_DAYS by hourly sums (`SampleHourEntity`), from which
 * `daily` and `hourly` give the same numbers (docs/meaning.md#hourly-sums). One transaction stores the sums of an hour
 * and deletes its samples. An hour is final: apply stores no samples in it (records/thinned-hours.repository.ts). These
 * samples stay:
 *
 * - the last 24 hours of each series, so that its newest record remains;
 * - an hour with a sample that a look did not show and about which it is not decided yet, such as those of a hold;
 * - an hour with siblings, or with a sample that is no number, whose statistics hours cannot give;
 * - an hour in which the clock of the person changes, in travel or with summer time;
 * - an hour near which the present upstream user and a former one both have samples, which may replace each other.
 */

/** Samples of an account that were thinned; `end` is exclusive. */
export interface Thinned extends TimeRange {
  /** `accounts.id` */
  readonly account: number;
  readonly resource: string;
  readonly providers: readonly string[];
}

/** Does what belongs to it in the same transaction. */
type Besides = (tx: Tx, thinned: Thinned) => Promise<void>;

/** A part of an hour of a series. */
interface Hour extends SeriesRange {
  readonly slot: SeriesSlot;
}

/** A local day may end so long after the UTC day of its date. */
const SLACK_MS = DAY_MS;

@Injectable()
export class OldSamples implements Cleaning {
  /** Days of one account and resource. */
  readonly maxRows = MAX_DAYS_A_SLICE;
  private readonly besides: Besides[] = [];
  private readonly resources: readonly Resource[];
  /** Where the walk continues. */
  private resource = 0;
  private account = 0;
  private due: { readonly account: number; readonly from: string }[] = [];
  private walkedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly config: RetentionConfig,
    private readonly repository: OldSamplesRepository,
    private readonly clocks: PersonClocks,
    private readonly accounts: AccountsService,
    private readonly telemetry: RecordsTelemetry,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    cleaner: CleanerWorker,
  ) {
    this.resources = measureResources.flatMap((name) => {
      const resource = resourceByName(name);
      return resource && config.sampleDays.of(name) !== null ? [resource] : [];
    });
    if (this.resources.length > 0) cleaner.add(this);
  }

  /** Calls `one` in each transaction that thins samples. */
  beside(one: Besides): void {
    this.besides.push(one);
  }

  /** UTC days (`YYYY-MM-DD`, both inclusive) with hours, as `resource provider day`. */
  async thinnedDays(account: number, firstDay: string, lastDay: string, tx?: Tx): Promise<ReadonlySet<string>> {
    if (firstDay === '') return new Set();
    const range = { start: startOfDate(firstDay), end: startOfDate(lastDay) + DAY_MS };
    const rows = await this.repository.thinnedDays(account, range, tx);
    return new Set(rows.map(({ resource, provider, at }) => `${resource} ${provider} ${dateOf(at)}`));
  }

  /** Walks over all accounts of each resource, once a day. */
  async slice(limit: number): Promise<SliceOutcome> {
    const now = this.clock.now();
    if (now < this.walkedAt + DAY_MS && now >= this.walkedAt) return 'end';
    const resource = this.resources[this.resource];
    if (!resource) {
      [this.resource, this.account, this.walkedAt] = [0, 0, now];
      return 'end';
    }
    const before = now - (this.config.sampleDays.of(resource.name) ?? Number.POSITIVE_INFINITY) * DAY_MS;
    const lastDay = dateOf(before - DAY_MS - SLACK_MS);
    const [next] = this.due;
    if (next) return this.next(next, { resource, lastDay, limit });
    const rows = await this.repository.accounts(resource.name, this.account, MAX_ACCOUNTS_A_READ);
    const last = rows.at(-1);
    if (last) this.account = last.account_id;
    else [this.resource, this.account] = [this.resource + 1, 0];
    this.due = rows.flatMap(({ account_id: account, oldest }) =>
      oldest !== null && dateOf(oldest) <= lastDay ? [{ account, from: dateOf(oldest - SLACK_MS) }] : [],
    );
    return 'passed';
  }

  /** Thins the next days of an account. */
  private async next(
    { account: id, from }: { readonly account: number; readonly from: string },
    { resource, lastDay, limit }: { readonly resource: Resource; readonly lastDay: string; readonly limit: number },
  ): Promise<SliceOutcome> {
    const to = [dateAfter(from, limit - 1), lastDay].sort()[0] as string;
    const account = await this.accounts.findById(id);
    const count = account && from <= to ? await this.thin(account, resource, { from, to }) : 0;
    const beyond = startOfDate(to) + DAY_MS;
    const oldest = account && (await this.repository.oldest(id, resource.name, beyond));
    const isOver = oldest === null || dateOf(oldest) > lastDay || dateAfter(to, 1) > lastDay;
    // The next days begin where samples do, and never at the same day again.
    const goesOn = isOver ? [] : [{ account: id, from: [dateOf(oldest - SLACK_MS), dateAfter(to, 1)].sort()[1] ?? to }];
    this.due = [...goesOn, ...this.due.slice(1)];
    return count > 0 ? 'deleted' : 'passed';
  }

  /** Returns the number of samples that were thinned. */
  private async thin(account: Account, resource: Resource, days: Days): Promise<number> {
    const { slots } = await this.clocks.ofResource(account, resource, days);
    const hours = slots(HOUR_MS).filter(isWholeHour).flatMap(hoursOf);
    if (hours.length === 0) return 0;
    const since = earlierUntil(account.relinked_at);
    return this.lane.run(async (tx) => {
      await tx.lock('account', account.id);
      if (!(await isWritable(tx, account.id))) return 0;
      const series = await this.repository.newest(tx, account.id, resource.name);
      const rows = groupedBy(await this.repository.summed(tx, hours, resource), ({ place }) => place);
      const kept = await this.kept(tx, { account, resource, hours, series, since });
      const chosen = [...rows].filter(([place, own]) => !kept.has(place) && own.every(isSummable));
      if (chosen.length === 0) return 0;
      return this.replace(tx, { account: account.id, resource, hours, series }, new Map(chosen));
    });
  }

  /** Places of the hours whose samples stay, whatever they are. */
  private async kept(
    tx: Tx,
    { account, resource, hours, series, since }: Wanted & { readonly account: Account; readonly since: number | null },
  ): Promise<ReadonlySet<number>> {
    const newest = new Map(series.map((one) => [one.id, one.newest ?? Number.NEGATIVE_INFINITY]));
    const undecided = new Set(await this.repository.undecided(tx, account.id, resource.name, hours));
    const isOfBoth = since === null ? [] : await ofBothUsers(tx, hours, since);
    const before = new Set(await this.repository.thinnedBefore(tx, hours));
    const stays = ({ seriesId, end }: Hour, place: number): boolean =>
      end > (newest.get(seriesId) ?? Number.NEGATIVE_INFINITY) - DAY_MS ||
      isOfBoth[place] === true ||
      before.has(place) ||
      undecided.has(place);
    return new Set(hours.flatMap((hour, place) => (stays(hour, place) ? [place] : [])));
  }

  private async replace(
    tx: Tx,
    { account, resource, hours, series }: Wanted & { readonly account: number },
    chosen: ReadonlyMap<number, readonly SummedRow[]>,
  ): Promise<number> {
    const summed = [...chosen].flatMap(([place, own]) => {
      const hour = hours[place] as Hour;
      return own.map(({ place: _, numbers: __, siblings: ___, ...row }) => ({ hour, row }));
    });
    const entities = summed.map(({ hour, row }) => ({
      ...{ sum_2: null, min_2: null, max_2: null, first_2: null, last_2: null, sent_again_at: null },
      ...row,
      ...{ time: hour.start, end_time: hour.end },
    }));
    const bySeries = groupedBy(summed, ({ hour }) => hour.seriesId);
    const ranges = [...bySeries].flatMap(([seriesId, own]) =>
      union(own.map(({ hour: { start, end } }) => ({ start, end }))).map((range) => ({ seriesId, ...range })),
    );
    const count = entities.reduce((sum, hour) => sum + hour.count, 0);
    const deleted = await this.repository.replace(tx, entities, ranges);
    if (deleted !== count) throw new TypeError('the sums of hours are not of all samples that were deleted');
    const providers = new Map(series.map((one) => [one.id, one.provider]));
    const changes = [...bySeries].map(([seriesId, own]): NewChange => {
      const dates = own.map(({ hour }) => startOfDate(hour.slot.date) / DAY_MS);
      const samples = {
        start: Math.min(...own.map(({ row }) => row.first_at)),
        end: Math.max(...own.map(({ row }) => row.last_at)),
        count: own.reduce((sum, { row }) => sum + row.count, 0),
        ...{ firstDay: Math.min(...dates), lastDay: Math.max(...dates) },
      };
      const of = { account, resource: resource.name, provider: providers.get(seriesId) ?? '' };
      return {
        kind: 'sample_hours',
        action: 'created',
        origin: 'retention',
        subject: String(seriesId),
        ...of,
        samples,
      };
    });
    await noteChanges(tx, changes, this.clock.now());
    const thinned: Thinned = {
      ...{ account, resource: resource.name, providers: [...new Set(changes.map(({ provider = '' }) => provider))] },
      start: Math.min(...ranges.map(({ start }) => start)),
      end: Math.max(...ranges.map(({ end }) => end)),
    };
    for (const one of this.besides) await one(tx, thinned);
    tx.afterCommit(() => this.telemetry.thinned(resource.name, count));
    return count;
  }
}

interface Wanted {
  readonly resource: Resource;
  readonly hours: readonly Hour[];
  readonly series: readonly NewestOfSeries[];
}

/** The parts of an hour of the person's clock that lie in one hour of UTC each. */
function hoursOf(slot: SeriesSlot): Hour[] {
  const hours: Hour[] = [];
  for (let start = slot.start; start < slot.end; ) {
    const end = Math.min(slot.end, (Math.floor(start / HOUR_MS) + 1) * HOUR_MS);
    hours.push({ seriesId: slot.series.id, start, end, slot });
    start = end;
  }
  return hours;
}

/** False where the clock of the person changes: there, the times of single samples decide which hour is which. */
function isWholeHour({ start, end }: SeriesSlot): boolean {
  return end - start === HOUR_MS;
}

/** True if statistics of the samples can be given from their sums. */
function isSummable({ count, numbers, siblings }: SummedRow): boolean {
  return count === numbers && siblings === 0;
}
