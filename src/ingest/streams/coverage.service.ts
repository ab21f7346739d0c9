import { Injectable } from '@nestjs/common';
import { type Connection, ConnectionsService } from '../../accounts/connections/connections.service.js';
import { resourceByEvent, resourceByName } from '../../health/catalogue/catalogue.js';
import { NewestRecords } from '../../health/reads/newest-records.service.js';
import { SyncConfig } from '../../platform/config/config.js';
import { CLOCK_TOLERANCE_MS, HOUR_MS, type TimeRange } from '../../platform/platform/time.js';
import type { NewChange } from '../../storage/change-log/change.js';
import { noteChanges } from '../../storage/change-log/note-changes.js';
import type { Tx } from '../../storage/database/tx.js';
import { type Covered, merge, type StreamCovered, split, unprovenBefore, until } from './coverage.js';
import { CoverageRepository } from './coverage.repository.js';
import type { HistoricalPullEntity } from './historical-pull.entity.js';
import { type FetchedHistory, HistoricalPullsRepository } from './historical-pulls.repository.js';
import { historySubject } from './history-changes.reader.js';
import { isCounted, provenBy } from './proof.js';
import type { StreamKey } from './pull-streams.repository.js';

/** Upstream's latest report of its own pull of a source's history. */
export type HistoricalPull = HistoricalPullEntity;

/** Ranges that we pulled, and upstream's own historical pulls. `account` is `accounts.id`. */
@Injectable()
export class CoverageService {
  constructor(
    private readonly coverage: CoverageRepository,
    private readonly historicalPulls: HistoricalPullsRepository,
    private readonly connections: ConnectionsService,
    private readonly records: NewestRecords,
    private readonly config: SyncConfig,
  ) {}

  /**
   * Adds the coverage of a finished pull, under the lock of its account: settled up to the look-back before the pull,
   * and proven according to the evidence tables (proof.ts). A pull over every source can prove a range for each source.
   * Returns ranges to pull again, because the source was silent when they were pulled and has sent data since.
   */
  async add(
    tx: Tx,
    stream: StreamKey,
    window: TimeRange,
    { confirmedAt, now }: { confirmedAt: number; now: number },
  ): Promise<(TimeRange & { readonly provider: string })[]> {
    if (window.start >= window.end) return [];
    const { account, provider } = stream;
    await tx.lock('account', account);
    const connections = await this.connections.listIn(tx, account);
    const sources = connections.filter((row) => provider === '' || row.provider === provider);
    const proven = new Map<string, Covered[]>();
    for (const connection of sources) {
      proven.set(connection.provider, await this.proven(tx, { stream, connection, window, at: confirmedAt }));
    }
    const own = [...split(window, confirmedAt, this.latenessMs), ...(proven.get(provider) ?? [])];
    const again: (TimeRange & { readonly provider: string })[] = [];
    for (const [source, ranges] of proven.set(provider, own)) {
      const known = await this.store(tx, { ...stream, provider: source }, ranges, now);
      const found = ranges.find(({ state }) => state === 'proven');
      const gap = found ? unprovenBefore(known, found) : null;
      if (gap) again.push({ provider: source, ...gap });
    }
    return again;
  }

  /** Configured time after which devices have sent their data. */
  get latenessMs(): number {
    return this.config.lookbackHours * HOUR_MS;
  }

  private async proven(
    tx: Tx,
    { stream, connection, window, at }: { stream: StreamKey; connection: Connection; window: TimeRange; at: number },
  ): Promise<Covered[]> {
    const { account } = stream;
    const { provider } = connection;
    const resource = resourceByName(stream.resource);
    if (connection.status !== 'connected' || !resource) return [];
    const history = await this.historicalPulls.find(tx, account, provider, resource.eventName ?? resource.name);
    const heardUntil = await this.records.newestIn(tx, account, provider, { start: window.start, end: at + 1 });
    const look = { resource, window, at, latenessMs: this.latenessMs, connection, history, heardUntil };
    return provenBy(look).map((range) => ({ ...range, confirmedAt: at, state: 'proven' }));
  }

  /** Merges ranges into the stream's coverage. Returns the merged ranges that were touched. */
  private async store(tx: Tx, stream: StreamKey, ranges: readonly Covered[], now: number): Promise<Covered[]> {
    const [first] = ranges;
    if (!first) return [];
    const start = Math.min(...ranges.map((range) => range.start));
    const end = Math.max(...ranges.map((range) => range.end));
    const known = await this.coverage.takeTouching(tx, stream, { start, end }, now + CLOCK_TOLERANCE_MS);
    const merged = merge([...known.flatMap((one) => until(one, now, this.latenessMs)), ...ranges]);
    await this.coverage.insert(tx, stream, merged);
    return merged;
  }

  /** All covered ranges of an account, by stream and start. */
  list(account: number): Promise<StreamCovered[]> {
    return this.coverage.list(account);
  }

  /**
   * Marks the historical pulls inside a completely pulled window as fetched by its task, and notes the histories that
   * are complete now. Only successes known before the task was created count; their own task has a smaller id.
   */
  async historyFetched(tx: Tx, fetched: FetchedHistory, now: number): Promise<void> {
    await this.historicalPulls.fetched(tx, fetched);
    const { account, eventName, taskId } = fetched;
    const pulls = await this.historicalPulls.listIn(tx, account);
    const own = pulls.filter(({ resource, task_id }) => resource === eventName && task_id === taskId);
    await this.noteComplete(tx, own, now);
  }

  /** Notes a `history.complete` change for each pull whose days upstream counted. Call when their tasks are done. */
  async noteComplete(tx: Tx, pulls: readonly HistoricalPull[], now: number): Promise<void> {
    const changes = pulls.flatMap((pull): NewChange[] => {
      const { account_id: account, provider } = pull;
      const resource = resourceByEvent(pull.resource)?.name;
      if (resource === undefined || !isCounted(provider, pull)) return [];
      const subject = historySubject(provider, resource);
      return [{ kind: 'history.complete', action: 'created', origin: 'history', account, subject, provider, resource }];
    });
    await noteChanges(tx, changes, now);
  }
}
