import { Injectable } from '@nestjs/common';
import { resourceByEvent } from '../../health/catalogue/catalogue.js';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS, type TimeRange, unlessAhead } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import { ListedPulls } from '../pulls/listed-pulls.service.js';
import { PullRequests } from '../pulls/pull-requests.service.js';
import { CoverageService, type HistoricalPull } from '../streams/coverage.service.js';
import { HistoricalPullsRepository } from '../streams/historical-pulls.repository.js';
import { isCounted } from '../streams/proof.js';
import { PullStreams } from '../streams/pull-streams.service.js';
import { type HistoryState, historyState } from './history-state.js';
import {
  combined,
  differ,
  factsOfEvent,
  type HistoryCompletion,
  isLastWord,
  isNewSuccess,
  type PullFacts,
} from './pull-facts.js';

/** History state of a source and resource (catalogue name). */
export interface SourceHistory {
  readonly provider: string;
  readonly resource: string;
  readonly state: HistoryState;
}

/** Upstream's report of its pull, and the state of the history here; `resource` is a catalogue name. */
export type History = HistoricalPull & { readonly state: HistoryState };

/** The longest range that upstream pulls (docs/upstream/webhooks.md#historical-range); used if a success has none. */
const MAX_RANGE_MS = 365 * DAY_MS;

/**
 * Stores upstream's reports of its historical pulls, from events and introspection alike, and acts on them:
 *
 *   any report                --> stored with the time it was first seen, unless a newer one is stored
 *   a new success with data   --> also a task for its range; the row keeps the id of the task
 *   an end without data       --> also, a stream that was never pulled is due now
 *
 * Uses the caller's transaction, so a success is never stored without the task that fetches its data. `account` is
 * `accounts.id`.
 */
@Injectable()
export class HistoricalPulls {
  constructor(
    private readonly pulls: HistoricalPullsRepository,
    private readonly coverage: CoverageService,
    private readonly streams: PullStreams,
    private readonly requests: PullRequests,
    private readonly listedPulls: ListedPulls,
    private readonly clock: Clock,
  ) {}

  /** Records an event that upstream has pulled a source's history. */
  completed(tx: Tx, account: number, completion: HistoryCompletion): Promise<void> {
    return this.record(tx, account, [factsOfEvent(completion)]);
  }

  async record(tx: Tx, account: number, facts: readonly PullFacts[]): Promise<void> {
    if (facts.length === 0) return;
    await tx.lock('account', account);
    const now = this.clock.now();
    const known = new Map((await this.pulls.listIn(tx, account)).map((pull) => [keyOf(pull), pull]));
    const changed: HistoricalPull[] = [];
    for (const seen of facts) {
      const before = known.get(keyOf(seen)) ?? null;
      const taskId = await this.takeUp(tx, account, before, seen);
      if (taskId === null && isLastWord(seen)) await this.endWait(tx, account, seen);
      const after = { ...combined(before, seen), account_id: account, task_id: taskId };
      const isOlder = before !== null && unlessAhead(before.observed_at, now) > seen.observed_at;
      if (!isOlder && (!before || before.task_id !== taskId || differ(before, after))) changed.push(after);
    }
    await this.pulls.store(tx, changed);
    await this.noteComplete(tx, known, changed);
  }

  /** Notes the histories whose tasks were already done when upstream reported a count of days. */
  private async noteComplete(
    tx: Tx,
    known: ReadonlyMap<string, HistoricalPull>,
    changed: readonly HistoricalPull[],
  ): Promise<void> {
    const counted = changed.filter((pull) => {
      const before = known.get(keyOf(pull));
      return isCounted(pull.provider, pull) && !(before && isCounted(before.provider, before));
    });
    const ids = counted.flatMap(({ task_id }) => task_id ?? []);
    const statuses = await this.listedPulls.statuses(ids, tx);
    const complete = counted.filter(({ task_id }) => task_id !== null && statuses.get(task_id) === 'done');
    await this.coverage.noteComplete(tx, complete, this.clock.now());
  }

  /** All historical pulls of an account and their states, for resources in the catalogue. */
  async list(account: number): Promise<History[]> {
    const pulls = await this.pulls.list(account);
    const statuses = await this.listedPulls.statuses(
      pulls.flatMap(({ task_id }) => (task_id === null ? [] : [task_id])),
    );
    return pulls.flatMap((pull) => {
      const resource = resourceByEvent(pull.resource)?.name;
      if (resource === undefined) return [];
      const task = pull.task_id === null ? null : (statuses.get(pull.task_id) ?? null);
      return [{ ...pull, resource, state: historyState(pull, task, this.streams.isSynced(resource)) }];
    });
  }

  /**
   * History state of each source and resource that is or was pulled; `unknown` if upstream has no record of a pull.
   */
  async states(account: number): Promise<SourceHistory[]> {
    const [histories, streams] = await Promise.all([this.list(account), this.streams.list(account)]);
    const known = histories.map(({ provider, resource, state }) => ({ provider, resource, state }));
    const keys = new Set(known.map(keyOf));
    const others = streams.filter((stream) => !keys.has(keyOf(stream)));
    return [...known, ...others.map(({ provider, resource }) => ({ provider, resource, state: 'unknown' as const }))];
  }

  /** Requests the pull for a new success; returns the id of the task that fetches its data, or null. */
  private async takeUp(
    tx: Tx,
    account: number,
    before: HistoricalPull | null,
    seen: PullFacts,
  ): Promise<number | null> {
    const resource = resourceByEvent(seen.resource);
    if (seen.status !== 'success' || !resource || !this.streams.isSynced(resource.name)) return null;
    const isNew = isNewSuccess(before, seen);
    const stream = { account, provider: seen.provider, resource: resource.name };
    if (combined(before, seen).days_with_data === 0) return null;
    if (!isNew && before?.task_id) return before.task_id;
    // If nothing was pulled yet, one pull covers both upstream's history and the stream's first window.
    const first = await this.streams.firstWindow(tx, stream);
    return this.requests.requestHistory(tx, stream, joined(this.rangeOf(seen), first));
  }

  private async endWait(tx: Tx, account: number, { provider, resource: eventName }: PullFacts): Promise<void> {
    const resource = resourceByEvent(eventName);
    if (resource) await this.streams.endWait(tx, { account, provider, resource: resource.name });
  }

  private rangeOf(seen: PullFacts): TimeRange {
    const end = seen.range_end ?? this.clock.now();
    return { start: seen.range_start ?? end - MAX_RANGE_MS, end };
  }
}

function joined(range: TimeRange, other: TimeRange | null): TimeRange {
  if (other === null) return range;
  return { start: Math.min(range.start, other.start), end: Math.max(range.end, other.end) };
}

function keyOf({ provider, resource }: { provider: string; resource: string }): string {
  return `${provider}|${resource}`;
}
