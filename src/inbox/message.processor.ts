import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/tx.js';
import { WriteLane } from '../database/write-lane.js';
import { ErasureGuard, isErasedError } from '../erasure-guard/erasure-guard.service.js';
import { type Effect, type IgnoredReason, readEnvelope } from '../events/event.js';
import { EventsService, UnknownUser } from '../events/events.service.js';
import { type BackoffPolicy, backoffDelay } from '../platform/backoff.js';
import { Clock } from '../platform/clock.js';
import { CodedError } from '../platform/errors.js';
import { WireShapeError } from '../platform/json-reader.js';
import { HOUR_MS } from '../platform/time.js';
import { UpstreamError } from '../upstream-transport/upstream-error.js';
import { type Claimed, InboxRepository, type Outcome } from './inbox.repository.js';
import { InboxTelemetry } from './inbox.telemetry.js';

/** Somebody else took the message when our lease had run out. */
class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** One attempt at a message, and what it has learned so far: stored with the outcome, whatever that is. */
interface Attempt {
  readonly message: Claimed;
  eventType: string | null;
  account: number | null;
  /** Upstream's id of the user the event names. */
  userId: string | null;
}

/** One attempt at one claimed message, from its bytes to its outcome; inbox.worker.ts tells the whole life of one. */
@Injectable()
export class MessageProcessor {
  constructor(
    private readonly lane: WriteLane,
    private readonly inbox: InboxRepository,
    private readonly events: EventsService,
    private readonly guard: ErasureGuard,
    private readonly clock: Clock,
    private readonly telemetry: InboxTelemetry,
  ) {}

  /** Never rejects: whatever goes wrong with one message is its own outcome. `body` is null when it is not kept. */
  async process(message: Claimed, body: Buffer | null, signal: AbortSignal): Promise<void> {
    const attempt: Attempt = { message, eventType: null, account: null, userId: null };
    try {
      await this.run(attempt, body, signal);
    } catch (error) {
      if (error instanceof LeaseLost) this.telemetry.outcomeNotStored(factsOf(attempt), error);
      else if (isErasedError(error)) await this.suppressLate(attempt);
      else if (signal.aborted) await this.release(attempt);
      else await this.fail(attempt, error);
    }
  }

  /** A null body means that retention deleted it between the replay and this claim. */
  private async run(attempt: Attempt, body: Buffer | null, signal: AbortSignal): Promise<void> {
    if (body === null) return this.ignore(attempt, 'body_not_kept');
    const event = readEnvelope(body);
    if (event.kind === 'ignore') return this.ignore(attempt, event.reason);
    const { envelope } = event;
    attempt.eventType = envelope.eventType;
    attempt.userId = envelope.userId;
    let owner = await this.events.owner(envelope);
    if (owner.kind === 'erased') return this.suppress(attempt);
    if (owner.kind === 'account') attempt.account = owner.account;
    const plan = this.events.plan(envelope, attempt.message);
    if (plan.kind === 'ignore') return this.ignore(attempt, plan.reason);
    if (owner.kind === 'unknown') owner = await owner.adopt(signal);
    if (owner.kind !== 'account') return this.ignore(attempt, 'foreign_team');
    attempt.account = owner.account;
    await this.complete(attempt, plan.effect, owner.account);
  }

  private async complete(attempt: Attempt, effect: Effect, account: number): Promise<void> {
    const started = performance.now();
    const now = this.clock.now();
    let reports: (() => void)[] = [];
    await this.store(attempt, { status: 'done' }, async (tx) => {
      reports = [];
      await effect(tx, { account, now, afterCommit: (report) => reports.push(report) });
    });
    this.telemetry.done(factsOf(attempt), (performance.now() - started) / 1000);
    for (const report of reports) report();
  }

  private async ignore(attempt: Attempt, reason: IgnoredReason): Promise<void> {
    await this.store(attempt, { status: 'ignored', reason });
    this.telemetry.ignored(factsOf(attempt), reason);
  }

  /** Of an erased person nothing is kept but that a message came: its body is deleted together with the mark. */
  private async suppress(attempt: Attempt): Promise<void> {
    attempt.account = null;
    await this.store(attempt, { status: 'ignored', reason: 'account_erased' }, async (tx) => {
      await this.inbox.dropBody(tx, attempt.message.seq);
      if (attempt.userId !== null) await this.guard.countIfErased(tx, attempt.userId);
    });
    this.telemetry.ignored(factsOf(attempt), 'account_erased');
  }

