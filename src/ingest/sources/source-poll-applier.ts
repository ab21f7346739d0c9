import { Injectable } from '@nestjs/common';
import { AccountsService, type SourcePollRow } from '../../accounts/accounts/accounts.service.js';
import { assertWritable } from '../../accounts/erasure-guard/open-accounts.js';
import { Clock } from '../../platform/platform/clock.js';
import { HOUR_MS, nextSlot, parseUtcInstant } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import { POLL_INTERVAL_MS } from '../streams/tuning.js';
import { ConnectionReconciler, connectedOf } from './connection-reconciler.js';
import { DeviceLooks } from './device-looks.js';
import { HistoricalPulls } from './historical-pulls.service.js';
import { nextPollDelay, type OpenSince } from './next-poll-delay.js';
import type { PollResult } from './source-poll.js';

/** For a connection younger than this, upstream may not have scheduled its pulls yet. */
const YOUNG_MS = HOUR_MS;

const none = { listed: [], unreadable: [], hasNameless: false };

/** Stores the result of a poll and the time of the next one in one transaction. */
@Injectable()
export class SourcePollApplier {
  constructor(
    private readonly reconciler: ConnectionReconciler,
    private readonly accounts: AccountsService,
    private readonly historicalPulls: HistoricalPulls,
    private readonly devices: DeviceLooks,
    private readonly clock: Clock,
  ) {}

  /** For an account whose user is gone: disconnects all sources and stops all pulls. */
  async end(tx: Tx, held: SourcePollRow): Promise<void> {
    const { account_id: account } = held;
    const now = this.clock.now();
    await this.reconciler.apply(tx, account, {
      connections: none,
      pulls: [],
      devices: null,
      user: null,
      at: now,
      cutOff: null,
    });
    await this.reconciler.stop(tx, account);
    await this.accounts.polls.complete(tx, held, { now, nextDueAt: null, code: null });
  }

  /** Throws `account_erased` and `LeaseLost`. */
  async apply(tx: Tx, held: SourcePollRow, poll: PollResult): Promise<void> {
    const { account_id: account } = held;
    await assertWritable(tx, account);
    const now = this.clock.now();
    await this.reconciler.apply(tx, account, poll);
    await this.devices.apply(tx, account, poll);
    const stored = poll.user && (await this.accounts.findById(account, tx));
    if (poll.user && stored) await this.accounts.follow(tx, [poll.user], [stored]);
    await this.historicalPulls.record(tx, account, poll.pulls);
    const sooner = nextPollDelay([...poll.pulls, ...awaited(poll, now)], now);
    const nextDueAt = sooner === null ? nextSlot(`look ${account}`, POLL_INTERVAL_MS, now) : now + sooner;
    await this.accounts.polls.complete(tx, held, { now, nextDueAt, code: poll.cutOff, withUser: poll.user !== null });
  }
}

/** Young connections without a listed pull, which are treated as if one were open. */
function awaited(poll: PollResult, now: number): OpenSince[] {
  const listed = new Set(poll.pulls.map(({ provider }) => provider));
  return connectedOf(poll)
    .filter(({ slug }) => !listed.has(slug))
    .map(({ created_on }) => ({ status: 'awaited', scheduled_at: parseUtcInstant(created_on) }))
    .filter(({ scheduled_at }) => scheduled_at !== null && now - scheduled_at < YOUNG_MS);
}
