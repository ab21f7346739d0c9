import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/tx.js';
import { WriteLane } from '../database/write-lane.js';
import { ErasureFences } from '../erasure-guard/erasure-fences.service.js';
import { ErasureGuard, isErasedError, type KnownAccount } from '../erasure-guard/erasure-guard.service.js';
import type { ApplyPlan, Effect, Envelope, IgnoredReason, OpenBody, Target } from '../events/event.js';
import { EventsService } from '../events/events.service.js';
import { OwnerLookups, type UserKey } from '../owner-lookups/owner-lookups.service.js';
import type { KeyProblem } from '../person-keys/person-keys.service.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { WireShapeError } from '../platform/json-reader.js';
import { HOUR_MS } from '../platform/time.js';
import { type Change, LeaseLost } from '../work/leased-rows.js';
import {
  Abandoned,
  abandonedCode,
  classify,
  isSpent,
  type Judgement,
  type RetryPolicy,
  type Verdict,
  verdictOn,
} from '../work/retry.js';
import { InboxRepository } from './inbox.repository.js';
import { InboxTelemetry } from './inbox.telemetry.js';
import type { MessageEntity } from './message.entity.js';

/** What ends an attempt that did not fail. */
type Outcome =
  | { readonly status: 'done'; readonly reason?: string }
  | { readonly status: 'ignored'; readonly reason: string };

/** Nothing can be done with the event, whenever it is tried: `reason` says why. */
class UnusableEvent extends Error {
  override readonly name = 'UnusableEvent';

  constructor(readonly reason: string) {
    super('the event cannot be used');
  }
}

/** Null when it is not kept; or why it cannot be read. */
export type StoredBody = Buffer | KeyProblem | null;

/** One attempt at a message, and what it has learned so far: stored with the outcome, whatever that is. */
interface Attempt {
  readonly message: MessageEntity;
  eventType: string | null;
  account: KnownAccount | null;
  /** Upstream's id and the customer's of the user the event names. */
  userId: string | null;
  clientUserId: string | null;
  /** The store took no outcome, so the message is still ours. */
  isHeld: boolean;
}

/** One attempt at one claimed message, from its bytes to its outcome; inbox.worker.ts tells the whole life of one. */
@Injectable()
export class MessageProcessor {
  constructor(
    private readonly lane: WriteLane,
    private readonly inbox: InboxRepository,
    private readonly events: EventsService,
    private readonly lookups: OwnerLookups,
    private readonly guard: ErasureGuard,
    private readonly fences: ErasureFences,
    private readonly clock: Clock,
    private readonly telemetry: InboxTelemetry,
  ) {}

  /**
   * Never rejects: whatever goes wrong with one message is its own outcome. `body` is null when it is not kept. Answers
   * false where the store took no outcome, and the message has to be handed back.
   */
  async process(message: MessageEntity, body: StoredBody, signal: AbortSignal): Promise<boolean> {
    const attempt: Attempt = {
      message,
      eventType: null,
      account: null,
      userId: null,
      clientUserId: null,
      isHeld: false,
    };
    if (isSpent(message, retry)) await this.end(attempt, { then: 'bury', code: abandonedCode }, new Abandoned());
    else await this.try(attempt, body, signal);
    return !attempt.isHeld;
  }

  private async try(attempt: Attempt, body: StoredBody, signal: AbortSignal): Promise<void> {
    try {
      await this.run(attempt, body);
    } catch (error) {
      // The account was found in a store that may be another one now.
      if (error instanceof AppError && error.code === 'storage_unavailable') attempt.account = null;
      if (error instanceof LeaseLost) this.notStored(attempt, error);
      else if (isErasedError(error)) await this.suppressLate(attempt);
      else if (signal.aborted) await this.release(attempt);
      else await this.end(attempt, verdictOn(judgeMessage(error), attempt.message, retry), error);
    }
  }

  /** A null body means that retention deleted it between the replay and this claim. */
  private async run(attempt: Attempt, body: StoredBody): Promise<void> {
    if (body === null) return this.ignore(attempt, 'body_not_kept');
    if (body === 'key_destroyed') return this.ignore(attempt, body);
    if (body === 'key_missing') throw new UnusableEvent(body);
    const open = await this.events.open(body);
    try {
      if (open.read.kind === 'unusable') throw new UnusableEvent(open.read.reason);
      if (open.read.kind === 'ignore') await this.ignore(attempt, open.read.reason);
      else await this.handle(attempt, open.read.envelope, open.records);
    } finally {
      await open.close();
    }
  }

