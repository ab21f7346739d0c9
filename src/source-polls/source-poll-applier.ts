import { Injectable } from '@nestjs/common';
import { SourceChecks } from '../accounts/source-polls.service.js';
import type { Tx } from '../database/tx.js';
import { AccountFence } from '../erasure-guard/erasure-guard.service.js';
import { instant } from '../health-data/map-samples.js';
import { Clock } from '../platform/clock.js';
import { nextSlot } from '../pulls/slots.js';
import { TokenEvents } from '../tokens/tokens.telemetry.js';
import { connectedOf, SourceList } from './connection-reconciler.js';
import { HistoryRecorder } from './historical-pull-recorder.js';
import { LOOK_EVERY_MS, type OpenSince, soonerLook } from './next-poll-delay.js';
import type { Look } from './source-poll.js';

/** A connection so young may still get pulls that upstream has not scheduled yet. */
const YOUNG_MS = 3_600_000;

/** Makes the store agree with a look at an account's sources, and says when to look again: all in one transaction. */
@Injectable()
export class SourceCheckStore {
  constructor(
    private readonly sources: SourceList,
    private readonly checks: SourceChecks,
    private readonly history: HistoryRecorder,
    private readonly clock: Clock,
    private readonly tokenEvents: TokenEvents,
    private readonly fence: AccountFence,
  ) {}

  /** Answers what to report once it is stored. Throws `account_erased`. */
  async apply(tx: Tx, account: number, look: Look): Promise<() => void> {
    await this.fence.hold(tx, account);
    const now = this.clock.now();
    const linked = await this.sources.apply(tx, account, look);
    await this.history.record(tx, account, look.pulls);
    const sooner = soonerLook([...look.pulls, ...awaited(look, now)], now);
    const nextDueAt = sooner === null ? nextSlot(`look ${account}`, LOOK_EVERY_MS, now) : now + sooner;
    await this.checks.complete(tx, account, { now, nextDueAt });
    return () => {
      for (let told = 0; told < linked; told++) this.tokenEvents.connected(account);
    };
  }
}

/** Young connections that no pull is listed for, as if one were open. */
function awaited(look: Look, now: number): OpenSince[] {
  const listed = new Set(look.pulls.map(({ provider }) => provider));
  return connectedOf(look)
    .filter(({ slug }) => !listed.has(slug))
    .map(({ created_on }) => ({ status: 'awaited', scheduled_at: instant(created_on) }))
    .filter(({ scheduled_at }) => scheduled_at !== null && now - scheduled_at < YOUNG_MS);
}
