import { Injectable } from '@nestjs/common';
import { AccountsService } from '../accounts/accounts.service.js';
import { SyncConfig } from '../config/config.js';
import type { Tx } from '../database/tx.js';
import { Clock } from '../platform/clock.js';
import { DAY_MS, HOUR_MS, nextSlot, type TimeRange } from '../platform/time.js';
import type { PullStreamEntity } from './pull-stream.entity.js';
import {
  type NewStreams,
  type PulledWindow,
  PullStreamsRepository,
  type StreamKey,
} from './pull-streams.repository.js';

export type { StreamKey } from './pull-streams.repository.js';

/** What is pulled on schedule: one account, source and resource. */
export type PullStream = PullStreamEntity;

export interface ScheduleRule {
  readonly lookbackHours: number;
  readonly backfillDays: number;
}

/** Streams of the synced resources, and when each is pulled. `account` is `accounts.id`. */
@Injectable()
export class PullStreams {
  constructor(
    private readonly streams: PullStreamsRepository,
    private readonly accounts: AccountsService,
    private readonly config: SyncConfig,
    private readonly clock: Clock,
  ) {}

  /** A source was connected, or works again: its resources are pulled at once and then on schedule. */
  connect(tx: Tx, account: number, provider: string): Promise<void> {
    return this.streams.connect(tx, this.streamsOf(account, provider));
  }

  /**
   * Makes the streams of a connected source that are missing and leaves paused ones paused; answers how many are due.
   */
  add(tx: Tx, account: number, provider: string): Promise<number> {
    return this.streams.add(tx, this.streamsOf(account, provider));
  }

  /** A source failed for good or is gone: pulled one last time, then no more until it is connected again. */
  pause(tx: Tx, account: number, provider: string): Promise<void> {
    return this.streams.pause(tx, account, provider, this.clock.now());
  }

  /** Records of a source came: pulls it on schedule unless that is known already, or was ended by a disconnection. */
  async sourceSeen(tx: Tx, account: number, provider: string): Promise<void> {
    const added = await this.add(tx, account, provider);
    if (added > 0) await this.accounts.polls.request(tx, account, this.clock.now());
  }

  /** Streams that are due, longest due first, locked until the transaction ends. */
  due(tx: Tx, now: number, limit: number): Promise<PullStream[]> {
    return this.streams.due(tx, now, limit);
  }

  /** Gives streams that were due their next time, each its own place in the interval. */
  reschedule(tx: Tx, streams: readonly PullStream[], now: number): Promise<void> {
    return this.streams.reschedule(
      tx,
      streams.map((stream) => ({ ...stream, next_due_at: this.nextDue(stream, now) })),
    );
  }

  /** Notes that a window was pulled whole. */
  pulled(tx: Tx, stream: StreamKey, window: PulledWindow): Promise<void> {
    return this.streams.pulled(tx, stream, window);
  }

  list(account: number): Promise<PullStream[]> {
    return this.streams.list(account);
  }

  /** When the stream that waits longest was due, or will be; null without streams. */
  oldestDue(): Promise<number | null> {
    return this.streams.oldestDue();
  }

  /** How many accounts that can be pulled have streams. */
  countAccounts(): Promise<number> {
    return this.streams.countAccounts();
  }

  /** Those of the accounts that have streams. */
  accountsWith(tx: Tx, accounts: readonly number[]): Promise<Set<number>> {
    return this.streams.accountsWith(tx, accounts);
  }

  isSynced(resource: string): boolean {
    return this.config.resources.includes(resource);
  }

  /** Where the next regular pull of a stream begins; null when none is due. */
  nextPullFrom(stream: PullStream): number | null {
    if (stream.next_due_at === null || !this.isSynced(stream.resource)) return null;
    return regularWindow(stream.covered_until, this.clock.now(), this.config).start;
  }

  /** None for a paused stream, which was due for its last pull, and for a resource that is no longer synced. */
  private nextDue({ account_id, provider, resource, status }: PullStream, now: number): number | null {
    if (status === 'paused' || !this.isSynced(resource)) return null;
    return nextSlot(`${account_id}|${provider}|${resource}`, this.config.intervalSeconds * 1_000, now);
  }

  private streamsOf(account: number, provider: string): NewStreams {
    return { account, provider, resources: this.config.resources, now: this.clock.now() };
  }
}

/** What a stream is asked for at `now`: from its high-water mark less the look-back, or the first window. */
export function regularWindow(coveredUntil: number | null, now: number, rule: ScheduleRule): TimeRange {
  const start = coveredUntil === null ? now - rule.backfillDays * DAY_MS : coveredUntil - rule.lookbackHours * HOUR_MS;
  return { start: Math.min(start, now), end: now };
}
