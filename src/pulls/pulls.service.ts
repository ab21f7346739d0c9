import { Injectable } from '@nestjs/common';
import { SourcePolls } from '../accounts/source-polls.service.js';
import { pulledResources, resourceByName } from '../catalogue/catalogue.js';
import { SyncConfig } from '../config/config.js';
import { PullStreamsRepository } from '../coverage/pull-streams.repository.js';
import type { Tx } from '../database/tx.js';
import type { ConflictRange } from '../health-data/health-data.service.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { HistoricalPullRecorder, type SourceHistory } from '../source-polls/historical-pull-recorder.js';
import { factsOfEvent } from '../source-polls/pull-facts.js';
import type { TaskOrigin } from './pull-task.entity.js';
import { PullTasksRepository } from './pull-tasks.repository.js';
import { regularWindow, wholeHours } from './windows.js';

/** A pull to make. Times in epoch milliseconds. */
export interface PullRequest {
  readonly account: number;
  /** Provider slug; empty for every source. */
  readonly provider: string;
  /** Name of the catalogue. */
  readonly resource: string;
  readonly origin: TaskOrigin;
  readonly start: number;
  readonly end: number;
}

export interface HistoryCompletion {
  readonly provider: string;
  /** Upstream's event name of the resource: `fat`, not `body_fat`. */
  readonly eventResource: string;
  readonly start: number;
  readonly end: number;
  /** When the message was first received. */
  readonly at: number;
}

/**
 * What other features ask of sync. Every method stores its intent in the caller's transaction and returns; the workers
 * act on it later. `account` is the internal number of an account.
 */
@Injectable()
export class PullsService {
  constructor(
    private readonly tasks: PullTasksRepository,
    private readonly streams: PullStreamsRepository,
    private readonly history: HistoricalPullRecorder,
    private readonly checks: SourcePolls,
    private readonly config: SyncConfig,
    private readonly clock: Clock,
  ) {}

  /** Stores a pull to make and answers the id of its task; an equal one that waits absorbs it. */
  request(tx: Tx, { account, provider, resource, origin, start, end }: PullRequest): Promise<number> {
    return this.tasks.request(tx, { account, provider, resource, origin, window: { start, end } }, this.clock.now());
  }

  /** Asks for another look at stretches on which two looks disagreed; neighbouring ones become one pull. */
  async requestRefetch(tx: Tx, account: number, resource: string, stretches: readonly ConflictRange[]): Promise<void> {
    if (!pulledResources.includes(resource)) return;
    for (const { provider, ...stretch } of stretches) {
      await this.request(tx, { account, provider, resource, origin: 'reread', ...wholeHours(stretch) });
    }
  }

  /** A source was connected, or works again: its resources are pulled at once and then on schedule. */
  async connected(tx: Tx, account: number, provider: string, now: number): Promise<void> {
    await this.streams.connect(tx, { account, provider, resources: this.config.resources, now });
    await this.checks.request(tx, account, now);
  }

  /** Records of a source came: pulls it on schedule unless that is known already, or was ended by a disconnection. */
  async sourceSeen(tx: Tx, account: number, provider: string, now: number): Promise<void> {
    const added = await this.streams.add(tx, { account, provider, resources: this.config.resources, now });
    if (added > 0) await this.checks.request(tx, account, now);
  }

  /** A source failed for good or is gone: pulled one last time, then no more until it is connected again. */
  async disconnected(tx: Tx, account: number, provider: string): Promise<void> {
    await this.streams.pause(tx, account, provider, this.clock.now());
  }

  /** Upstream has pulled a source's history: notes it, and fetches its range if the resource is one we sync. */
  async historyComplete(tx: Tx, account: number, completion: HistoryCompletion): Promise<void> {
    await this.history.record(tx, account, [factsOfEvent(completion)]);
  }

  /**
   * Whether upstream's history is stored whole, for each source and resource that is pulled or was: `unknown` where
   * upstream has no record of a pull.
   */
  async historyState(account: number): Promise<SourceHistory[]> {
    const known = await this.history.states(account);
    const told = new Set(known.map(({ provider, resource }) => `${provider}|${resource}`));
    const streams = await this.streams.list(account);
    const untold = streams.filter(({ provider, resource }) => !told.has(`${provider}|${resource}`));
    return [...known, ...untold.map(({ provider, resource }) => ({ provider, resource, state: 'unknown' as const }))];
  }

  /**
   * Asks for an account's resources of every source: by default those synced, over the first window, up to now. Answers
   * the ids of the tasks. Throws `invalid_request` for a resource that cannot be pulled or a window that is empty.
   */
  async requestAccount(
    tx: Tx,
    account: number,
    wish: { resources?: readonly string[] | undefined; start?: number | undefined; end?: number | undefined },
    origin: TaskOrigin,
  ): Promise<number[]> {
    const now = this.clock.now();
    const end = Math.min(wish.end ?? now, now);
    const start = wish.start ?? regularWindow(null, end, this.config).start;
    if (start >= end)
      throw refused('end', 'The window ends before it starts.', 'end must be after start, which must be in the past');
    const resources = [...new Set(wish.resources ?? this.config.resources)];
    if (!resources.every((name) => resourceByName(name)?.pulled)) {
      throw refused('resources', 'A resource cannot be pulled.', 'resources must be names of pulled resources');
    }
    const ids: number[] = [];
    for (const resource of resources) {
      ids.push(await this.request(tx, { account, provider: '', resource, origin, start, end }));
    }
    return ids;
  }
}

function refused(field: string, sentence: string, message: string): AppError {
  return new AppError('invalid_request', sentence, { fields: [{ field, message }] });
}
