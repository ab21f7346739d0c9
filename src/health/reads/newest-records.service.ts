import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { MAX_AHEAD_MS, type TimeRange } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import type { Resource } from '../catalogue/catalogue.js';
import type { PersonClock } from '../clock/person-clock.js';
import { PersonClocks, type ZoneOfAccount } from '../clock/person-clocks.service.js';
import { SourcePriorities } from '../priorities/source-priorities.service.js';
import type { ProviderDeliveryEntity } from '../records/record.entity.js';
import { type LatestTimes, NewestRecordsReader, type StreamOfAccount } from './newest-records.reader.js';
import type { NewestRecord, RecordRead } from './stored-record.js';

/** Clocks of devices and of upstream may be this far ahead of this one. */
const CLOCK_SLACK_MS = 5 * 60_000;

/** Finds the newest records of resources, sources and streams. `account` is `accounts.id`. */
@Injectable()
export class NewestRecords {
  constructor(
    private readonly reader: NewestRecordsReader,
    private readonly clocks: PersonClocks,
    private readonly priorities: SourcePriorities,
    private readonly clock: Clock,
  ) {}

  /**
   * The time of the newest record of each resource and source. Future times are ignored. A floating time is the instant
   * at which the person's clock places it.
   */
  async newest(account: number): Promise<NewestRecord[]> {
    const newest = await this.reader.newest(account, this.latestTimes());
    if (!newest.some(({ floating }) => floating === 1)) return newest;
    const clock = await this.clocks.aboutNowOf(account);
    const until = this.clock.now() + CLOCK_SLACK_MS;
    return newest.map(({ floating, ...one }) => {
      return floating === 1 ? { ...one, time: instantOf(one.time, clock, until) ?? one.time } : one;
    });
  }

  /**
   * The newest record of each resource, by resource name; of several with the same time, that of the best source.
   * Future times and forecasts are ignored. A floating time is compared with true ones as the person's clock places it.
   */
  async newestRecords(of: ZoneOfAccount, resources: readonly Resource[]): Promise<Map<string, RecordRead>> {
    const newest = await this.reader.newestRecords(of.id, resources, this.latestTimes());
    const now = this.clock.now();
    const hasFloating = [...newest.values()].flat().some((one) => one.floatingTime);
    const clock = hasFloating ? await this.clocks.aboutNow(of) : null;
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
    return this.reader.newestIn(tx, account, provider, range);
  }

  /** The end of the newest record of each stream; streams without records are omitted. Future times are ignored. */
  newestEnds<S extends StreamOfAccount>(streams: readonly S[]): Promise<Map<S, number>> {
    return this.reader.newestEnds(streams, this.latestTime());
  }

  /** The time of the newest record of each provider; predictions are ignored. */
  async lastDataByProvider(account: number): Promise<Map<string, number>> {
    return lastDataByProvider(await this.newest(account));
  }

  /** When a message last delivered data of each provider, in epoch milliseconds; accurate to five minutes. */
  lastDeliveries(): Promise<ProviderDeliveryEntity[]> {
    return this.reader.deliveries();
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
  const instant = clock && instantOf(record.time, clock, until);
  return instant === null ? record : { ...record, instant };
}

/** Null if nothing places a floating time, or if it would be in the future: then it is not of the assumed offset. */
function instantOf(time: number, clock: PersonClock, until: number): number | null {
  // No source has both floating and true times, so none of its own decides.
  const { instant, by } = clock.instantOf(time);
  return by === 'utc' || instant > until ? null : instant;
}
