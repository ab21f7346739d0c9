import { Injectable } from '@nestjs/common';
import { writableAmong } from '../../accounts/erasure-guard/open-accounts.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import type { Change } from '../../storage/change-log/change.js';
import { ChangeLog } from '../../storage/change-log/change-log.service.js';
import { cursorOf, type Position } from '../../storage/change-log/cursor.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { pauseFor } from '../../storage/work/retry.js';
import {
  MAX_CHANGES_A_PAGE,
  MAX_CHANGES_A_PAGE_WITH_VALUES,
  MAX_FAILURES,
  MAX_FLOW_TURN_MS,
  MAX_PROBES,
  MAX_PUSHES_TOGETHER,
} from '../feed/tuning.js';
import { filterOf } from './change-filter.js';
import { positionOf, positionText } from './place-in-feed.js';
import { PushSender } from './push.sender.js';
import { PushTelemetry } from './push.telemetry.js';
import type { PushAnswer } from './push-answer.js';
import {
  concernsEveryone,
  endpointRetry,
  GIVE_UP_MS,
  laneOf,
  laneRetry,
  lastSettled,
  planOf,
  type Sent,
  sampleOf,
  verdictOn,
} from './push-rules.js';
import { type NewPush, PushesRepository } from './pushes.repository.js';
import { type DisabledReason, showsValues } from './subscription.entity.js';
import { type SubscriptionRow, SubscriptionsRepository } from './subscriptions.repository.js';

/*
 * Sends new changes of the feed to one endpoint. Its row is leased, so that no other process sends to it.
 *
 * The changes of a page are sent sequentially within an account, and in parallel across accounts. Then one transaction
 * stores the outcome of each change and the new position in the feed. If the process dies before that, the page is sent
 * again, with the same ids.
 *
 *   something arrived, an account failed   its changes wait in a lane (push-lanes.worker.ts), others are sent
 *   an account is not done in time         the same
 *   nothing arrived                        nothing is stored; the page is sent again after a growing pause. The next
 *                                          attempt begins with a few changes of random accounts, also of accounts
 *                                          beyond the page
 *   nothing arrived for three days, or 410 the subscription is disabled
 */

interface Sending {
  readonly send: (change: Change, signal: AbortSignal) => Promise<PushAnswer>;
  readonly signal: AbortSignal;
  /** No push begins after this time of the monotonic clock. */
  readonly endsAt: number;
}

/** A page of changes and what is known about them. */
interface Read {
  readonly changes: readonly Change[];
  readonly next: Position;
  readonly isUpToDate: boolean;
  readonly recorded: ReadonlySet<number>;
  readonly blocked: ReadonlySet<number>;
  /** While the endpoint is failing: first changes of a few accounts that have none on the page. */
  readonly beyond: readonly Change[];
}

/** A page after sending; `behind`: changes that must wait. */
interface Done extends Read {
  readonly behind: readonly Change[];
  readonly sent: readonly Sent[];
}

@Injectable()
export class PushFlow {
  constructor(
    private readonly log: ChangeLog,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly pushes: PushesRepository,
    private readonly sender: PushSender,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly telemetry: PushTelemetry,
  ) {}

  /** Sends the changes of a claimed subscription until none are left or its time is up. Throws `LeaseLost`. */
  async run(claimed: SubscriptionRow, signal: AbortSignal): Promise<void> {
    const endsAt = this.clock.monotonic() + MAX_FLOW_TURN_MS;
    let row: SubscriptionRow | null = claimed;
    const fault = await this.faultOf(claimed);
    if (fault !== null) return this.disable(claimed, fault);
    while (row !== null) row = await this.step(row, signal, endsAt);
  }

  /** Disables a subscription until an operator enables it. `last`: how its last push failed, if that is why. */
  async disable(
    row: SubscriptionRow,
    reason: DisabledReason,
    last?: { readonly code: string; readonly status: number | null },
  ): Promise<void> {
    const change = { state: 'disabled', reason, ...(last && { last_status: last.status }) } as const;
    await this.lane.run((tx) => this.subscriptions.rows.bury(tx, row, last?.code ?? reason, change));
    this.telemetry.disabled(row.id, reason);
  }

