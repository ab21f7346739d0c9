import { Injectable } from '@nestjs/common';
import { type Account, AccountsService } from '../../accounts/accounts/accounts.service.js';
import { ConnectionsService } from '../../accounts/connections/connections.service.js';
import { lastDataByProvider, NewestRecords } from '../../health/reads/newest-records.service.js';
import { HistoricalPulls } from '../../ingest/sources/historical-pulls.service.js';
import { toIso } from '../../platform/platform/time.js';
import { ChangeLog } from '../../storage/change-log/change-log.service.js';
import { interactive } from '../../upstream/transport/call.js';
import { type MeDto, type MySettings, toMySourceDto } from './me.dto.js';
import {
  type AppRecordsQuery,
  bucketLengths,
  mapRecords,
  type RecordsPage,
  type SampleRecordDto,
  type SummaryRecordDto,
  toBucketDto,
  toRecordDto,
  withFields,
} from './records.dto.js';
import { RecordsService } from './records.service.js';
import { resourcesOf } from './resources.js';

/** An account and its records, as its own app sees them. A blocked account can still be read. */
@Injectable()
export class MeService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly connections: ConnectionsService,
    private readonly newestRecords: NewestRecords,
    private readonly historicalPulls: HistoricalPulls,
    private readonly changes: ChangeLog,
    private readonly recordsService: RecordsService,
  ) {}

  /** Throws the errors of `AccountsService.ensureReadable`. */
  own(accountId: string): Promise<Account> {
    return this.accounts.ensureReadable(accountId, interactive);
  }

  /** Changes the person's time zone upstream, then here. Throws like `AccountsService.patch`. */
  async patch(accountId: string, { time_zone }: MySettings): Promise<MeDto> {
    const { account_id } = await this.own(accountId);
    return this.me(await this.accounts.patch(account_id, { fallback_time_zone: time_zone }, interactive));
  }

  async me(account: Account): Promise<MeDto> {
    const [connections, newest, histories, changed] = await Promise.all([
      this.connections.list(account.id),
      this.newestRecords.newest(account.id),
      this.historicalPulls.states(account.id),
      this.changes.changedAt(account.id),
    ]);
    const lastData = lastDataByProvider(newest);
    return {
      account: accountDto(account),
      sources: connections.map((connection) => toMySourceDto(connection, lastData.get(connection.provider))),
      resources: resourcesOf(newest, histories, changed),
      not_synced: this.recordsService.notSynced(),
    };
  }

  async sources({ id }: Account): Promise<MeDto['sources']> {
    const [connections, lastData] = await Promise.all([
      this.connections.list(id),
      this.newestRecords.lastDataByProvider(id),
    ]);
    return connections.map((connection) => toMySourceDto(connection, lastData.get(connection.provider)));
  }

  /** Throws the errors of `RecordsService.list` and `RecordsService.buckets`. */
  async records(
    account: Account,
    resource: string,
    query: AppRecordsQuery,
  ): Promise<RecordsPage<SampleRecordDto | SummaryRecordDto>> {
    const { every } = query;
    if (every !== undefined) {
      const length = bucketLengths[every];
      const page = await this.recordsService.buckets(account, resource, { ...query, every: length });
      return mapRecords(page, (bucket) => toBucketDto(resource, bucket, length));
    }
    return mapRecords(await this.recordsService.list(account, resource, query), (record) =>
      withFields(toRecordDto(resource, record), query.fields),
    );
  }
}

function accountDto(account: Account): MeDto['account'] {
  const { account_id, upstream_user_id, created_at, fallback_time_zone } = account;
  return { account_id, user_id: upstream_user_id, created_at: toIso(created_at), time_zone: fallback_time_zone };
}
