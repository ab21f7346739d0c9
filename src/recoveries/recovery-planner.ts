import { Injectable } from '@nestjs/common';
import { SourcePolls } from '../accounts/source-polls.service.js';
import { UpstreamConfig } from '../config/config.js';
import type { Tx } from '../database/tx.js';
import { WriteLane } from '../database/write-lane.js';
import { PullTasksRepository, type Request } from '../pulls/pull-tasks.repository.js';
import { CALLS_PER_POLL } from './estimate.js';
import type { RecoveryEntity } from './recovery.entity.js';
import { RecoveryReader } from './recovery.reader.js';
import { type AccountToPlan, RecoveryRepository } from './recovery.repository.js';
import { endedOf } from './recovery-progress.js';

/** Pulls stored in one transaction, about. */
const PULLS_PER_BATCH = 1_000;
const MOST_ACCOUNTS = 500;
/** The part of the budget that looks at sources may take: they go with the regular pulls, which must not wait for them. */
const LOOK_SHARE = 0.25;

/** Turns a recovery into pulls, some accounts at a time: their pulls and the place in the accounts in one transaction. */
@Injectable()
export class RecoveryPlanner {
  constructor(
    private readonly recoveries: RecoveryRepository,
    private readonly reader: RecoveryReader,
    private readonly tasks: PullTasksRepository,
    private readonly checks: SourcePolls,
    private readonly config: UpstreamConfig,
    private readonly lane: WriteLane,
  ) {}

  /** Plans the next batch; answers the recovery as it stands afterwards, null when nothing is to be planned. */
  planNext(now: number): Promise<RecoveryEntity | null> {
    return this.lane.run(async (tx) => {
      const recovery = await this.recoveries.nextToPlan(tx);
      return recovery && this.plan(tx, recovery, now);
    });
  }

  /** Keeps the counts of a recovery whose pulls have all ended; null while some have not, or when another did it. */
  async finishIfEnded(recovery: RecoveryEntity, now: number): Promise<RecoveryEntity | null> {
    const { id } = recovery;
    if (await this.reader.hasOpenPulls(id)) return null;
    const { done, failed, pages } = endedOf(await this.reader.totals(id));
    const end = { finished_at: now, pulls_done: done, pulls_failed: failed, pages };
    const isOurs = await this.lane.run((tx) => this.recoveries.finish(tx, id, end));
    return isOurs ? { ...recovery, ...end, state: 'done' } : null;
  }

  private async plan(tx: Tx, recovery: RecoveryEntity, now: number): Promise<RecoveryEntity> {
    const resources = recovery.resources.split(',');
    const limit = Math.min(MOST_ACCOUNTS, Math.ceil(PULLS_PER_BATCH / resources.length));
    const accounts = await this.recoveries.accountsToPlan(tx, recovery, limit);
    const requests = accounts
      .filter(({ pulled }) => pulled === 1)
      .flatMap(({ id }) => requestsOf(recovery, id, resources));
    const { planned, joined } = await this.tasks.requestRecovery(tx, requests, { recoveryId: recovery.id, now });
    await this.checks.requestAll(tx, this.looks(recovery, accounts, now));
    const isLast = accounts.length < limit;
    const change: Partial<RecoveryEntity> = {
      accounts_planned: recovery.accounts_planned + accounts.length,
      planned_until: accounts.at(-1)?.id ?? recovery.planned_until,
      pulls_planned: recovery.pulls_planned + planned,
      pulls_joined: recovery.pulls_joined + joined,
      pulls_shared: recovery.pulls_shared + requests.length - planned,
      ...(isLast && { state: 'pulling' as const, planned_at: now }),
    };
    await this.recoveries.change(tx, recovery.id, change);
    return { ...recovery, ...change };
  }

  /** Connections may have changed in the outage. Spread out; an earlier look that is due anyway stays. */
  private looks(
    { accounts_planned, created_at }: RecoveryEntity,
    accounts: readonly AccountToPlan[],
    now: number,
  ): { account: number; dueAt: number }[] {
    const apartMs = (CALLS_PER_POLL * 1_000) / (this.config.requestsPerSecond * LOOK_SHARE);
    const at = (index: number): number => Math.round(created_at + (accounts_planned + index) * apartMs);
    return accounts.map(({ id: account }, index) => ({ account, dueAt: Math.max(now, at(index)) }));
  }
}

/** Over every source at once, since a source may have been connected in the outage. */
function requestsOf(recovery: RecoveryEntity, account: number, resources: readonly string[]): Request[] {
  const window = { start: recovery.window_start, end: recovery.window_end };
  return resources.map((resource) => ({ account, provider: '', resource, origin: 'recovery', window }));
}