  /** Sends one page. Returns the row to continue with; null once the row is released. */
  private async step(row: SubscriptionRow, signal: AbortSignal, endsAt: number): Promise<SubscriptionRow | null> {
    const page = await this.page(row);
    const plan = planOf(page.changes, page.recorded, page.blocked);
    const behind = plan.behind;
    const lanes = [...plan.lanes, ...page.beyond.map((change) => [change])];
    const send = await this.sender.prepare(row, lanes.flat());
    const pageEndsAt = this.clock.monotonic() + MAX_FLOW_TURN_MS;
    const sent = await this.sendAll(lanes, { send, signal, endsAt: pageEndsAt, isProbing: row.failing_since !== null });
    const isLate = !signal.aborted && this.clock.monotonic() >= pageEndsAt;
    const verdict = verdictOn(sent);
    if (verdict.then === 'retry_all') return this.retryAll(row, verdict.answer);
    const isOver = signal.aborted || this.clock.monotonic() >= endsAt || verdict.then === 'end' || verdict.pauseMs > 0;
    const now = this.clock.now();
    const done = { ...page, behind: [...behind, ...behindSent(lanes, sent, isLate)], sent };
    const after = await this.lane.run(async (tx) => {
      const change = {
        ...(await this.record(tx, row, done, now)),
        ...(arrived(sent) && arrivedAt(now)),
        // The changes that failed are no longer in the feed.
        ...(lanes.length === 0 && { failing_since: null }),
      };
      if (!isOver && !page.isUpToDate) return this.subscriptions.rows.heartbeat(tx, row, now, change);
      const dueAt = now + (verdict.then === 'go_on' ? verdict.pauseMs : 0);
      await this.subscriptions.rows.complete(tx, row, dueAt, change);
      return null;
    });
    for (const { change, answer } of sent.filter(failed)) {
      this.telemetry.accountFailed(row.id, laneOf(change), answer.error ?? 'status');
    }
    if (verdict.then === 'end') await this.end(row);
    return after;
  }

  private async page(row: SubscriptionRow): Promise<Read> {
    const { changes, next, isUpToDate } = await this.log.page(positionOf(row), {
      limit: showsValues(row.payload) ? MAX_CHANGES_A_PAGE_WITH_VALUES : MAX_CHANGES_A_PAGE,
      shows: filterOf(row),
      account: row.account_id ?? undefined,
    });
    const [recorded, blocked] = await this.pastOf(row, changes, next.number);
    const beyond = row.failing_since === null || isUpToDate ? [] : await this.beyond(row, changes, next);
    return { changes, next, isUpToDate, recorded, blocked, beyond };
  }

  /** The recorded numbers up to `last`, and the waiting accounts of these changes. */
  private async pastOf(
    row: SubscriptionRow,
    changes: readonly Change[],
    last: number,
  ): Promise<[recorded: Set<number>, blocked: Set<number>]> {
    if (changes.length === 0) return [new Set(), new Set()];
    return Promise.all([
      this.pushes.recorded(row.id, row.number, last, row.round),
      this.pushes.blocked(row.id, changes.map(laneOf)),
    ]);
  }

  /** First changes of accounts beyond the page: a page with only failing accounts would hide a working endpoint. */
  private async beyond(row: SubscriptionRow, before: readonly Change[], after: Position): Promise<Change[]> {
    const known = new Set(before.map(laneOf));
    const wants = filterOf(row);
    const { changes, next } = await this.log.page(after, {
      limit: MAX_PROBES * MAX_CHANGES_A_PAGE,
      shows: (change) => !known.has(laneOf(change)) && wants(change),
      account: row.account_id ?? undefined,
    });
    const { lanes } = planOf(changes, ...(await this.pastOf(row, changes, next.number)));
    return lanes.slice(0, MAX_PROBES).flatMap(([first]) => first ?? []);
  }

  /** Sends changes until all are sent, the signal aborts, time is up, or the endpoint seems to be down. */
  private async sendAll(
    lanes: readonly (readonly Change[])[],
    { isProbing, ...how }: Sending & { isProbing: boolean },
  ): Promise<Sent[]> {
    if (!isProbing) return this.burst(lanes, how);
    const probed = sampleOf(lanes, MAX_PROBES);
    const probes = await this.burst(
      probed.map((each) => each.slice(0, 1)),
      how,
    );
    if (!arrived(probes)) return probes;
    const ends = new Map(probes.map((each) => [each.change, each]));
    const rest = lanes.flatMap((each) => {
      const probe = each[0] && ends.get(each[0]);
      if (!probe) return [each];
      return failed(probe) ? [] : [each.slice(1)];
    });
    return [...probes, ...(await this.burst(rest, how))];
  }

  private async burst(lanes: readonly (readonly Change[])[], { send, signal, endsAt }: Sending): Promise<Sent[]> {
    const sent: Sent[] = [];
    const left = lanes.values();
    let failures = 0;
    let isStopped = false;
    const place = async (): Promise<void> => {
      for (const each of left) {
        for (const change of each) {
          if (isStopped || signal.aborted || this.clock.monotonic() >= endsAt) return;
          const answer = await send(change, signal).catch(ifAborted(signal));
          if (answer === null) return;
          sent.push({ change, answer });
          if (answer.error === null) continue;
          failures += 1;
          if (concernsEveryone(answer) || (failures >= MAX_FAILURES && !arrived(sent))) isStopped = true;
          break;
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(MAX_PUSHES_TOGETHER, lanes.length) }, place));
    return sent;
  }

