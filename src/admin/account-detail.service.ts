import { Injectable } from '@nestjs/common';
import { toAccountDto } from '../accounts/accounts.dto.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { StoredRecords } from '../health-data/stored-records.service.js';
import { type AccountDetailDto, toConnectionDto, toDeviceDto } from './account-detail.dto.js';

/** An account with what hangs on it: its sources, when each last brought data, and its devices. */
@Injectable()
export class AccountDetail {
  constructor(
    private readonly accounts: AccountsService,
    private readonly connections: ConnectionsService,
    private readonly records: StoredRecords,
  ) {}

  /** Throws `not_found`. */
  async get(accountId: string): Promise<AccountDetailDto> {
    const account = await this.accounts.get(accountId);
    const [connections, devices, lastData] = await Promise.all([
      this.connections.list(account.id),
      this.connections.listDevices(account.id),
      this.records.lastDataByProvider(account.id),
    ]);
    return {
      ...toAccountDto(account),
      connections: connections.map((each) => toConnectionDto(each, lastData.get(each.provider) ?? null)),
      devices: devices.map(toDeviceDto),
    };
  }
}
