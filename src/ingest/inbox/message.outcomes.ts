import { Injectable } from '@nestjs/common';
import { ErasureFences } from '../../accounts/erasure-guard/erasure-fences.service.js';
import { ErasureGuard, isErasedError, type KnownAccount } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { WireShapeError } from '../../platform/platform/json-reader.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { Change } from '../../storage/work/lease.js';
import { LeaseLost } from '../../storage/work/leased-rows.js';
import {
  Abandoned,
  abandonedCode,
  classify,
  type Judgement,
  type RetryPolicy,
  type Verdict,
  verdictOn,
} from '../../storage/work/retry.js';
import type { IgnoredReason } from '../events/event.js';
import { OwnerLookups, type UserKey } from '../events/owner-lookups.service.js';
import { InboxRepository } from './inbox.repository.js';
import { InboxTelemetry } from './inbox.telemetry.js';
import type { MessageEntity } from './message.entity.js';

/** Nothing can be done with the event, whenever it is tried: `reason` says why. */
export class UnusableEvent extends Error {
  override readonly name = 'UnusableEvent';

  constructor(readonly reason: string) {
    super('the event cannot be used');
  }
}

/** A claimed message; `body` is null when it is not kept. */
export interface Claimed {
  readonly message: MessageEntity;
  readonly body: Buffer | null;
}

/** One attempt at a message, and what it has learned so far: stored with the outcome, whatever that is. */
export interface Attempt extends Claimed {
  readonly signal: AbortSignal;
  eventType: string | null;
  account: KnownAccount | null;
  /** Upstream's id and the customer's of the user the event names. */
  userId: string | null;
  clientUserId: string | null;
  /** The store took no outcome, so the message is still ours. */
  isHeld: boolean;
}

export function attemptAt({ message, body }: Claimed, signal: AbortSignal): Attempt {
  return {
    message,
    body,
    signal,
    eventType: null,
    account: null,
    userId: null,
    clientUserId: null,
    isHeld: false,
  };
}

export function factsOf({ message, eventType }: Attempt): Parameters<InboxTelemetry['done']>[0] {
  return { messageId: message.message_id, attempts: message.attempts, eventType };
}

/** What becomes of a message whose attempt has no effect, or failed. */
@Injectable()
export class MessageOutcomes {
  constructor(
    private readonly lane: WriteLane,
    private readonly inbox: InboxRepository,
    private readonly lookups: OwnerLookups,
    private readonly guard: ErasureGuard,
    private readonly fences: ErasureFences,
    private readonly clock: Clock,
    private readonly telemetry: InboxTelemetry,
  ) {}

  /** Its claims ended too often without a word. */
  abandon(attempt: Attempt): Promise<void> {
    return this.end(attempt, { then: 'bury', code: abandonedCode }, new Abandoned());
  }

  /** Whatever went wrong is the outcome; never rejects. */
  async failed(attempt: Attempt, error: unknown): Promise<void> {
    // The account was found in a store that may be another one now.
    if (error instanceof AppError && error.code === 'storage_unavailable') attempt.account = null;
    if (error instanceof LeaseLost) this.notStored(attempt, error);
    else if (isErasedError(error)) await this.suppressLate(attempt);
    else if (attempt.signal.aborted) await this.release(attempt);
    else await this.end(attempt, verdictOn(judgeMessage(error), attempt.message, retry), error);
  }

  /**
   * Only upstream can tell whose it is: the message leaves the queue until that is known, and no other waits for it.
   */
  async putAside(attempt: Attempt, user: UserKey | null): Promise<null> {
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
    return null;
  }

  async ignore(attempt: Attempt, reason: IgnoredReason): Promise<null> {
    await this.finish(attempt, reason);
    this.telemetry.ignored(factsOf(attempt), reason);
    return null;
  }

  /** Of an erased person nothing is kept but that a message came: its body is deleted together with the mark. */
  async suppress(attempt: Attempt): Promise<null> {
    attempt.account = null;
    await this.finish(attempt, 'account_erased', async (tx) => {
      await this.inbox.dropBodies(tx, [attempt.message.seq]);
      const isCounted = attempt.userId !== null && (await this.guard.countIfErased(tx, attempt.userId));
      if (!isCounted && attempt.clientUserId !== null) await this.fences.count(tx, [attempt.clientUserId]);
    });
    this.guard.requestScrub();
    this.telemetry.ignored(factsOf(attempt), 'account_erased');
    return null;
  }

  /** The person was erased while the message was being processed. */
  private async suppressLate(attempt: Attempt): Promise<void> {
    await this.suppress(attempt).catch((error: unknown) => void this.notStored(attempt, error));
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

  /** Nothing is to be done, but what `besides` does. */
  private finish(attempt: Attempt, reason: IgnoredReason, besides?: (tx: Tx) => Promise<void>): Promise<void> {
    const { attempts } = attempt.message;
    const ignored = { status: 'ignored', reason, attempts, finished_at: this.clock.now() } as const;
    return this.store(attempt, async (tx, message, learned) => {
      await this.inbox.rows.complete(tx, message, null, { ...learned, ...ignored });
      await besides?.(tx);
    });
  }

  /** `besides`: what is written with it. */
  bury(attempt: Attempt, reason: string, besides?: (tx: Tx) => Promise<void>): Promise<void> {
    const dead = { status: 'dead', finished_at: this.clock.now() } as const;
    return this.store(attempt, async (tx, message, learned) => {
      await this.inbox.rows.bury(tx, message, reason, { ...learned, ...dead });
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
      if (account !== null) await this.guard.assertStillWritable(tx, [account]);
      await write(tx, message, learned);
    });
  }
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
