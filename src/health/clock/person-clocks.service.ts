import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { Clock } from '../../platform/platform/clock.js';
import {
  DAY_MS,
  dateOf,
  MAX_AHEAD_MS,
  MAX_BEHIND_MS,
  startOfDate,
  type TimeRange,
} from '../../platform/platform/time.js';
import type { Queryable } from '../../storage/database/tx.js';
import { isWhole, type Resource } from '../catalogue/catalogue.js';
import { type DaySpan, type Days, datesOf, daySpans } from './day-spans.js';
import { EVENING_MS, type Slot, shiftOf, slotsOf } from './local-slots.js';
import { OffsetsReader, type ResourceSeries } from './offsets.reader.js';
import { OFFSET_REACH_MS, PersonClock, type SeenOffset } from './person-clock.js';
import { Zones } from './zones.js';

/** An account by its `accounts.id`, with the name of its present time zone. */
export interface ZoneOfAccount {
  readonly id: number;
  readonly fallback_time_zone: string | null;
}

/** A part of a series that belongs to one local day or hour. */
export interface SeriesSlot extends Slot {
  readonly series: ResourceSeries;
}

/** The local days of a person, for the samples of one resource. */
export interface ResourceDays {
  readonly clock: PersonClock;
  /** The series of the resource. */
  readonly series: readonly ResourceSeries[];
  /** One for every date. */
  readonly spans: readonly DaySpan[];
  /**
   * The parts of all series that belong to these days (default: the given ones), by series and time, each in parts of
   * `size` milliseconds of local time. Every sample of these days is in exactly one.
   */
  readonly slots: (size: number, days?: Days) => SeriesSlot[];
}

/** Reads the days of a resource. */
export type DaysOfResource = (resource: Resource) => Promise<ResourceDays>;

/** What the days of all resources of a person depend on. */
interface Shared {
  readonly account: ZoneOfAccount;
  readonly zones: Zones;
  readonly all: readonly ResourceSeries[];
  readonly near: TimeRange;
  readonly offsetsOfAll: () => Promise<SeenOffset[]>;
  readonly told: () => Promise<SeenOffset[]>;
}

/** The one clock of each person (person-clock.ts). */
@Injectable()
export class PersonClocks {
  constructor(
    private readonly reader: OffsetsReader,
    private readonly accounts: AccountsService,
    private readonly clock: Clock,
  ) {}

  /** The clock near these days, by the samples of all resources. */
  async of(account: ZoneOfAccount, days: Days, source?: Queryable): Promise<PersonClock> {
    const [zones, series] = await Promise.all([this.zones(account, source), this.reader.series(account.id, source)]);
    const known = await this.reader.offsets({ account: account.id, resource: null, series }, nearOf(days), source);
    return new PersonClock(zones, [], known, await this.told(account.id, zones, nearOf(days), source));
  }

  /** The clock about now. */
  aboutNow(account: ZoneOfAccount): Promise<PersonClock> {
    const now = this.clock.now();
    return this.of(account, { from: dateOf(now - DAY_MS), to: dateOf(now + DAY_MS) });
  }

  /** The same of an account of which only its `accounts.id` is known. */
  async aboutNowOf(account: number): Promise<PersonClock> {
    return this.aboutNow((await this.accounts.findById(account)) ?? { id: account, fallback_time_zone: null });
  }

  /** The days of a resource. Reads the offsets of other resources only if its own do not decide. */
  async ofResource(account: ZoneOfAccount, resource: Resource, days: Days): Promise<ResourceDays> {
    return (await this.ofResources(account, days))(resource);
  }

  /** {@link ofResource} for any number of resources: what they share is read once. */
  async ofResources(account: ZoneOfAccount, days: Days): Promise<DaysOfResource> {
    const [zones, all] = await Promise.all([this.zones(account), this.reader.series(account.id)]);
    const near = nearOf(days);
    let ofAll: Promise<SeenOffset[]> | null = null;
    const offsetsOfAll = (): Promise<SeenOffset[]> =>
      (ofAll ??= this.reader.offsets({ account: account.id, resource: null, series: all }, near));
    let toldOfAll: Promise<SeenOffset[]> | null = null;
    const told = (): Promise<SeenOffset[]> => (toldOfAll ??= Promise.resolve(this.told(account.id, zones, near)));
    return (resource) => this.daysOf({ account, zones, all, near, offsetsOfAll, told }, resource, days);
  }

  private async daysOf(
    { account, zones, all, near, offsetsOfAll, told }: Shared,
    resource: Resource,
    days: Days,
  ): Promise<ResourceDays> {
    const series = all.filter((one) => one.resource === resource.name);
    const own = isWhole(resource)
      ? []
      : await this.reader.offsets({ account: account.id, resource: resource.name, series }, near);
    const alone = new PersonClock(zones, own, own);
    const decides =
      own.every(({ ahead }) => ahead !== null) && series.every(({ floating_time }) => floating_time === 0);
    const clock =
      decides && this.isKnown(alone, days)
        ? alone
        : new PersonClock(zones, own, [...own, ...(await offsetsOfAll())], await told());
    const spans = daySpans(datesOf(days), { resource, clock });
    const shift = shiftOf(resource);
    const slots = (size: number, wanted = days): SeriesSlot[] =>
      series.flatMap((one) => {
        const runs = clock.runsOf(one, rangeOf(wanted)).map((run) => ({ ...run, ahead: run.ahead + shift }));
        return slotsOf(runs, wanted, size).map((slot) => ({ ...slot, series: one }));
      });
    return { clock, series, spans, slots };
  }

  /** The person's current local date. */
  async today(account: ZoneOfAccount): Promise<string> {
    const now = this.clock.now();
    const clock = await this.aboutNow(account);
    return dateOf(now + (clock.assumed({ start: now, end: now + 1 })[0]?.ahead ?? 0));
  }

  private async zones({ id, fallback_time_zone }: ZoneOfAccount, source?: Queryable): Promise<Zones> {
    return new Zones(fallback_time_zone, await this.accounts.formerZones(id, source));
  }

  /** The offsets of summaries, which count only where no zone is known. */
  private told(account: number, zones: Zones, near: TimeRange, source?: Queryable): Promise<SeenOffset[]> | [] {
    return zones.areKnown ? [] : this.reader.told(account, near, source);
  }

  /** True if offsets of samples decide everywhere in the past part of these days. */
  private isKnown(clock: PersonClock, days: Days): boolean {
    const { start, end } = rangeOf(days);
    const past = { start, end: Math.min(end, this.clock.now()) };
    return past.start >= past.end || clock.assumed(past).every(({ by }) => by !== 'zone' && by !== 'utc');
  }
}

/** Every instant that may be on one of these days somewhere. */
function rangeOf({ from, to }: Days): TimeRange {
  return { start: startOfDate(from) - MAX_AHEAD_MS, end: startOfDate(to) + DAY_MS + MAX_BEHIND_MS + EVENING_MS };
}

function nearOf({ from, to }: Days): TimeRange {
  return { start: startOfDate(from) - OFFSET_REACH_MS - DAY_MS, end: startOfDate(to) + OFFSET_REACH_MS + 2 * DAY_MS };
}
