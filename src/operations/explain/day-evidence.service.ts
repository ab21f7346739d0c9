import { Injectable } from '@nestjs/common';
import { type Connection, ConnectionsService } from '../../accounts/connections/connections.service.js';
import { successionOf } from '../../accounts/connections/provider-facts.js';
import { coveredResources, resourceByName } from '../../health/catalogue/catalogue.js';
import type { RejectedRange } from '../../health/catalogue/rejections.js';
import { type DaySpan } from '../../health/clock/day-spans.js';
import { NewestRecords } from '../../health/reads/newest-records.service.js';
import type { StreamName } from '../../health/reads/stored-day.js';
import { RejectedRecords } from '../../health/records/rejected-records.service.js';
import { Audits, type DayProof } from '../../ingest/audits/audits.service.js';
import { ListedPulls, type UndoneTask } from '../../ingest/pulls/listed-pulls.service.js';
import { HistoricalPulls, type History } from '../../ingest/sources/historical-pulls.service.js';
import { availabilityOf } from '../../ingest/streams/availability.js';
import type { StreamCovered } from '../../ingest/streams/coverage.js';
import { CoverageService } from '../../ingest/streams/coverage.service.js';
import { type PullStream, PullStreams } from '../../ingest/streams/pull-streams.service.js';
import { Clock } from '../../platform/platform/clock.js';
import type { TimeRange } from '../../platform/platform/time.js';
import { type IngestionBounds, StreamDays, type StreamEvidence } from './day-facts.js';
import { type DayFacts, type DayVerdict, dayVerdict } from './day-state.js';

export interface JudgedDay {
  readonly facts: DayFacts;
  readonly verdict: DayVerdict;
}

/** Rows of an account that the evidence of its days comes from. */
export interface KnownOfAccount {
  readonly connections: readonly Connection[];
  readonly streams: readonly PullStream[];
  readonly covered: readonly StreamCovered[];
  readonly histories: readonly History[];
  readonly undone: readonly UndoneTask[];
  readonly rejected: readonly RejectedRange[];
  readonly gaps: ReadonlyMap<string, readonly TimeRange[]>;
  readonly heard: ReadonlyMap<string, number>;
  readonly proofs: readonly DayProof[];
}

/** Evidence about the days of an account's sources and resources. Makes nine indexed reads per account. */
@Injectable()
export class DayEvidence {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly streams: PullStreams,
    private readonly coverage: CoverageService,
    private readonly historicalPulls: HistoricalPulls,
    private readonly listedPulls: ListedPulls,
    private readonly rejected: RejectedRecords,
    private readonly records: NewestRecords,
    private readonly audits: Audits,
    private readonly clock: Clock,
  ) {}

  /**
   * Sorted by source and resource: all streams that are pulled, were pulled, or are synced and reported by upstream,
   * and those of `also`. `range` limits the tasks and the proofs. `account` is `accounts.id`.
   */
  async of(account: number, range: TimeRange, also: readonly StreamName[] = []): Promise<StreamEvidence[]> {
    return this.among(await this.known(account, range), also);
  }

  /** Like `of`, with what {@link known} read. */
  among(known: KnownOfAccount, also: readonly StreamName[]): StreamEvidence[] {
    const names = [
      ...known.streams,
      ...known.covered.filter(({ provider }) => provider !== ''),
      ...known.histories,
      ...known.rejected.filter(({ provider }) => provider !== ''),
      ...also,
    ];
    const byKey = new Map(names.map(({ provider, resource }) => [`${provider}|${resource}`, { provider, resource }]));
    return [...byKey.values()]
      .sort((a, b) => compare(a.provider, b.provider) || compare(a.resource, b.resource))
      .flatMap((name) => this.evidence(name, known));
  }

  /** Facts and verdict for one day of a stream with `records` stored records. */
  judge(stream: StreamEvidence, bounds: IngestionBounds, day: { span: DaySpan; records: number }): JudgedDay {
    const facts = new StreamDays(stream, bounds, this.clock.now()).facts(day.span, day.records);
    return { facts, verdict: dayVerdict(facts) };
  }

  async known(account: number, range: TimeRange): Promise<KnownOfAccount> {
    const [connections, streams, covered, histories, undone, rejected, gaps, heard, proofs] = await Promise.all([
      this.connections.list(account),
      this.streams.list(account),
      this.coverage.list(account),
      this.historicalPulls.list(account),
      this.listedPulls.undone(account, range),
      this.rejected.ranges(account),
      this.connections.gaps(account),
      this.records.lastDataByProvider(account),
      this.audits.provenIn(account, range),
    ]);
    return { connections, streams, covered, histories, undone, rejected, gaps, heard, proofs };
  }

  private evidence({ provider, resource: name }: StreamName, known: KnownOfAccount): StreamEvidence[] {
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
        succession: this.succession(provider, known),
        availability: availabilityOf(connection, resource),
        history: known.histories.find(isIt) ?? null,
        stream,
        covered: known.covered.filter(isOver),
        gaps: known.gaps.get(provider) ?? [],
        heardUntil: known.heard.get(provider) ?? null,
        latenessMs: this.coverage.latenessMs,
        undone: known.undone.filter(isOver),
        rejected: known.rejected.filter(isOver),
        proofs: known.proofs.filter(isIt),
        nextPullFrom: stream && this.streams.nextPullFrom(stream),
      },
    ];
  }

  private succession(provider: string, { connections }: KnownOfAccount): StreamEvidence['succession'] {
    const found = successionOf(provider, this.clock.now());
    const isSuccessor = (one: Connection): boolean => one.provider === found?.successor && one.status === 'connected';
    return found && { ...found, isFollowed: connections.some(isSuccessor) };
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
