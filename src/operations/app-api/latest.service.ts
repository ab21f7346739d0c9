import { Injectable } from '@nestjs/common';
import type { Account } from '../../accounts/accounts/accounts.service.js';
import { type Resource, resourceByName } from '../../health/catalogue/catalogue.js';
import { NewestRecords } from '../../health/reads/newest-records.service.js';
import type { RecordRead } from '../../health/reads/stored-record.js';
import { Clock } from '../../platform/platform/clock.js';
import { type LatestDto, latestResources } from './latest.dto.js';
import { toRecordDto } from './records.dto.js';
import { RecordsService } from './records.service.js';

/** The newest record of each resource. */
@Injectable()
export class LatestService {
  constructor(
    private readonly newestRecords: NewestRecords,
    private readonly records: RecordsService,
    private readonly clock: Clock,
  ) {}

  /** Sorted by name: the given resources, or all that have a record. */
  async latest(account: Account, names?: readonly string[]): Promise<LatestDto[]> {
    const resources = names ? names.map((name) => resourceByName(name) as Resource) : latestResources;
    const newest = await this.newestRecords.newestRecords(account, resources);
    const notSynced = new Set(this.records.notSynced());
    return resources
      .filter(({ name }) => names !== undefined || newest.has(name))
      .map(({ name }) => {
        const record = newest.get(name);
        if (record) {
          return { resource: name, state: 'stored', age_seconds: this.age(record), record: toRecordDto(name, record) };
        }
        return { resource: name, state: notSynced.has(name) ? 'not_synced' : 'none', age_seconds: null };
      });
  }

  private age({ time, endTime, floatingTime, instant }: RecordRead): number | null {
    if (floatingTime && instant === undefined) return null;
    const end = (instant ?? time) + (endTime ?? time) - time;
    return Math.max(0, Math.floor((this.clock.now() - end) / 1_000));
  }
}
