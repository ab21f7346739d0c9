import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { pulledResources, resourceByEvent, resourceByName } from '../../health/catalogue/catalogue.js';
import { SyncConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { isFields } from '../../platform/platform/json-reader.js';
import { nextSlot, type TimeRange } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import type { PullStreamEntity } from './pull-stream.entity.js';
import { type NewStreams, PullStreamsRepository, type StreamKey } from './pull-streams.repository.js';
import { scheduledWindow } from './scheduled-window.js';
import { MAX_FIRST_PULL_WAIT_MS } from './tuning.js';

/** A scheduled stream: one account, source and resource. */
export type PullStream = PullStreamEntity;

/** Facts about a newly connected source. */
export interface ConnectedSource {
  /** Upstream's map of resource to availability. */
  readonly availability?: object | null | undefined;
  /** Epoch milliseconds. If it is long ago or missing, the first pull does not wait for upstream's history. */
  readonly connectedAt?: number | null | undefined;
}

/** A completely pulled window: `regular` if scheduled by the stream, requested at `requestedAt`. */
export interface PulledStream extends TimeRange {
  readonly regular: boolean;
  readonly requestedAt: number;
  readonly now: number;
}

/** Streams of the synced resources and their schedule. `account` is `accounts.id`. */
@Injectable()
export class PullStreams {
  constructor(
    private readonly streams: PullStreamsRepository,
    private readonly accounts: AccountsService,
    private readonly config: SyncConfig,
    private readonly clock: Clock,
  ) {}

  /**
   * Call when a source was connected or works again: its resources are pulled immediately and then on schedule.
   * Resources that were never pulled wait until upstream has pulled their history (`endWait`, `pulled`), or for at most
   * an hour after the connection. If every resource is synced and upstream's `availability` lists any as available,
   * only those are pulled.
   */
  connect(tx: Tx, account: number, provider: string, source: ConnectedSource = {}): Promise<void> {
    const now = this.clock.now();
    const waitMs = Math.min(MAX_FIRST_PULL_WAIT_MS, this.config.intervalSeconds * 1_000);
    const firstDueAt = Math.max(now, Math.min(source.connectedAt ?? 0, now) + waitMs);
    return this.streams.connect(tx, {
      ...this.streamsOf(account, provider, source.availability ?? null),
      firstDueAt,
    });
  }

  /**
   * Creates the missing streams of a connected source and leaves paused ones paused; returns the number of due ones.
   */
  add(tx: Tx, account: number, provider: string, availability: object | null = null): Promise<number> {
    return this.streams.add(tx, this.streamsOf(account, provider, availability));
  }

  /** Call when a source failed permanently or is gone: it is pulled one last time, then paused until it reconnects. */
  pause(tx: Tx, account: number, provider: string): Promise<void> {
    return this.streams.pause(tx, account, provider, this.clock.now());
  }

  /** Call if upstream no longer has the account's user: stops all pulls until a source is connected again. */
  stop(tx: Tx, account: number): Promise<void> {
    return this.streams.stop(tx, account);
  }

  /** Call when records of a source arrived: schedules its pulls unless they are scheduled, or paused, already. */
  async sourceSeen(tx: Tx, account: number, provider: string, resource: string): Promise<void> {
    const added = await this.add(tx, account, provider, { [resource]: { status: 'available' } });
    if (added > 0) await this.accounts.polls.request(tx, account);
  }

  /**
   * Sets the next due time of streams that were due, spread over the interval. `isRequested`: the stream's pull up to
   * now is stored.
   */
  reschedule(
    tx: Tx,
    streams: readonly PullStream[],
    isRequested: (stream: PullStream) => boolean,
    now: number,
  ): Promise<void> {
    return this.streams.reschedule(
      tx,
      streams.map((stream) => ({ ...stream, next_due_at: this.nextDue(stream, isRequested(stream), now) })),
    );
  }

  /** All streams of an account, also paused ones. */
  list(account: number): Promise<PullStream[]> {
    return this.streams.list(account);
  }

  /** Resources of the streams of each account; accounts without streams are omitted. */
  offered(tx: Tx, accounts: readonly number[]): Promise<Map<number, Set<string>>> {
    return this.streams.offered(tx, accounts);
  }

  /** Records a completely pulled window. A stream's first window is a regular one, or any that starts as early. */
  pulled(tx: Tx, stream: StreamKey, { start, end, regular, requestedAt, now }: PulledStream): Promise<void> {
    const mayBeFirst = regular || start <= scheduledWindow(null, requestedAt, this.config).start;
    const nextAfterFirst = mayBeFirst ? this.slotOf(stream, now) : null;
    return this.streams.pulled(tx, stream, { start, end, now, nextAfterFirst });
  }

  /** Call when upstream reported that the history of a stream has nothing to pull: its first pull is due now. */
  endWait(tx: Tx, stream: StreamKey): Promise<void> {
    return this.streams.endWait(tx, stream, this.clock.now());
  }

  /** The first window of a stream that was never pulled; null for any other. */
  async firstWindow(tx: Tx, stream: StreamKey): Promise<TimeRange | null> {
    return (await this.streams.wasNeverPulled(tx, stream))
      ? scheduledWindow(null, this.clock.now(), this.config)
      : null;
  }

  /** Time in milliseconds by which the most overdue stream missed its next complete window. */
  async lagMs(): Promise<number> {
    const promised = await this.streams.oldestPromise();
    return promised === null ? 0 : Math.max(0, this.clock.now() - promised);
  }

  isSynced(resource: string): boolean {
    return this.config.resources.includes(resource);
  }

  /** Start of the next regular pull of a stream; null if none is due. */
  nextPullFrom(stream: PullStream): number | null {
    if (stream.next_due_at === null || !this.isSynced(stream.resource)) return null;
    return this.windowOf(stream, this.clock.now()).start;
  }

  /** The window of a stream at `now`. */
  windowOf({ covered_until }: PullStream, now: number): TimeRange {
    return scheduledWindow(covered_until, now, this.config);
  }

  /** Null for a paused stream whose last pull is requested, and for a resource that is no longer synced. */
  private nextDue(stream: PullStream, isRequested: boolean, now: number): number | null {
    const { account_id, provider, resource, status } = stream;
    if ((status === 'paused' && isRequested) || !this.isSynced(resource)) return null;
    return this.slotOf({ account: account_id, provider, resource }, now);
  }

  private slotOf({ account, provider, resource }: StreamKey, now: number): number {
    return nextSlot(`${account}|${provider}|${resource}`, this.config.intervalSeconds * 1_000, now);
  }

  private streamsOf(account: number, provider: string, availability: object | null): NewStreams {
    const { resources } = this.config;
    const available = resources.length < pulledResources.length ? null : availableIn(availability);
    const wanted = available === null ? resources : resources.filter((name) => available.has(name));
    const now = this.clock.now();
    return { account, provider, resources: wanted, now, firstDueAt: now };
  }
}

/**
 * Catalogue names of the resources that upstream lists as available, by path name or event name
 * (docs/upstream/connections.md#resource-availability); null if it lists none.
 */
function availableIn(availability: object | null): ReadonlySet<string> | null {
  const named = Object.entries(availability ?? {}).flatMap(([name, word]) => {
    const resource = resourceByName(name) ?? resourceByEvent(name);
    return resource && isFields(word) && word['status'] === 'available' ? [resource.name] : [];
  });
  return named.length === 0 ? null : new Set(named);
}