  private async handle(attempt: Attempt, envelope: Envelope, records: OpenBody['records']): Promise<void> {
    attempt.eventType = envelope.eventType;
    attempt.userId = envelope.userId;
    attempt.clientUserId = envelope.clientUserId;
    const owner = await this.events.owner(envelope);
    if (owner.kind === 'erased') return this.suppress(attempt);
    if (owner.kind === 'account') attempt.account = owner.account;
    if (envelope.isMismatched) throw new UnusableEvent('user_mismatch');
    const { seq, received_at: receivedAt } = attempt.message;
    const plan = this.events.plan(envelope, { seq, receivedAt, records });
    if (plan.kind === 'ignore') return this.ignore(attempt, plan.reason);
    if (owner.kind === 'foreign') return this.ignore(attempt, 'foreign_team');
    if (owner.kind === 'unknown') return this.putAside(attempt, owner.user);
    await this.complete(attempt, plan, owner.account);
  }

  /**
   * Only upstream can tell whose it is: the message leaves the queue until that is known, and no other waits for it.
   */
  private async putAside(attempt: Attempt, user: UserKey | null): Promise<void> {
    if (user === null) throw new UnusableEvent('unknown_user');
    const refusal = await this.lookups.refusal(user);
    if (refusal === 'account_erased') return this.suppress(attempt);
    if (refusal !== null) throw new UnusableEvent(refusal);
    await this.store(attempt, async (tx, message, learned) => {
      const lookup_id = await this.lookups.request(tx, user);
      const aside = { status: 'retry', reason: 'waiting_for_user', lookup_id } as const;
      const attempts = message.attempts - 1;
      await this.inbox.rows.complete(tx, message, null, { ...learned, ...aside, attempts, finished_at: null });
    });
    this.telemetry.putAside(factsOf(attempt));
    this.lookups.wake();
  }

  private async complete(attempt: Attempt, { effects, outcome }: ApplyPlan, account: KnownAccount): Promise<void> {
    const started = performance.now();
    let last: Effect | null = null;
    for await (const effect of effects) {
      if (last) await this.storePart(attempt, last, account);
      last = effect;
    }
    await this.withReports(account, (target) => {
      const write = async (tx: Tx): Promise<void> => last?.(tx, target());
      return outcome.status === 'dead'
        ? this.bury(attempt, outcome.reason, write)
        : this.finish(attempt, outcome, write);
    });
    if (outcome.status === 'dead') this.telemetry.buried(factsOf(attempt), outcome);
    else this.telemetry.done(factsOf(attempt), (performance.now() - started) / 1000);
  }

  /** Part of a long event. It holds alone: the next attempt, should this one end here, writes the same again. */
  private storePart({ message }: Attempt, effect: Effect, account: KnownAccount): Promise<void> {
    return this.withReports(account, (target) =>
      this.lane.run(async (tx) => {
        await this.guard.assertStillWritable(tx, account);
        await this.inbox.rows.assertHeld(tx, message);
        await effect(tx, target());
      }),
    );
  }

  /** `target` is to be called anew in every run of a transaction: only what the one that holds reports is reported. */
  private async withReports(
    { id: account }: KnownAccount,
    write: (target: () => Target) => Promise<void>,
  ): Promise<void> {
    const now = this.clock.now();
    let reports: (() => void)[] = [];
    await write(() => {
      reports = [];
      return { account, now, afterCommit: (report) => reports.push(report) };
    });
    for (const report of reports) report();
  }

  private async ignore(attempt: Attempt, reason: IgnoredReason): Promise<void> {
    await this.finish(attempt, { status: 'ignored', reason });
    this.telemetry.ignored(factsOf(attempt), reason);
  }

  /** Of an erased person nothing is kept but that a message came: its body is deleted together with the mark. */
  private async suppress(attempt: Attempt): Promise<void> {
    attempt.account = null;
    await this.finish(attempt, { status: 'ignored', reason: 'account_erased' }, async (tx) => {
      await this.inbox.dropBody(tx, attempt.message.seq);
      const isCounted = attempt.userId !== null && (await this.guard.countIfErased(tx, attempt.userId));
      if (!isCounted && attempt.clientUserId !== null) await this.fences.count(tx, [attempt.clientUserId]);
    });
    this.guard.requestScrub();
    this.telemetry.ignored(factsOf(attempt), 'account_erased');
  }

  /** The person was erased while the message was being processed. */
  private async suppressLate(attempt: Attempt): Promise<void> {
    await this.suppress(attempt).catch((error: unknown) => this.notStored(attempt, error));
  }

  private notStored(attempt: Attempt, error: unknown): void {
    attempt.isHeld = !(error instanceof LeaseLost);
    this.telemetry.outcomeNotStored(factsOf(attempt), error);
  }

