import { Injectable } from '@nestjs/common';
import { type AccountQuery, AccountsService } from '../../accounts/accounts/accounts.service.js';
import { ConnectionsService } from '../../accounts/connections/connections.service.js';
import { DevicesService } from '../../accounts/connections/devices.service.js';
import { NewestRecords } from '../../health/reads/newest-records.service.js';
import { Clock } from '../../platform/platform/clock.js';
import type { Page } from '../../platform/platform/paging.js';
import { ChangeLog } from '../../storage/change-log/change-log.service.js';
import { toWaitingWorkDto } from '../../storage/work/waiting-work.dto.js';
import {
  type AccountDetailDto,
  toConnectionDto,
  toDeviceDto,
  toOverlapDto,
  userFactsOf,
} from './account-detail.dto.js';
import { type ListedAccount, toAccountDto } from './accounts.dto.js';

export type AccountListOptions = Omit<AccountQuery, 'among'> & {
  /** Only accounts with a source of this provider that is not disconnected. */
  readonly provider?: string | undefined;
};

/** Accounts with their sources, the newest data of each source, and their devices. */
@Injectable()
export class AccountAdminService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly connections: ConnectionsService,
    private readonly devices: DevicesService,
    private readonly records: NewestRecords,
    private readonly changes: ChangeLog,
    private readonly clock: Clock,
  ) {}

  /** Oldest first. */
  async list({ provider, ...query }: AccountListOptions): Promise<Page<ListedAccount>> {
    const among = provider === undefined ? undefined : this.connections.accountsOf(provider);
    const page = await this.accounts.list({ ...query, among });
    const ids = page.data.map(({ id }) => id);
    const [connections, changed] = await Promise.all([
      this.connections.ofAccounts(ids),
      this.changes.lastOfSources(ids),
    ]);
    const sourcesOf = (id: number): ListedAccount['sources'] =>
      connections
        .filter(({ account_id }) => account_id === id)
        .map((one) => ({ ...one, dataChangedAt: changed.get(id)?.get(one.provider) ?? null }));
    return { ...page, data: page.data.map((account) => ({ ...account, sources: sourcesOf(account.id) })) };
  }

  /** Hides device makes and models unless `showsValues`, because they can reveal an illness. Throws `not_found`. */
  async get(externalId: string, showsValues: boolean): Promise<AccountDetailDto> {
    const account = await this.accounts.get(externalId);
    const [connections, overlaps, devices, lastData, poll] = await Promise.all([
      this.connections.list(account.id),
      this.connections.overlapsOf(account.id),
      this.devices.list(account.id),
      this.records.lastDataByProvider(account.id),
      this.accounts.polls.next(account.id),
    ]);
    const now = this.clock.now();
    return {
      ...toAccountDto(account),
      ...userFactsOf(account),
      connections: connections.map((each) => toConnectionDto(each, lastData.get(each.provider), now)),
      overlaps: overlaps.map(toOverlapDto),
      devices: devices.map((each) => toDeviceDto(each, showsValues)),
      source_poll: toWaitingWorkDto(poll),
    };
  }
}