  /** The person was erased while the message was being processed. */
  private async suppressLate(attempt: Attempt): Promise<void> {
    await this.suppress(attempt).catch((error: unknown) => this.telemetry.outcomeNotStored(factsOf(attempt), error));
  }

  /** Defers the message or buries it. */
  private async fail(attempt: Attempt, error: unknown): Promise<void> {
    const { attempts, receivedAt } = attempt.message;
    const outcome = outcomeOf(error, { attempts, ageMs: this.clock.now() - receivedAt });
    try {
      await this.store(attempt, outcome);
      if (outcome.status === 'dead') this.telemetry.buried(factsOf(attempt), outcome, error);
      else this.telemetry.deferred(factsOf(attempt), outcome, error);
    } catch (second) {
      if (isErasedError(second)) return this.suppressLate(attempt);
      this.telemetry.outcomeNotStored(factsOf(attempt), second);
    }
  }

  private async release(attempt: Attempt): Promise<void> {
    await this.lane
      .run((tx) => this.inbox.release(tx, [attempt.message]))
      .catch((error: unknown) => this.telemetry.outcomeNotStored(factsOf(attempt), error));
  }

  /**
   * Outcome and effect hold together or not at all. The outcome is written first, because that finds out whether the
   * lease is still ours: an attempt that comes too late writes nothing. Throws `LeaseLost`, and `account_erased` when
   * the account is no longer to be written to.
   */
  private async store(attempt: Attempt, outcome: Outcome, effect?: (tx: Tx) => Promise<void>): Promise<void> {
    const now = this.clock.now();
    await this.lane.run(async (tx) => {
      if (attempt.account !== null) await this.guard.assertWritable(tx, attempt.account);
      if (!(await this.inbox.end(tx, attempt.message, { ...attempt, outcome, now }))) throw new LeaseLost();
      await effect?.(tx);
    });
  }
}

function factsOf({ message, eventType, account }: Attempt): Parameters<InboxTelemetry['done']>[0] {
  return { messageId: message.messageId, attempts: message.attempts, eventType, account };
}

/*
 * What a failed attempt means for its message.
 *
 * - Waiting for others (upstream down or throttling, the store not taking writes): tried again for as long as it
 *   takes; the attempt does not count. The pause grows with the age of the message.
 * - Pointless to repeat (data that cannot be used): dead at once.
 * - Upstream does not know the user: dead after a few attempts, since a user made a moment ago may not show yet.
 * - Anything else: 12 attempts over about six hours, then dead.
 */

const MAX_ATTEMPTS = 12;
const MAX_ATTEMPTS_FOR_USER = 5;
const MIN_WAIT_MS = 5_000;
const MAX_WAIT_MS = 600_000;
const policy: BackoffPolicy = { baseMs: 5_000, capMs: HOUR_MS, factor: 3, jitter: 0.2 };

export interface FailedAttempt {
  /** This one included. */
  readonly attempts: number;
  /** Since the first receipt, in milliseconds. */
  readonly ageMs: number;
}

export function outcomeOf(
  error: unknown,
  attempt: FailedAttempt,
  random: () => number = Math.random,
): Extract<Outcome, { status: 'retry' | 'dead' }> {
  if (isWaiting(error)) {
    return { status: 'retry', reason: error.code, delayMs: waitFor(error, attempt, random), counts: false };
  }
  const reason = reasonOf(error);
  if (error instanceof WireShapeError || reason === 'account_id_not_allowed') return { status: 'dead', reason };
  const max = error instanceof UnknownUser ? MAX_ATTEMPTS_FOR_USER : MAX_ATTEMPTS;
  if (attempt.attempts >= max) return { status: 'dead', reason };
  return { status: 'retry', reason, delayMs: backoffDelay(policy, attempt.attempts, random), counts: true };
}

function isWaiting(error: unknown): error is CodedError {
  if (error instanceof UpstreamError) return error.isTransient;
  return error instanceof CodedError && (error.code === 'storage_unavailable' || error.code === 'shutting_down');
}

function waitFor(error: CodedError, { ageMs }: FailedAttempt, random: () => number): number {
  const asked = (error.retryAfterSeconds ?? 0) * 1000;
  const grown = Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, ageMs / 2));
  return Math.round(Math.max(asked, grown) * (1 + policy.jitter * random()));
}

/** A code of ours; never a text of the error. */
function reasonOf(error: unknown): string {
  if (error instanceof WireShapeError) return 'unreadable_data';
  if (error instanceof UnknownUser) return 'unknown_user';
  return error instanceof CodedError ? error.code : 'internal';
}
