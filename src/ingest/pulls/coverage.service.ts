import { Injectable } from '@nestjs/common';
import { SyncConfig } from '../../platform/config/config.js';
import { HOUR_MS, type TimeRange } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import { merge, split } from './coverage.js';
import { CoverageRepository, type StreamCovered } from './coverage.repository.js';
import type { HistoricalPullEntity } from './historical-pull.entity.js';
import {
  type FetchedHistory,
  HistoricalPullsRepository,
  type PullFilter,
  type ShownPull,
} from './historical-pulls.repository.js';
import type { StreamKey } from './pull-streams.repository.js';

export type { Covered } from './coverage.js';
export type { StreamCovered } from './coverage.repository.js';
export type { ShownPull } from './historical-pulls.repository.js';

/** Upstream's latest word on its own pull of a source's history. */
export type HistoricalPull = HistoricalPullEntity;

/** Pulled time: our covered ranges, and upstream's historical pulls from its sources. `account` is `accounts.id`. */
@Injectable()
export class CoverageService {
  constructor(
    private readonly coverage: CoverageRepository,
    private readonly historicalPulls: HistoricalPullsRepository,
    private readonly config: SyncConfig,
  ) {}

  /** Adds what a pull confirmed, under the lock of its account; settled as far as the look-back reaches behind it. */
  async add(tx: Tx, stream: StreamKey, pulled: TimeRange & { readonly confirmedAt: number }): Promise<void> {
    if (pulled.start >= pulled.end) return;
    await tx.lock('account', stream.account);
    const known = await this.coverage.takeTouching(tx, stream, pulled);
    const added = split(pulled, pulled.confirmedAt, this.config.lookbackHours * HOUR_MS);
    await this.coverage.insert(tx, stream, merge([...known, ...added]));
  }

  /** Every covered range of an account by stream and rising start. */
  list(account: number): Promise<StreamCovered[]> {
    return this.coverage.list(account);
  }

  /** Every historical pull of an account. */
  listHistoricalPulls(account: number): Promise<HistoricalPull[]> {
    return this.historicalPulls.list(account);
  }

  /** As `listHistoricalPulls`, as of a transaction. */
  historicalPullsIn(tx: Tx, account: number): Promise<HistoricalPull[]> {
    return this.historicalPulls.listIn(tx, account);
  }

  /** Stores upstream's word in place of what is known of the same pulls. */
  storeHistoricalPulls(tx: Tx, pulls: readonly HistoricalPull[]): Promise<void> {
    return this.historicalPulls.store(tx, pulls);
  }

  /**
   * Counts a task that pulled a complete window for the historical pulls within it. Only successes known before the
   * task was created count: their own task has a smaller id.
   */
  historyFetched(tx: Tx, fetched: FetchedHistory): Promise<void> {
    return this.historicalPulls.fetched(tx, fetched);
  }

  /** Historical pulls by account, provider and resource. */
  pageOfHistoricalPulls(filter: PullFilter): Promise<ShownPull[]> {
    return this.historicalPulls.page(filter);
  }
}
