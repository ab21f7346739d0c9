import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { UpstreamConfig } from '../../platform/config/config.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { PullRequests } from '../pulls/pull-requests.service.js';
import { type PullRequest } from '../pulls/pull-tasks.repository.js';
import { PullStreams } from '../streams/pull-streams.service.js';
import { MAX_ACCOUNTS_A_BATCH, MAX_PULLS_A_BATCH, POLL_SHARE } from '../streams/tuning.js';
import { CALLS_PER_POLL } from './estimate.js';
import type { RecoveryEntity } from './recovery.entity.js';
import { RecoveryRepository } from './recovery.repository.js';

/** Plans a recovery in batches of accounts. The pulls of a batch and its position are stored in one transaction. */
@Injectable()
export class RecoveryPlanner {
  constructor(
    private readonly recoveries: RecoveryRepository,
    private readonly accounts: AccountsService,
    private readonly streams: PullStreams,
    private readonly pulls: PullRequests,
    private readonly config: UpstreamConfig,
    private readonly lane: WriteLane,
  ) {}

  /** Plans the next batch; returns the updated recovery, or null if there is nothing to plan. */
  planNext(now: number): Promise<RecoveryEntity | null> {
    return this.lane.run(async (tx) => {
      const recovery = await this.recoveries.nextToPlan(tx);
      return recovery && this.plan(tx, recovery, now);
    });
  }

  private async plan(tx: Tx, recovery: RecoveryEntity, now: number): Promise<RecoveryEntity> {
    const resources = recovery.resources.split(',');
    const limit = Math.min(MAX_ACCOUNTS_A_BATCH, Math.ceil(MAX_PULLS_A_BATCH / resources.length));
    const { planned_until: after, last_account: last } = recovery;
    const accounts = await this.accounts.listPullable(tx, { after, last, limit });
    const offered = await this.streams.offered(tx, accounts);
    const requests = [...offered].flatMap(([account, names]) =>
      requestsOf(
        recovery,
        account,
        resources.filter((name) => names.has(name) || !this.streams.isSynced(name)),
      ),
    );
    const { planned, joined } = await this.pulls.requestRecovery(tx, requests, recovery.id);
    await this.accounts.polls.requestAll(tx, this.pollsOf(recovery, accounts, now));
    const isLast = accounts.length < limit;
    const change: Partial<RecoveryEntity> = {
      accounts_planned: recovery.accounts_planned + accounts.length,
      planned_until: accounts.at(-1) ?? recovery.planned_until,
      pulls_planned: recovery.pulls_planned + planned,
      pulls_joined: recovery.pulls_joined + joined,
      pulls_shared: recovery.pulls_shared + requests.length - planned,
      ...(isLast && { state: 'pulling' as const, planned_at: now }),
    };
    await this.recoveries.change(tx, recovery.id, change);
    return { ...recovery, ...change };
  }

  /** Polls, because connections may have changed in the outage, spread over time. Earlier due polls stay. */
  private pollsOf(
    { accounts_planned, created_at }: RecoveryEntity,
    accounts: readonly number[],
    now: number,
  ): { account: number; dueAt: number }[] {
    const apartMs = (CALLS_PER_POLL * 1_000) / (this.config.requestsPerSecond * POLL_SHARE);
    const at = (index: number): number => Math.round(created_at + (accounts_planned + index) * apartMs);
    return accounts.map((account, index) => ({ account, dueAt: Math.max(now, at(index)) }));
  }
}

/**
 * Covers every source, because a source may have been connected during the outage. A synced resource without a
 * stream is skipped: no source of the account offers it.
 */
function requestsOf(recovery: RecoveryEntity, account: number, resources: readonly string[]): PullRequest[] {
  const { window_start: start, window_end: end } = recovery;
  return resources.map((resource) => ({ account, provider: '', resource, origin: 'recovery', start, end }));
}
