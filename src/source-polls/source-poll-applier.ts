import { Injectable } from '@nestjs/common';
import { SourcePolls } from '../accounts/source-polls.service.js';
import type { Tx } from '../database/tx.js';
import { ErasureGuard } from '../erasure-guard/erasure-guard.service.js';
import { Clock } from '../platform/clock.js';
import { HOUR_MS, lenientInstant } from '../platform/time.js';
import { nextSlot } from '../pulls/slots.js';
import { TokensTelemetry } from '../tokens/tokens.telemetry.js';
import { ConnectionReconciler, connectedOf } from './connection-reconciler.js';
import { HistoricalPullRecorder } from './historical-pull-recorder.js';
import { nextPollDelay, type OpenSince, POLL_INTERVAL_MS } from './next-poll-delay.js';
import type { PollResult } from './source-poll.js';

/** A connection so young may still get pulls that upstream has not scheduled yet. */
const YOUNG_MS = HOUR_MS;

/** Makes the store agree with a look at an account's sources, and says when to look again: all in one transaction. */
@Injectable()
export class SourcePollApplier {
  constructor(
    private readonly sources: ConnectionReconciler,
    private readonly checks: SourcePolls,
    private readonly history: HistoricalPullRecorder,
    private readonly clock: Clock,
    private readonly tokenEvents: TokensTelemetry,
    private readonly fence: ErasureGuard,
  ) {}

  /** Answers what to report once it is stored. Throws `account_erased`. */
  async apply(tx: Tx, account: number, look: PollResult): Promise<() => void> {
    await this.fence.assertWritable(tx, account);
    const now = this.clock.now();
    const linked = await this.sources.apply(tx, account, look);
    await this.history.record(tx, account, look.pulls);
    const sooner = nextPollDelay([...look.pulls, ...awaited(look, now)], now);
    const nextDueAt = sooner === null ? nextSlot(`look ${account}`, POLL_INTERVAL_MS, now) : now + sooner;
    await this.checks.complete(tx, account, { now, nextDueAt });
    return () => {
      for (let told = 0; told < linked; told++) this.tokenEvents.connected(account);
    };
  }
}

/** Young connections that no pull is listed for, as if one were open. */
function awaited(look: PollResult, now: number): OpenSince[] {
  const listed = new Set(look.pulls.map(({ provider }) => provider));
  return connectedOf(look)
    .filter(({ slug }) => !listed.has(slug))
    .map(({ created_on }) => ({ status: 'awaited', scheduled_at: lenientInstant(created_on) }))
    .filter(({ scheduled_at }) => scheduled_at !== null && now - scheduled_at < YOUNG_MS);
}