  /** Defers a message that failed, or buries it. */
  private async end(attempt: Attempt, verdict: Verdict, error: unknown): Promise<void> {
    const { code: reason } = verdict;
    try {
      if (verdict.then === 'bury') {
        await this.bury(attempt, reason);
        this.telemetry.buried(factsOf(attempt), { reason }, error);
      } else {
        await this.defer(attempt, verdict);
        this.telemetry.deferred(factsOf(attempt), { reason, delayMs: verdict.delayMs }, error);
      }
    } catch (second) {
      if (isErasedError(second)) return this.suppressLate(attempt);
      this.notStored(attempt, second);
    }
  }

  /**
   * Outcome and effect hold together or not at all. The outcome is written first, because that finds out whether the
   * lease is still ours: an attempt that comes too late writes nothing.
   */
  private finish(attempt: Attempt, outcome: Outcome, effect?: (tx: Tx) => Promise<void>): Promise<void> {
    const { attempts } = attempt.message;
    const finished = { ...outcome, attempts, finished_at: this.clock.now() };
    return this.store(attempt, async (tx, message, learned) => {
      await this.inbox.rows.complete(tx, message, null, { ...learned, ...finished });
      if (attempt.account === null) await this.inbox.bindBody(tx, message.seq, null);
      await effect?.(tx);
    });
  }

  private bury(attempt: Attempt, reason: string, besides?: (tx: Tx) => Promise<void>): Promise<void> {
    const dead = { status: 'dead', finished_at: this.clock.now() } as const;
    return this.store(attempt, async (tx, message, learned) => {
      await this.inbox.rows.bury(tx, message, reason, { ...learned, ...dead });
      if (attempt.account === null) await this.inbox.bindBody(tx, message.seq, null);
      await besides?.(tx);
    });
  }

  private defer(attempt: Attempt, { code, counts, delayMs }: Verdict & { then: 'defer' }): Promise<void> {
    const later = { dueAt: this.clock.now() + delayMs, code, counts };
    return this.store(attempt, (tx, message, learned) => {
      return this.inbox.rows.defer(tx, message, later, { ...learned, status: 'retry', finished_at: null });
    });
  }

  private async release(attempt: Attempt): Promise<void> {
    await this.lane
      .run((tx) => this.inbox.rows.release(tx, attempt.message))
      .catch((error: unknown) => this.notStored(attempt, error));
  }

  /**
   * Writes an outcome with what the attempt has learned. Throws `LeaseLost`, and `account_erased` when the account is
   * no longer to be written to.
   */
  private async store(
    { message, eventType, account }: Attempt,
    write: (tx: Tx, message: MessageEntity, learned: Change<MessageEntity>) => Promise<unknown>,
  ): Promise<void> {
    const learned = { event_type: eventType ?? message.event_type, account_id: account?.id ?? message.account_id };
    await this.lane.run(async (tx) => {
      if (account !== null) await this.guard.assertStillWritable(tx, account);
      await write(tx, message, learned);
      if (account !== null) await this.inbox.bindBody(tx, message.seq, account.id);
    });
  }
}

function factsOf({ message, eventType }: Attempt): Parameters<InboxTelemetry['done']>[0] {
  return { messageId: message.message_id, attempts: message.attempts, eventType };
}

/*
 * What a failed attempt means for its message.
 *
 * - Waiting for others (upstream down, throttling or refusing our key, the store not taking writes): tried again for as
 *   long as it takes; the attempt does not count.
 * - Pointless to repeat (data that cannot be used): dead at once.
 * - Upstream does not know the user, or names one who cannot be taken over: dead, once the lookup has ended
 *   (owner-lookups/owner-lookups.worker.ts).
 * - Anything else: 12 attempts over about six hours, then dead.
 */

const pause = { baseMs: 5_000, capMs: HOUR_MS, factor: 3, jitter: 0.2 };
export const retry: RetryPolicy = { pause, mostAttempts: 12 };
const forOthers: RetryPolicy = { ...retry, pause: { ...pause, capMs: 600_000, factor: 2 } };

/** Most messages need nothing of upstream, so none of them waits because another does. */
export function judgeMessage(error: unknown): Judgement {
  if (error instanceof WireShapeError) return { then: 'final', code: 'unreadable_data' };
  if (error instanceof UnusableEvent) return { then: 'final', code: error.reason };
  const judgement = classify(error);
  if (judgement.then === 'wait') return { ...judgement, everybody: false, retry: forOthers };
  return { ...judgement, then: 'retry' };
}
