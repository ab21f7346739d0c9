import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { ConnectionsService } from '../../accounts/connections/connections.service.js';
import { FleetCounts } from '../../storage/declarations/fleet-counts.js';
import { PullStreamsRepository } from '../streams/pull-streams.repository.js';

/** Whom a recovery affects. */
export interface Affected {
  /** Accounts that can be pulled, and those of them that have or had a source. */
  readonly accounts: number;
  readonly pulledAccounts: number;
  readonly sources: number;
  /** The newest account (`accounts.id`); 0 if there is none. */
  readonly lastAccount: number;
}

/** Counts the accounts and sources that a recovery affects. */
@Injectable()
export class AffectedAccounts {
  constructor(
    private readonly accounts: AccountsService,
    private readonly connections: ConnectionsService,
    private readonly streams: PullStreamsRepository,
    private readonly counts: FleetCounts,
  ) {}

  async now(): Promise<Affected> {
    const [{ accounts, lastAccount }, pulledAccounts, sources] = await Promise.all([
      this.accounts.countPullable(),
      this.streams.countAccounts(),
      this.connections.countConnected(),
    ]);
    return { accounts, lastAccount, pulledAccounts, sources };
  }

  /** For an estimate: may be some minutes old. */
  async lately(): Promise<Affected> {
    return (await this.counts.of('affected', () => this.now())).value;
  }
}
