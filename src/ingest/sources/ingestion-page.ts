import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { resourceByEvent, resourceByName } from '../../health/catalogue/catalogue.js';
import { NewestRecords } from '../../health/reads/newest-records.service.js';
import { SyncConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { parseUtcInstant, unlessAhead } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import type { WireIngestionRecord } from '../../upstream/client/wire-data.js';
import { type PlannedPull, PullStreamsRepository } from '../streams/pull-streams.repository.js';
import type { PullStream } from '../streams/pull-streams.service.js';
import { POLLED_LATELY_MS } from '../streams/tuning.js';
import { findingOf, type Ingestion, nextPull, type PullRule } from './next-pull.js';

/** Upstream's report of an account's sources; streams by provider and resource (catalogue name). */
interface Listed {
  readonly providers: ReadonlySet<string>;
  readonly failing: ReadonlySet<string>;
  readonly streams: ReadonlyMap<string, Ingestion>;
}

export interface PagePlan {
  readonly pulls: readonly PlannedPull[];
  /** `accounts.id` of accounts whose sources are to be polled. */
  readonly polls: readonly number[];
}

/** Compares a page of upstream's ingestion state with the database, and plans pulls and polls. */
@Injectable()
export class IngestionPage {
  private readonly findings;

  constructor(
    private readonly accounts: AccountsService,
    private readonly streams: PullStreamsRepository,
    private readonly records: NewestRecords,
    private readonly config: SyncConfig,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.findings = metrics.counter('ingestion_streams_total', "Streams compared with upstream's ingestion state", [
      'finding',
    ]);
  }

  get rule(): PullRule {
    return { intervalMs: this.config.intervalSeconds * 1_000, longestMs: this.config.maxIntervalSeconds * 1_000 };
  }

  async plan(page: readonly WireIngestionRecord[]): Promise<PagePlan> {
    const owners = await this.accounts.ownersOf(page.map(({ user_id }) => user_id));
    const listed = new Map<number, Listed>();
    for (const record of page) {
      const owner = owners.get(record.user_id.toLowerCase());
      if (owner?.user_gone_at === null && owner.status !== 'erasing') listed.set(owner.id, listedOf(record));
    }
    const streams = await this.streams.listOf([...listed.keys()]);
    return {
      pulls: await this.pulls(
        streams.filter((stream) => listed.get(stream.account_id)?.providers.has(stream.provider) === true),
        listed,
      ),
      polls: [...listed].filter(([account, each]) => isInDoubt(each, ofAccount(streams, account))).map(([id]) => id),
    };
  }

  async act(tx: Tx, { pulls, polls }: PagePlan): Promise<void> {
    await this.streams.plan(tx, pulls);
    const now = this.clock.now();
    await this.accounts.polls.requestUnpolled(tx, polls, { now, since: now - POLLED_LATELY_MS });
  }

  private async pulls(streams: readonly PullStream[], listed: ReadonlyMap<number, Listed>): Promise<PlannedPull[]> {
    const now = this.clock.now();
    const stored = await this.records.newestEnds(streams);
    return streams.flatMap((stream) => {
      const { account_id, provider, resource, status, covered_until, next_due_at } = stream;
      if (status !== 'active' || covered_until === null || next_due_at === null) return [];
      const reported = listed.get(account_id)?.streams.get(keyOf(provider, resource)) ?? null;
      const newest = stored.get(stream) ?? null;
      // A mark from before the clock was set back would postpone every pull until that time.
      const coveredUntil = unlessAhead(covered_until, now);
      const finding = findingOf(reported, { newest, coveredUntil }, now);
      this.findings.inc({ finding });
      const dueAt = nextPull(finding, { coveredUntil, nextDueAt: next_due_at }, this.rule, now);
      return dueAt === null ? [] : [{ stream, dueAt }];
    });
  }
}

function listedOf(record: WireIngestionRecord): Listed {
  const streams = new Map<string, Ingestion>();
  const failing = new Set<string>();
  for (const [provider, resources] of Object.entries(record.provider)) {
    for (const [name, { last_attempt, newest_data }] of Object.entries(resources)) {
      const resource = resourceByEvent(name) ?? resourceByName(name);
      if (last_attempt?.status === 'failure') failing.add(provider);
      if (!resource) continue;
      const lastAttemptAt = parseUtcInstant(last_attempt?.timestamp);
      streams.set(keyOf(provider, resource.name), { lastAttemptAt, newestData: parseUtcInstant(newest_data) });
    }
  }
  return { providers: new Set(Object.keys(record.provider)), failing, streams };
}

/** True if a source works upstream but is not pulled here, or is pulled here but missing or failing upstream. */
function isInDoubt({ providers, failing }: Listed, streams: readonly PullStream[]): boolean {
  const active = new Set(streams.filter(({ status }) => status === 'active').map(({ provider }) => provider));
  return (
    [...providers].some((provider) => !active.has(provider) && !failing.has(provider)) ||
    [...active].some((provider) => !providers.has(provider) || failing.has(provider))
  );
}

function ofAccount(streams: readonly PullStream[], account: number): PullStream[] {
  return streams.filter(({ account_id }) => account_id === account);
}

function keyOf(provider: string, resource: string): string {
  return `${provider}|${resource}`;
}
