import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/tx.js';
import { WriteLane } from '../database/write-lane.js';
import { isErasedError } from '../erasure-guard/erasure-guard.service.js';
import { type Envelope, readEnvelope } from '../events/envelope.js';
import { EventOwner } from '../events/event-owner.js';
import { EventRoutes } from '../events/event-routes.js';
import type { Effect, IgnoredReason } from '../events/plan.js';
import { Clock } from '../platform/clock.js';
import { judgeFailure } from './failure.js';
import { type ClaimedMessage, InboxRepository, type Verdict } from './inbox.repository.js';
import { InboxTelemetry, type MessageFacts } from './inbox.telemetry.js';

/** Somebody else took the message when our lease had run out. */
class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

export interface Round {
  readonly owner: string;
  readonly signal: AbortSignal;
}

/** One attempt at one message, and what has been learned about it so far. */
interface Attempt {
  readonly message: ClaimedMessage;
  readonly owner: string;
  eventType: string | null;
  account: number | null;
  envelope: Envelope | null;
}

/** One attempt at one claimed message, from its bytes to its verdict; inbox.worker.ts tells the whole life of one. */
@Injectable()
export class MessageProcessor {
  constructor(
    private readonly lane: WriteLane,
    private readonly inbox: InboxRepository,
    private readonly routes: EventRoutes,
    private readonly owners: EventOwner,
    private readonly clock: Clock,
    private readonly events: InboxTelemetry,
  ) {}

  /** Never rejects: whatever goes wrong with one message is its own verdict. */
  async process(message: ClaimedMessage, body: Buffer | null, { owner, signal }: Round): Promise<void> {
    const attempt: Attempt = { message, owner, eventType: null, account: null, envelope: null };
    try {
      await this.run(attempt, body, signal);
    } catch (error) {
      if (error instanceof LeaseLost) this.events.left(factsOf(attempt), error);
      else if (isErasedError(error)) await this.letGo(attempt);
      else if (signal.aborted) await this.giveBack(attempt);
      else await this.fail(attempt, error);
    }
  }

  /** Without a body it was replayed in the very moment in which retention dropped it. */
  private async run(attempt: Attempt, body: Buffer | null, signal: AbortSignal): Promise<void> {
    if (body === null) return this.ignore(attempt, 'body_not_kept');
    const { envelope, unreadable } = readEnvelope(body);
    if (!envelope) return this.ignore(attempt, unreadable);
    attempt.eventType = envelope.eventType;
    attempt.envelope = envelope;
    // What is ignored or cannot be used is still somebody's: it is found under its account, and goes with it.
    const known = await this.owners.known(envelope);
    if (known === 'erased') return this.turnAway(attempt);
    attempt.account = known?.account.id ?? null;
    const { seq, receivedAt } = attempt.message;
    const plan = this.routes.plan(envelope.eventType, { seq, receivedAt, data: envelope.data });
    if ('ignored' in plan) return this.ignore(attempt, plan.ignored);
    const ownership = await this.owners.ownerOf(envelope, known, signal);
    if ('ignored' in ownership) return this.ignore(attempt, ownership.ignored);
    attempt.account = ownership.account.id;
    await this.apply(attempt, plan.effect, ownership.account.id);
    plan.committed?.();
  }

  /** The effect and the done-mark hold together or not at all. */
  private async apply(attempt: Attempt, effect: Effect, account: number): Promise<void> {
    const started = performance.now();
    const target = { account, now: this.clock.now() };
    await this.settle(attempt, { status: 'done' }, (tx) => effect(tx, target));
    this.events.done(factsOf(attempt), (performance.now() - started) / 1000);
  }

  private async ignore(attempt: Attempt, reason: IgnoredReason): Promise<void> {
    await this.settle(attempt, { status: 'ignored', reason });
    this.events.ignored(factsOf(attempt), reason);
  }

  /** Of an erased person nothing stays but that a message came: the body goes with the mark. */
  private async turnAway(attempt: Attempt): Promise<void> {
    attempt.account = null;
    await this.settle(attempt, { status: 'ignored', reason: 'account_erased' }, async (tx) => {
      await this.inbox.dropBody(tx, attempt.message.seq);
      if (attempt.envelope) await this.owners.turnAway(tx, attempt.envelope);
    });
    this.events.ignored(factsOf(attempt), 'account_erased');
  }

  /** The person was erased while the message was looked at. */
  private async letGo(attempt: Attempt): Promise<void> {
    await this.turnAway(attempt).catch((error: unknown) => this.events.left(factsOf(attempt), error));
  }

  private async fail(attempt: Attempt, error: unknown): Promise<void> {
    const { attempts, receivedAt } = attempt.message;
    const now = this.clock.now();
    const failure = judgeFailure(error, { attempts, ageMs: now - receivedAt });
    try {
      if (failure.status === 'dead') {
        await this.settle(attempt, { status: 'dead', reason: failure.reason });
        this.events.buried(factsOf(attempt), { reason: failure.reason, error });
      } else {
        const { reason, delayMs, counts } = failure;
        const counted = counts ? attempts : attempts - 1;
        await this.settle(attempt, { status: 'retry', reason, dueAt: now + delayMs, attempts: counted });
        this.events.deferred(factsOf(attempt), { reason, delayMs, error });
      }
    } catch (second) {
      if (isErasedError(second)) return this.letGo(attempt);
      this.events.left(factsOf(attempt), second);
    }
  }

  private async giveBack(attempt: Attempt): Promise<void> {
    await this.lane
      .run((tx) => this.inbox.release(tx, [attempt.message.seq], attempt.owner))
      .catch((error: unknown) => this.events.left(factsOf(attempt), error));
  }

  private async settle(
    { message, owner, eventType, account }: Attempt,
    verdict: Pick<Verdict, 'status'> & Partial<Verdict>,
    effect?: (tx: Tx) => Promise<void>,
  ): Promise<void> {
    const at = this.clock.now();
    const { attempts } = message;
    await this.lane.run(async (tx) => {
      if (account !== null) await this.owners.hold(tx, account);
      const whole = { reason: null, eventType, account, attempts, dueAt: null, at, ...verdict };
      if (!(await this.inbox.settle(tx, message.seq, owner, whole))) throw new LeaseLost();
      await effect?.(tx);
    });
  }
}

function factsOf({ message, eventType, account }: Attempt): MessageFacts {
  return { messageId: message.messageId, attempts: message.attempts, eventType, account };
}
