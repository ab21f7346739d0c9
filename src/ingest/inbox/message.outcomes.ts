import { Injectable } from '@nestjs/common';
import { ErasureGuard, type PersonIds } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { assertStillWritable, isErasedError, type KnownAccount } from '../../accounts/erasure-guard/open-accounts.js';
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
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import type { Envelope, IgnoredReason } from '../events/event.js';
import { type UserKey } from '../events/owner-lookups.repository.js';
import { OwnerLookups } from '../events/owner-lookups.service.js';
import { withOutcome } from './earlier-outcomes.js';
import { InboxRepository } from './inbox.repository.js';
import { InboxTelemetry, type MessageFacts } from './inbox.telemetry.js';
import type { MessageEntity } from './message.entity.js';

/** The event can never be used; `reason` is stored with the message. */
export class UnusableEvent extends Error {
  override readonly name = 'UnusableEvent';

  constructor(readonly reason: string) {
    super('the event cannot be used');
  }
}

/** An attempt at a claimed message, and what it has found so far, which is stored with any outcome. */
export interface Attempt {
  readonly message: MessageEntity;
  readonly signal: AbortSignal;
  /** Null before the body was read. */
  readonly envelope: Envelope | null;
  /** Owner of the event; null if not known, or erased. */
  readonly account: KnownAccount | null;
}

export interface Owned extends Attempt {
  readonly account: KnownAccount;
}

type Write = (tx: Tx) => Promise<unknown>;

const ownColumns = [
  { name: 'event_type', type: 'text' },
  { name: 'account_id', type: 'bigint' },
  { name: 'reason', type: 'text' },
] as const;

/** Stores the outcomes of attempts. An outcome is stored only while the message is still leased. */
@Injectable()
export class MessageOutcomes {
  constructor(
    private readonly lane: WriteLane,
    private readonly inbox: InboxRepository,
    private readonly lookups: OwnerLookups,
    private readonly guard: ErasureGuard,
    private readonly telemetry: InboxTelemetry,
    private readonly workers: WorkerRegistry,
  ) {}

  /**
   * Marks messages as done together with what `write` stores, all of them or none. The marks are written first, because
   * that checks the leases: a late attempt writes nothing.
   */
  async done(
    group: readonly { readonly attempt: Attempt; readonly reason: string | null }[],
    write: Write,
  ): Promise<void> {
    const started = performance.now();
    const accounts = group.flatMap(({ attempt }) => attempt.account ?? []);
    const messages = group.map(({ attempt }) => attempt.message);
    const values = group.map(({ attempt, reason }) => [eventTypeOf(attempt), attempt.account?.id ?? null, reason]);
    await this.lane.run(async (tx) => {
      if (accounts.length > 0) await assertStillWritable(tx, accounts);
      const done = { status: 'done', finished_at: tx.now } as const;
      await this.inbox.rows.completeAll(tx, messages, done, { columns: ownColumns, values });
      await write(tx);
    });
    const seconds = (performance.now() - started) / 1000;
    for (const { attempt } of group) this.telemetry.done(factsOf(attempt), seconds);
  }

  /** Stores part of a message's content without changing the message. */
  part({ message, account }: Owned, write: Write): Promise<void> {
    return this.lane.run(async (tx) => {
      await assertStillWritable(tx, [account]);
      await this.inbox.rows.assertHeld(tx, message);
      await write(tx);
    });
  }

  async ignore(attempt: Attempt, reason: IgnoredReason): Promise<null> {
    await this.finish(attempt, reason);
    this.telemetry.ignored(factsOf(attempt), reason);
    return null;
  }

  /** Ignores a message about an erased person and deletes its body in the same transaction; only the row remains. */
  async suppress(attempt: Attempt, name: PersonIds | null = attempt.envelope): Promise<null> {
    const { message } = attempt;
    const { userId = null, clientUserId = null } = name ?? {};
    await this.finish({ ...attempt, account: null }, 'account_erased', async (tx) => {
      await this.inbox.dropBodies(tx, [message.seq]);
      await this.guard.countRefused(tx, { userId, clientUserId });
    });
    this.guard.requestScrub();
    this.telemetry.ignored(factsOf(attempt), 'account_erased');
    return null;
  }

  /** Takes the message out of the queue until a lookup at upstream finds its owner. Other messages do not wait. */
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

  /** Marks the message as dead. Its only effect is what `write` stores. */
  async bury(attempt: Attempt, reason: string, write: Write = nothing, error?: unknown): Promise<null> {
    await this.store(attempt, async (tx, message, learned) => {
      await this.inbox.rows.bury(tx, message, reason, { ...learned, status: 'dead', finished_at: tx.now });
      await write(tx);
    });
    this.telemetry.buried(factsOf(attempt), { reason }, error);
    return null;
  }

  /** Buries a message whose attempts ended too often without an outcome. */
  async abandon(attempt: Attempt): Promise<null> {
    await this.end(attempt, { then: 'bury', code: abandonedCode }, new Abandoned());
    return null;
  }

