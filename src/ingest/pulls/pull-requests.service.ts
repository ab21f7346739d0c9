import { Injectable } from '@nestjs/common';
import { pulledResources, resourceByName } from '../../health/catalogue/catalogue.js';
import type { ConflictRange } from '../../health/records/health-data.service.js';
import { SyncConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { invalidFields } from '../../platform/platform/errors.js';
import { DAY_MS, type TimeRange } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import { type StreamKey } from '../streams/pull-streams.repository.js';
import { PullStreams } from '../streams/pull-streams.service.js';
import { padded, wholeHours } from './page-fetcher.js';
import { type PullRequest, PullTasksRepository } from './pull-tasks.repository.js';

export interface AccountRequest extends Partial<TimeRange> {
  readonly resources?: readonly string[];
}

/**
 * Requests pulls. Methods store the request in the caller's transaction; workers run it later. `account` is
 * `accounts.id`.
 */
@Injectable()
export class PullRequests {
  constructor(
    private readonly tasks: PullTasksRepository,
    private readonly streams: PullStreams,
    private readonly config: SyncConfig,
    private readonly clock: Clock,
  ) {}

  /** Stores a pull request and returns the id of its task: an identical waiting one, or a new one. */
  request(tx: Tx, request: PullRequest): Promise<number> {
    return this.tasks.request(tx, request, this.clock.now());
  }

  /** Requests ranges again in which two observations disagreed; neighbouring ranges become one pull. */
  async requestRefetch(tx: Tx, account: number, resource: string, conflicts: readonly ConflictRange[]): Promise<void> {
    if (!pulledResources.includes(resource)) return;
    for (const { provider, ...range } of conflicts) {
      await this.request(tx, { account, provider, resource, origin: 'reread', ...wholeHours(range) });
    }
  }

  /** Requests a range that upstream has pulled from a source; returns the id of the task. */
  requestHistory(tx: Tx, stream: StreamKey, range: TimeRange): Promise<number> {
    return this.request(tx, { ...stream, origin: 'historical', ...padded(range) });
  }

  /**
   * Requests the pulls of a recovery. `planned`: tasks that now belong to it, including the `joined` ones, which an
   * earlier request created. The rest belong to another recovery.
   */
  requestRecovery(
    tx: Tx,
    requests: readonly PullRequest[],
    recoveryId: number,
  ): Promise<{ planned: number; joined: number }> {
    return this.tasks.requestRecovery(tx, requests, { recoveryId, now: this.clock.now() });
  }

  /**
   * Requests pulls of an account's resources over every source, with the options of an operator. Defaults: the synced
   * resources that its sources offer (all synced ones if it has no streams yet) and the backfill window up to now.
   * Returns the ids of the tasks. Throws `invalid_request` for a resource that cannot be pulled or an empty window.
   */
  async requestAccount(tx: Tx, account: number, options: AccountRequest): Promise<number[]> {
    const now = this.clock.now();
    const end = Math.min(options.end ?? now, now);
    const start = options.start ?? end - this.config.backfillDays * DAY_MS;
    if (start >= end) {
      throw invalidFields({ field: 'end', message: 'end must be after start, which must be in the past' });
    }
    const resources = [...new Set(options.resources ?? (await this.defaultResources(tx, account)))];
    if (!resources.every((name) => resourceByName(name)?.pulled)) {
      throw invalidFields({ field: 'resources', message: `resources must be among ${pulledResources.join(', ')}` });
    }
    const ids: number[] = [];
    for (const resource of resources) {
      ids.push(await this.request(tx, { account, provider: '', resource, origin: 'operator', start, end }));
    }
    return ids;
  }

  private async defaultResources(tx: Tx, account: number): Promise<readonly string[]> {
    const offered = (await this.streams.offered(tx, [account])).get(account);
    return this.config.resources.filter((name) => offered === undefined || offered.has(name));
  }
}
