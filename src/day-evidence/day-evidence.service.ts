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
import type { StreamName } from '../health-data/stored-records.service.js';
import { Clock } from '../platform/clock.js';
import type { TimeRange } from '../platform/time.js';
import { PullTasksReader } from '../pulls/pull-tasks.reader.js';
import { regularWindow } from '../pulls/windows.js';
import { availabilityOf } from './availability.js';
import {
  type HistoryWord,
  type IngestionBounds,
  StreamDays,
  type StreamEvidence,
  type UndoneTask,
} from './day-facts.js';
import { type DayFacts, type DayVerdict, dayVerdict } from './day-state.js';

export type { HistoryWord, StreamEvidence, UndoneTask } from './day-facts.js';

export interface JudgedDay {
  readonly facts: DayFacts;
  readonly verdict: DayVerdict;
}

/** What an account's tables say, read at one instant. */
interface Known {
  readonly connections: readonly ConnectionEntity[];
  readonly streams: readonly PullStreamEntity[];
  readonly covered: readonly StreamCovered[];
  readonly histories: readonly (HistoryWord & StreamName)[];
  readonly undone: readonly UndoneTask[];
}

/** What is known of the days of an account's sources and resources. Five reads by account, each by an index. */
@Injectable()
export class DayEvidence {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly streams: PullStreamsRepository,
    private readonly coverage: CoverageRepository,
    private readonly pulls: HistoricalPullsRepository,
    private readonly tasks: PullTasksReader,
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

  /** What is known of one day (`YYYY-MM-DD`) of a stream with so many records, and what it comes down to. */
  judge(stream: StreamEvidence, bounds: IngestionBounds, day: { date: string; records: number }): JudgedDay {
    const facts = new StreamDays(stream, bounds, this.clock.now()).facts(day.date, day.records);
    return { facts, verdict: dayVerdict(facts) };
  }

  private async known(account: number, range: TimeRange): Promise<Known> {
    const [connections, streams, covered, stands, undone] = await Promise.all([
      this.connections.list(account),
      this.streams.list(account),
      this.coverage.list(account),
      this.pulls.stands(account),
      this.tasks.undone(account, range),
    ]);
    const histories = stands.flatMap((pull) => {
      const resource = resourceByEvent(pull.resource)?.name;
      return resource === undefined ? [] : [{ ...pull, resource, state: historyState(pull) }];
    });
    return { connections, streams, covered, histories, undone };
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
