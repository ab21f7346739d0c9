import { Injectable } from '@nestjs/common';
import { resourceByEvent } from '../catalogue/catalogue.js';
import { SyncConfig } from '../config/config.js';
import { CoverageRepository } from '../coverage/coverage.repository.js';
import type { HistoricalPullEntity } from '../coverage/historical-pull.entity.js';
import { HistoricalPullsRepository } from '../coverage/historical-pulls.repository.js';
import { type HistoryState, historyState } from '../coverage/history-state.js';
import type { Tx } from '../database/tx.js';
import { Clock } from '../platform/clock.js';
import { DAY_MS, type TimeRange } from '../platform/time.js';
import { PullTasksRepository } from '../pulls/pull-tasks.repository.js';
import { padded } from '../pulls/windows.js';
import { combined, differ, isNewSuccess, type PullFacts } from './pull-facts.js';

export interface SourceHistory {
  readonly provider: string;
  readonly resource: string;
  readonly state: HistoryState;
}

/** The longest range upstream pulls (supplement 5.7), for a success that names none. */
const LONGEST_RANGE_MS = 365 * DAY_MS;

/**
 * Keeps upstream's word on its pulls and acts on it, the same for events and introspection:
 *
 *   any word --seen--> stored with the instant it was first seen; an older look changes nothing stored
 *   a new success with data   --> and a task over its range, whose id the row keeps
 *   a new success without any --> and coverage over its range: confirmed empty
 *
 * All in the caller's transaction, so a success is never known without the task that fetches it.
 */
@Injectable()
export class HistoricalPullRecorder {
  constructor(
    private readonly pulls: HistoricalPullsRepository,
    private readonly tasks: PullTasksRepository,
    private readonly coverage: CoverageRepository,
    private readonly config: SyncConfig,
    private readonly clock: Clock,
  ) {}

  async record(tx: Tx, account: number, looks: readonly PullFacts[]): Promise<void> {
    if (looks.length === 0) return;
    await tx.lock('account', account);
    const known = new Map((await this.pulls.known(tx, account)).map((pull) => [keyOf(pull), pull]));
    const changed: HistoricalPullEntity[] = [];
    for (const seen of looks) {
      const before = known.get(keyOf(seen)) ?? null;
      const taskId = await this.takeUp(tx, account, before, seen);
      const after = { ...combined(before, seen), account_id: account, task_id: taskId };
      const isOlder = before !== null && before.observed_at > seen.observed_at;
      if (!isOlder && (!before || before.task_id !== taskId || differ(before, after))) changed.push(after);
    }
    await this.pulls.store(tx, changed);
  }

  /** How far the history of each source of an account is, by catalogue name; resources nobody syncs are left out. */
  async states(account: number): Promise<SourceHistory[]> {
    const stands = await this.pulls.stands(account);
    return stands.flatMap((pull) => {
      const resource = resourceByEvent(pull.resource)?.name;
      if (resource === undefined || !this.config.resources.includes(resource)) return [];
      return [{ provider: pull.provider, resource, state: historyState(pull) }];
    });
  }

  /** Stores what a success asks for; answers the id of the task that fetches it. */
  private async takeUp(
    tx: Tx,
    account: number,
    before: HistoricalPullEntity | null,
    seen: PullFacts,
  ): Promise<number | null> {
    const resource = resourceByEvent(seen.resource);
    if (seen.status !== 'success' || !resource || !this.config.resources.includes(resource.name)) return null;
    const isNew = isNewSuccess(before, seen);
    const stream = { account, provider: seen.provider, resource: resource.name };
    if (combined(before, seen).days_with_data === 0) {
      if (isNew) await this.confirmEmpty(tx, stream, seen);
      return null;
    }
    if (!isNew && before?.task_id) return before.task_id;
    const request = { ...stream, origin: 'historical', window: padded(this.rangeOf(seen)) } as const;
    return this.tasks.request(tx, request, this.clock.now());
  }

  private async confirmEmpty(
    tx: Tx,
    stream: { account: number; provider: string; resource: string },
    seen: PullFacts,
  ): Promise<void> {
    if (seen.range_start === null || seen.range_end === null) return;
    const confirmedAt = seen.ended_at ?? seen.observed_at;
    await this.coverage.add(tx, stream, { start: seen.range_start, end: seen.range_end, confirmedAt });
  }

  private rangeOf(seen: PullFacts): TimeRange {
    const end = seen.range_end ?? this.clock.now();
    return { start: seen.range_start ?? end - LONGEST_RANGE_MS, end };
  }
}

function keyOf({ provider, resource }: { provider: string; resource: string }): string {
  return `${provider}|${resource}`;
}
