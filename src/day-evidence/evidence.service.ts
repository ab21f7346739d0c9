import { Injectable } from '@nestjs/common';
import { coveredResources, resourceByEvent, resourceByName } from '../catalogue/catalogue.js';
import { SyncConfig } from '../config/config.js';
import type { ConnectionEntity } from '../connections/connection.entity.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { CoverageRepository, type StreamCovered } from '../coverage/coverage.repository.js';
import { HistoricalPullsRepository } from '../coverage/historical-pulls.repository.js';
import { historyState } from '../coverage/history-state.js';
import type { PullStreamEntity } from '../coverage/pull-stream.entity.js';
import { PullStreamsRepository } from '../coverage/pull-streams.repository.js';
import { Clock } from '../platform/clock.js';
import type { TimeRange } from '../platform/time.js';
import { PullTasksReader } from '../pulls/pull-tasks.reader.js';
import { regularWindow } from '../pulls/windows.js';
import { availabilityOf } from './availability.js';
import type { HistoryWord, StreamEvidence, UndoneTask } from './day-facts.js';

/** One source and resource; `resource` is a name of the catalogue. */
export interface StreamName {
  readonly provider: string;
  readonly resource: string;
}

/** What an account's tables say, read at one instant. */
interface Known {
  readonly connections: readonly ConnectionEntity[];
  readonly streams: readonly PullStreamEntity[];
  readonly covered: readonly StreamCovered[];
  readonly histories: readonly (HistoryWord & StreamName)[];
  readonly undone: readonly UndoneTask[];
}

/** The tables of sync that its coverage is told from. */
@Injectable()
export class EvidenceSources {
  constructor(
    readonly streams: PullStreamsRepository,
    readonly coverage: CoverageRepository,
    readonly pulls: HistoricalPullsRepository,
    readonly tasks: PullTasksReader,
  ) {}
}

/** What is known, and from where, of how whole the records of an account are. Five reads by account, each by an index. */
@Injectable()
export class CoverageEvidence {
  constructor(
    private readonly sources: EvidenceSources,
    private readonly connections: ConnectionsService,
    private readonly config: SyncConfig,
    private readonly clock: Clock,
  ) {}

  /**
   * By source and resource: whatever is pulled, was pulled, or is synced and upstream has a word on it; and those of
   * `also`. `range` bounds the tasks that are looked at. `account` is the internal number.
   */
  async of(account: number, range: TimeRange, also: readonly StreamName[] = []): Promise<StreamEvidence[]> {
    const known = await this.known(account, range);
    const synced = ({ resource }: StreamName): boolean => this.config.resources.includes(resource);
    const names = [
      ...known.streams,
      ...known.covered.filter(({ provider }) => provider !== ''),
      ...known.histories.filter(synced),
      ...also,
    ];
    const byKey = new Map(names.map(({ provider, resource }) => [`${provider}|${resource}`, { provider, resource }]));
    return [...byKey.values()]
      .sort((a, b) => compare(a.provider, b.provider) || compare(a.resource, b.resource))
      .flatMap((name) => this.evidence(name, known));
  }

  private async known(account: number, range: TimeRange): Promise<Known> {
    const { streams, coverage, pulls, tasks } = this.sources;
    const [connections, ownStreams, covered, stands, undone] = await Promise.all([
      this.connections.list(account),
      streams.list(account),
      coverage.list(account),
      pulls.stands(account),
      tasks.undone(account, range),
    ]);
    const histories = stands.flatMap((pull) => {
      const resource = resourceByEvent(pull.resource)?.name;
      return resource === undefined ? [] : [{ ...pull, resource, state: historyState(pull) }];
    });
    return { connections, streams: ownStreams, covered, histories, undone };
  }

  private evidence({ provider, resource: name }: StreamName, known: Known): StreamEvidence[] {
    const resource = resourceByName(name);
    if (!resource || !coveredResources.includes(name)) return [];
    const isIt = (row: StreamName): boolean => row.provider === provider && row.resource === name;
    const isOver = (row: StreamName): boolean => row.resource === name && (row.provider === provider || !row.provider);
    const connection = known.connections.find((row) => row.provider === provider) ?? null;
    const stream = known.streams.find(isIt) ?? null;
    return [
      {
        provider,
        resource,
        connection,
        availability: availabilityOf(connection, resource),
        history: known.histories.find(isIt) ?? null,
        stream,
        covered: known.covered.filter(isOver),
        undone: known.undone.filter(isOver),
        nextPullFrom: this.nextPullFrom(stream),
      },
    ];
  }

  private nextPullFrom(stream: PullStreamEntity | null): number | null {
    if (!stream || stream.next_due_at === null || !this.config.resources.includes(stream.resource)) return null;
    return regularWindow(stream.covered_until, this.clock.now(), this.config).start;
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