  /** Stores the outcomes; returns the columns of the new position in the feed. */
  private async record(
    tx: Tx,
    row: SubscriptionRow,
    { changes, recorded, behind, sent, next }: Done,
    now: number,
  ): Promise<Partial<SubscriptionRow>> {
    const accounts = [...sent.map(({ change }) => change), ...behind].flatMap(({ account }) => account ?? []);
    const open = await writableAmong(tx, accounts);
    const isOpen = ({ account }: Change): boolean => account === null || open.has(account);
    const outcomes = sent.filter(({ change }) => isOpen(change));
    const waiting = behind.filter(isOpen);
    await this.pushes.record(tx, [
      ...outcomes.map(({ change, answer }) => this.pushOf(row, change, now, answer)),
      ...waiting.map((change) => this.pushOf(row, change, now, null)),
    ]);
    const due = new Map(waiting.map((change) => [laneOf(change), now]));
    for (const { change, answer } of outcomes.filter(failed)) {
      due.set(laneOf(change), now + Math.max(answer.retryAfterMs ?? 0, pauseFor(laneRetry, 1)));
    }
    const waits = [...due].map(([account, dueAt]) => ({ account, dueAt }));
    await this.pushes.wait(tx, row.id, waits, { now });
    const settled = new Set([
      ...recorded,
      ...[...sent.map(({ change }) => change), ...behind].map((each) => each.number),
    ]);
    const isWhole = changes.every(({ number }) => settled.has(number));
    const last = isWhole ? next : lastSettled(changes, settled);
    return last === null ? {} : { number: last.number, number_at: last.at };
  }

  private pushOf(
    { id, feed, round }: SubscriptionRow,
    change: Change,
    now: number,
    answer: PushAnswer | null,
  ): NewPush {
    const isDelivered = answer !== null && answer.error === null;
    return {
      subscription_id: id,
      number: change.number,
      change_id: cursorOf({ feed, number: change.number, at: change.at }),
      kind: change.kind,
      account_id: laneOf(change),
      state: isDelivered ? 'delivered' : 'waiting',
      round,
      attempts: answer === null ? 0 : 1,
      status: answer?.status ?? null,
      error_code: answer?.error ?? null,
      duration_ms: answer?.durationMs ?? null,
      created_at: now,
      waiting_since: isDelivered ? null : now,
      attempted_at: answer === null ? null : now,
    };
  }

  private async retryAll(row: SubscriptionRow, { error, status, retryAfterMs }: PushAnswer): Promise<null> {
    const now = this.clock.now();
    const since = row.failing_since ?? now;
    const code = error ?? 'status';
    if (now - since >= GIVE_UP_MS) {
      await this.disable(row, 'failing', { code, status });
      return null;
    }
    const delayMs = Math.max(retryAfterMs ?? 0, pauseFor(endpointRetry, row.attempts));
    const change = { failing_since: since, last_status: status };
    await this.lane.run((tx) =>
      this.subscriptions.rows.defer(tx, row, { dueAt: now + delayMs, code, counts: true }, change),
    );
    this.telemetry.endpointFailed(row.id, code, delayMs);
    return null;
  }

  /** Disables the subscription after a 410, with or without its lease, unless its URL has changed since. */
  async end({ id, url }: SubscriptionRow): Promise<void> {
    const change = { state: 'disabled', reason: 'gone', error_code: 'gone', last_status: 410, due_at: null } as const;
    const now = this.clock.now();
    const hasEnded = await this.lane.run(async (tx) => {
      const row = await this.subscriptions.get(tx, id);
      if (row?.url !== url) return false;
      return this.subscriptions.change(tx, id, { ...change, failing_since: row.failing_since ?? now });
    });
    if (hasEnded) this.telemetry.disabled(id, 'gone');
  }

  private async faultOf(row: SubscriptionRow): Promise<DisabledReason | null> {
    try {
      await this.log.positionOf(positionText(row));
      return null;
    } catch (error) {
      const code = error instanceof AppError ? error.code : null;
      if (code === 'cursor_expired') return 'fell_behind';
      if (code === 'feed_restarted' || code === 'cursor_ahead') return 'feed_restarted';
      throw error;
    }
  }
}

function failed({ answer }: Sent): boolean {
  return answer.error !== null;
}

function arrived(sent: readonly Sent[]): boolean {
  return sent.some(({ answer }) => answer.error === null);
}

function arrivedAt(now: number): Partial<SubscriptionRow> {
  return { failing_since: null, delivered_at: now, last_status: null };
}

/** Unsent changes of accounts that failed and, if the page took too long, of all accounts that were begun. */
function behindSent(lanes: readonly (readonly Change[])[], sent: readonly Sent[], isLate: boolean): Change[] {
  const answered = new Set(sent.map(({ change }) => change));
  const failures = new Set(sent.filter(failed).map(({ change }) => change));
  return lanes.flatMap((each) => {
    const left = each.filter((change) => !answered.has(change));
    const hasFailed = each.some((change) => failures.has(change));
    return hasFailed || (isLate && left.length < each.length) ? left : [];
  });
}

/** Turns an error into null if the signal caused it. */
export function ifAborted(signal: AbortSignal): (error: unknown) => null {
  return (error) => {
    if (signal.aborted) return null;
    throw error;
  };
}
