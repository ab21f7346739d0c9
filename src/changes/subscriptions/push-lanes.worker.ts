import { Injectable } from '@nestjs/common';
import { isWritable } from '../../accounts/erasure-guard/open-accounts.js';
import { Clock } from '../../platform/platform/clock.js';
import { ChangeLog } from '../../storage/change-log/change-log.service.js';
import { Reader } from '../../storage/database/reader.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { pauseFor } from '../../storage/work/retry.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { LANES_EVERY_MS, MAX_LANE_TURN_MS, MAX_LANES_CLAIMED, MAX_PUSHES_A_TURN } from '../feed/tuning.js';
import { ifAborted, PushFlow } from './push.flow.js';
import { PushSender } from './push.sender.js';
import { PushTelemetry } from './push.telemetry.js';
import type { PushAnswer } from './push-answer.js';
import { concernsEveryone, GIVE_UP_MS, laneRetry } from './push-rules.js';
import { type LaneRow, PushesRepository, type PushRow } from './pushes.repository.js';
import { type SubscriptionRow, SubscriptionsRepository } from './subscriptions.repository.js';

/*
 * Sends the waiting pushes of a lane (one account, one endpoint) in order. Leases: work/leased-rows.ts.
 *
 *   due      --claim-->      leased
 *   leased   --all sent-->   (no row)   push.flow.ts sends later changes of the account again
 *   leased   --some sent-->  due        immediately
 *   leased   --failed-->     due        after a growing pause or, if longer, the one that the receiver requested.
 *                                       Pushes that have waited for three days are given up
 *   leased   --paused-->     due        after the pause that the receiver requested for all accounts
 */

@Injectable()
export class PushLanesWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly pushes: PushesRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly log: ChangeLog,
    private readonly sender: PushSender,
    private readonly flow: PushFlow,
    private readonly reader: Reader,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly telemetry: PushTelemetry,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.registerQueue<LaneRow>({
      name: 'push_lanes',
      everyMs: LANES_EVERY_MS,
      batch: MAX_LANES_CLAIMED,
      sideBySide: true,
      rows: pushes.lanes,
      only: pushes.served,
      retry: laneRetry,
      handle: (row, signal) => this.handle(row, signal),
    });
  }

  private async handle(held: LaneRow, signal: AbortSignal): Promise<void> {
    const subscription = await this.subscriptions.get(this.reader, held.subscription_id);
    const pausedUntil = subscription?.due_at ?? 0;
    if (pausedUntil > this.clock.now()) return this.putOff(held, pausedUntil);
    const waiting = subscription === null ? [] : await this.pushes.waiting(held, MAX_PUSHES_A_TURN);
    const sent = subscription === null ? [] : await this.sendAll(subscription, waiting, signal);
    const failure = sent.find(({ error_code }) => error_code !== null && error_code !== 'expired') ?? null;
    await this.settle(held, sent, failure, subscription?.url ?? '');
    if (subscription && failure?.error_code === 'gone') await this.flow.end(subscription);
  }

  /** Defers the lane because the endpoint is not due: its receiver requested a pause, or serving it failed. */
  private async putOff(held: LaneRow, dueAt: number): Promise<void> {
    const code = held.error_code ?? 'paused';
    await this.lane.run((tx) => this.pushes.lanes.defer(tx, held, { dueAt, code, counts: false }));
  }

  /** Sends pushes until one fails or time is up; returns their updated rows. */
  private async sendAll(
    subscription: SubscriptionRow,
    waiting: readonly PushRow[],
    signal: AbortSignal,
  ): Promise<Outcome[]> {
    const endsAt = this.clock.monotonic() + MAX_LANE_TURN_MS;
    const sent: Outcome[] = [];
    for (const row of waiting) {
      if (signal.aborted || this.clock.monotonic() >= endsAt) break;
      const answer = await this.send(subscription, row, signal).catch(ifAborted(signal));
      if (answer === null) break;
      const pause = { retryAfterMs: answer.retryAfterMs ?? 0, isForAll: concernsEveryone(answer) };
      sent.push({ ...rowAfter(row, answer, this.clock.now()), ...pause });
      if (answer.error !== null && answer.error !== 'expired') break;
    }
    return sent;
  }

  private async send(subscription: SubscriptionRow, { number }: PushRow, signal: AbortSignal): Promise<PushAnswer> {
    const change = await this.log.find(number);
    if (change === null) return { error: 'expired', status: null, durationMs: 0 };
    return (await this.sender.prepare(subscription, [change]))(change, signal);
  }

  private async settle(held: LaneRow, sent: readonly Outcome[], failure: Outcome | null, url: string): Promise<void> {
    const { lanes } = this.pushes;
    const now = this.clock.now();
    const delayMs = failure === null ? 0 : Math.max(failure.retryAfterMs, pauseFor(laneRetry, held.attempts));
    const givenUp = await this.lane.run(async (tx) => {
      await lanes.assertHeld(tx, held);
      // If the account is being erased, its pushes must not be stored again.
      const isOpen = held.account_id === 0 || (await isWritable(tx, held.account_id));
      await this.pushes.record(tx, isOpen ? sent : []);
      const count = failure === null ? 0 : await this.pushes.giveUp(tx, held, now - GIVE_UP_MS);
      if (!isOpen || !(await this.pushes.anyWaiting(tx, held))) await this.pushes.endLane(tx, held);
      else if (failure === null) await lanes.complete(tx, held, now);
      else await lanes.defer(tx, held, { dueAt: now + delayMs, code: failure.error_code ?? 'status', counts: true });
      if (failure?.isForAll && (await this.subscriptions.hasAddress(tx, held.subscription_id, url))) {
        await this.subscriptions.pause(tx, held.subscription_id, now + failure.retryAfterMs);
      }
      return count;
    });
    this.telemetry.gaveUp(held.subscription_id, givenUp + sent.filter(({ state }) => state === 'given_up').length);
  }
}

/** `isForAll`: the pause requested by the receiver applies to all accounts. */
type Outcome = PushRow & { readonly retryAfterMs: number; readonly isForAll: boolean };

function rowAfter(row: PushRow, { error, status, durationMs }: PushAnswer, now: number): PushRow {
  const state = error === null ? 'delivered' : error === 'expired' ? 'given_up' : 'waiting';
  return {
    ...row,
    state,
    attempts: row.attempts + 1,
    status,
    error_code: error,
    duration_ms: durationMs,
    waiting_since: state === 'waiting' ? row.waiting_since : null,
    attempted_at: now,
  };
}
