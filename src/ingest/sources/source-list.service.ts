import { Injectable } from '@nestjs/common';
import {
  type Connection,
  ConnectionsService,
  type ShownSource,
} from '../../accounts/connections/connections.service.js';
import { type Succession, successionOf, successionsAt } from '../../accounts/connections/provider-facts.js';
import { NewestRecords } from '../../health/reads/newest-records.service.js';
import type { PageQuery } from '../../http/server/page-query.js';
import { Clock } from '../../platform/platform/clock.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import { ChangeLog } from '../../storage/change-log/change-log.service.js';
import { HistoricalPulls } from './historical-pulls.service.js';

/** Facts about the successor of a retired source. If all four are true, the old source can be disconnected. */
export interface SuccessorEvidence {
  readonly connected: boolean;
  /** Upstream pulled the history of at least one resource, it is completely stored, and no pull is open or failed. */
  readonly history_complete: boolean;
  readonly records_stored: boolean;
  /** The newest stored record is later than the connection. */
  readonly new_record: boolean;
}

export interface Retirement {
  readonly succession: Succession;
  /** Null if the person never connected it. */
  readonly successor: Connection | null;
  readonly evidence: SuccessorEvidence;
}

/** `retirement` is null for a provider that is not retired. */
export interface ListedSource extends ShownSource {
  readonly retirement: Retirement | null;
  /** When a record of the source was last added, changed or hidden, in epoch milliseconds. */
  readonly dataChangedAt: number | null;
}

const nothing: SuccessorEvidence = {
  connected: false,
  history_complete: false,
  records_stored: false,
  new_record: false,
};

/** The sources of all accounts, and the progress from retired sources to their successors. */
@Injectable()
export class SourceList {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly historicalPulls: HistoricalPulls,
    private readonly records: NewestRecords,
    private readonly changes: ChangeLog,
    private readonly clock: Clock,
  ) {}

  /** Sources that are not disconnected, by account and provider. Throws `invalid_request` for an invalid cursor. */
  async list(
    query: PageQuery & { retired?: boolean; provider?: string; status?: string },
  ): Promise<Page<ListedSource>> {
    const { retired, provider, status, cursor, limit } = query;
    const now = this.clock.now();
    const names = successionsAt(now).map((one) => one.provider);
    const rows = await this.connections.page({
      ...(retired === undefined ? {} : retired ? { among: names } : { except: names }),
      provider,
      status,
      after: cursor === undefined ? undefined : decodeCursor(cursor, ['number', 'string']),
      limit: limit + 1,
    });
    const page = pageOf(rows, limit, (row) => [row.account_id, row.provider]);
    const retiring = page.data.filter((row) => successionOf(row.provider, now) !== null);
    const accounts = [...new Set(retiring.map(({ account_id }) => account_id))];
    const followers = await this.connections.among(
      accounts,
      successionsAt(now).map(({ successor }) => successor),
    );
    const changed = await this.changes.lastOfSources(page.data.map(({ account_id }) => account_id));
    const data = page.data.map(async (row): Promise<ListedSource> => {
      const succession = successionOf(row.provider, now);
      return {
        ...row,
        retirement: succession && (await this.retirement(row.account_id, succession, followers)),
        dataChangedAt: changed.get(row.account_id)?.get(row.provider) ?? null,
      };
    });
    return { ...page, data: await Promise.all(data) };
  }

  /** Progress of an account from a retired source to its successor; null if the provider is not retired. */
  async retirementOf(account: number, provider: string): Promise<Retirement | null> {
    const succession = successionOf(provider, this.clock.now());
    if (succession === null) return null;
    return this.retirement(account, succession, await this.connections.among([account], [succession.successor]));
  }

  private async retirement(
    account: number,
    succession: Succession,
    followers: readonly Connection[],
  ): Promise<Retirement> {
    const isSuccessor = (one: Connection): boolean =>
      one.account_id === account && one.provider === succession.successor;
    const successor = followers.find(isSuccessor) ?? null;
    const evidence = successor?.status === 'connected' ? await this.evidence(successor) : nothing;
    return { succession, successor, evidence };
  }

  private async evidence({ account_id: account, provider, connected_at }: Connection): Promise<SuccessorEvidence> {
    const [histories, newest] = await Promise.all([
      this.historicalPulls.list(account),
      this.records.lastDataByProvider(account),
    ]);
    const states = histories.filter((one) => one.provider === provider).map(({ state }) => state);
    const last = newest.get(provider);
    return {
      connected: true,
      history_complete:
        states.includes('complete') && !states.some((state) => state === 'pending' || state === 'failed'),
      records_stored: last !== undefined,
      new_record: last !== undefined && connected_at !== null && last > connected_at,
    };
  }
}