  /** Stores the outcome that follows from an error. Never rejects. */
  async failed(attempt: Attempt, error: unknown): Promise<void> {
    // When the database returns, it may be another one, without this account.
    const isStoreAway = error instanceof AppError && error.code === 'storage_unavailable';
    const known = isStoreAway ? { ...attempt, account: null } : attempt;
    if (error instanceof LeaseLost) this.notStored(known, error);
    else if (isErasedError(error)) await this.suppressLate(known);
    else if (known.signal.aborted) await this.release(known);
    else await this.end(known, verdictOn(judgeMessage(error), known.message, retry), error);
  }

  /** The person was erased while the message was being processed. */
  private async suppressLate(attempt: Attempt): Promise<void> {
    await this.suppress(attempt).catch((error: unknown) => this.notStored(attempt, error));
  }

  /** Returns a lease that is still ours as soon as the database accepts writes. */
  private notStored(attempt: Attempt, error: unknown): void {
    if (!(error instanceof LeaseLost)) this.workers.leases.giveBack(this.inbox.rows, attempt.message);
    this.telemetry.outcomeNotStored(factsOf(attempt), error);
  }

  /** Defers or buries a failed message. */
  private async end(attempt: Attempt, verdict: Verdict, error: unknown): Promise<void> {
    try {
      if (verdict.then === 'bury') await this.bury(attempt, verdict.code, nothing, error);
      else await this.defer(attempt, verdict, error);
    } catch (second) {
      if (isErasedError(second)) return this.suppressLate(attempt);
      this.notStored(attempt, second);
    }
  }

  private async defer(attempt: Attempt, verdict: Verdict & { then: 'defer' }, error: unknown): Promise<void> {
    const { code, counts, delayMs } = verdict;
    await this.store(attempt, (tx, message, learned) => {
      const later = { dueAt: tx.now + delayMs, code, counts };
      const outcomes = withOutcome(message.outcomes, { at: tx.now, status: 'retry', reason: code });
      return this.inbox.rows.defer(tx, message, later, { ...learned, status: 'retry', finished_at: null, outcomes });
    });
    this.telemetry.deferred(factsOf(attempt), { reason: code, delayMs }, error);
  }

  private async release(attempt: Attempt): Promise<void> {
    await this.lane
      .run((tx) => this.inbox.rows.release(tx, attempt.message))
      .catch((error: unknown) => this.notStored(attempt, error));
  }

  /** Marks the message as ignored. Its only effect is what `write` stores. */
  private finish(attempt: Attempt, reason: IgnoredReason, write: Write = nothing): Promise<void> {
    const { attempts } = attempt.message;
    return this.store(attempt, async (tx, message, learned) => {
      const ignored = { status: 'ignored', reason, attempts, finished_at: tx.now } as const;
      await this.inbox.rows.complete(tx, message, null, { ...learned, ...ignored });
      await write(tx);
    });
  }

  /**
   * Writes an outcome with what the attempt has found. Throws `LeaseLost`, and `account_erased` if the account must no
   * longer be written to.
   */
  private async store(
    { message, envelope, account }: Attempt,
    write: (tx: Tx, message: MessageEntity, learned: Change<MessageEntity>) => Promise<unknown>,
  ): Promise<void> {
    const event_type = envelope?.eventType ?? message.event_type;
    const learned = { event_type, account_id: account?.id ?? message.account_id };
    await this.lane.run(async (tx) => {
      if (account !== null) await assertStillWritable(tx, [account]);
      await write(tx, message, learned);
    });
  }
}

const nothing: Write = () => Promise.resolve();

function eventTypeOf({ envelope }: Attempt): string | null {
  return envelope?.eventType ?? null;
}

function factsOf(attempt: Attempt): MessageFacts {
  const { message_id: messageId, attempts } = attempt.message;
  return { messageId, attempts, eventType: eventTypeOf(attempt) };
}

/*
 * The next state of a message after a failed attempt.
 *
 * - Waiting for others (upstream is down, throttles or refuses our key; the database does not accept writes): retried
 *   for as long as it takes; the attempt does not count.
 * - Pointless to repeat (unusable data): dead immediately.
 * - The lookup found no user at upstream, or one that cannot be adopted (events/owner-lookups.worker.ts): dead.
 * - Anything else: 12 attempts over about six hours, then dead.
 */

const pause = { baseMs: 5_000, capMs: HOUR_MS, factor: 3, jitter: 0.2 };
export const retry: RetryPolicy = { pause, mostAttempts: 12 };
const forOthers: RetryPolicy = { ...retry, pause: { ...pause, capMs: 600_000, factor: 2 } };

/** Most messages do not need upstream, so an error of one never makes others wait. */
export function judgeMessage(error: unknown): Judgement {
  if (error instanceof WireShapeError) return { then: 'final', code: 'unreadable_data' };
  if (error instanceof UnusableEvent) return { then: 'final', code: error.reason };
  const judgement = classify(error);
  if (judgement.then === 'wait') return { ...judgement, everybody: false, retry: forOthers };
  return { ...judgement, then: 'retry' };
}
