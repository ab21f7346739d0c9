import { Injectable } from '@nestjs/common';
import { ErasureGuard, type KnownAccount } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { isSpent } from '../../storage/work/retry.js';
import {
  type ApplyPlan,
  type Effect,
  type Envelope,
  isOfRecords,
  type OpenBody,
  type Target,
} from '../events/event.js';
import { EventsService, type Owners } from '../events/events.service.js';
import { InboxRepository } from './inbox.repository.js';
import { InboxTelemetry } from './inbox.telemetry.js';
import type { MessageEntity } from './message.entity.js';
import {
  type Attempt,
  attemptAt,
  type Claimed,
  factsOf,
  MessageOutcomes,
  retry,
  UnusableEvent,
} from './message.outcomes.js';

interface ReadEvent {
  readonly attempt: Attempt;
  readonly envelope: Envelope;
  readonly open: OpenBody;
}

/** A message that is done once its effect is stored. */
interface Ready {
  readonly attempt: Attempt;
  readonly account: KnownAccount;
  readonly effect: Effect;
  /** Of the outcome. */
  readonly reason: string | null;
}

/** `targetOf` is made anew in every run of a transaction: only what the one that holds reports is reported. */
type WriteTo = (begin: () => (account: KnownAccount) => Target) => Promise<void>;

/** Attempts at claimed messages, from their bytes to their outcomes; inbox.worker.ts tells the whole life of one. */
@Injectable()
export class MessageProcessor {
  constructor(
    private readonly lane: WriteLane,
    private readonly inbox: InboxRepository,
    private readonly events: EventsService,
    private readonly outcomes: MessageOutcomes,
    private readonly guard: ErasureGuard,
    private readonly clock: Clock,
    private readonly telemetry: InboxTelemetry,
  ) {}

  /**
   * Processes messages of one claim, and stores what they have in common together. Never rejects: whatever goes wrong
   * with one message is its own outcome. Answers those that are no longer held: of the others the store took no
   * outcome, and they have to be handed back.
   */
  async process(claimed: readonly Claimed[], signal: AbortSignal): Promise<MessageEntity[]> {
    const attempts = claimed.map((one) => attemptAt(one, signal));
    const events = await this.each(attempts, (attempt) => this.read(attempt));
    const owners = this.events.ownersOf(events.map(({ envelope }) => envelope));
    const byAttempt = new Map(events.map((event) => [event.attempt, event]));
    const ready = await this.each([...byAttempt.keys()], (attempt) => {
      return this.prepare(byAttempt.get(attempt) as ReadEvent, owners);
    });
    await Promise.all(groupsOf(ready).map((group) => this.complete(group)));
    return attempts.flatMap(({ message, isHeld }) => (isHeld ? [] : message));
  }

  /** A step of several attempts, each on its own; an attempt that ends in it has no result. */
  private async each<T>(attempts: readonly Attempt[], step: (attempt: Attempt) => Promise<T | null>): Promise<T[]> {
    const results = await Promise.all(
      attempts.map(async (attempt) => {
        try {
          return await step(attempt);
        } catch (error) {
          await this.outcomes.failed(attempt, error);
          return null;
        }
      }),
    );
    return results.filter((result) => result !== null);
  }

  private async read(attempt: Attempt): Promise<ReadEvent | null> {
    const { message, body } = attempt;
    if (isSpent(message, retry)) await this.outcomes.abandon(attempt);
    // Retention deleted it between the replay and this claim.
    else if (body === null) await this.outcomes.ignore(attempt, 'body_not_kept');
    else {
      const open = await this.events.open(body);
      if (open.read.kind === 'event') return { attempt, envelope: open.read.envelope, open };
      await open.close();
      if (open.read.kind === 'unusable') throw new UnusableEvent(open.read.reason);
      await this.outcomes.ignore(attempt, open.read.reason);
    }
    return null;
  }

  private async prepare(event: ReadEvent, owners: Promise<Owners>): Promise<Ready | null> {
    try {
      return await this.plan(event, await owners);
    } finally {
      await event.open.close();
    }
  }

  private async plan({ attempt, envelope, open }: ReadEvent, owners: Owners): Promise<Ready | null> {
    attempt.eventType = envelope.eventType;
    attempt.userId = envelope.userId;
    attempt.clientUserId = envelope.clientUserId;
    const owner = await this.events.owner(envelope, owners);
    if (owner.kind === 'erased') return this.outcomes.suppress(attempt);
    if (owner.kind === 'account') attempt.account = owner.account;
    if (envelope.isMismatched) throw new UnusableEvent('user_mismatch');
    const { seq, received_at: receivedAt } = attempt.message;
    const plan = this.events.plan(envelope, { seq, receivedAt, records: open.records });
    if (plan.kind === 'ignore') return this.outcomes.ignore(attempt, plan.reason);
    if (owner.kind === 'foreign') return this.outcomes.ignore(attempt, 'foreign_team');
    if (owner.kind === 'unknown') return this.outcomes.putAside(attempt, owner.user);
    return this.begin(attempt, plan, owner.account);
  }

  /**
   * Writes what holds alone, and answers the rest, which holds with the mark; ends a message that is not done with it.
   */
  private async begin(attempt: Attempt, { effects, outcome }: ApplyPlan, account: KnownAccount): Promise<Ready | null> {
    let last: Effect = nothing;
    for await (const effect of effects) {
      if (last !== nothing) await this.storePart(attempt, last, account);
      last = effect;
    }
    const effect = last;
    if (outcome.status === 'done') return { attempt, account, effect, reason: outcome.reason ?? null };
    await this.withReports((begin) =>
      this.outcomes.bury(attempt, outcome.reason, (tx) =>
        this.events.write(tx, [{ effect, target: begin()(account) }]),
      ),
    );
    this.telemetry.buried(factsOf(attempt), outcome);
    return null;
  }

  /** Part of a long event. It holds alone: the next attempt, should this one end here, writes the same again. */
  private storePart({ message }: Attempt, effect: Effect, account: KnownAccount): Promise<void> {
    return this.withReports((begin) =>
      this.lane.run(async (tx) => {
        await this.guard.assertStillWritable(tx, [account]);
        await this.inbox.rows.assertHeld(tx, message);
        await this.events.write(tx, [{ effect, target: begin()(account) }]);
      }),
    );
  }

  /** Where one of a group cannot be stored, none is, and each is tried alone: so every one has its own outcome. */
  private async complete(group: readonly Ready[]): Promise<void> {
    const started = performance.now();
    try {
      await this.storeAll(group);
    } catch (error) {
      if (group.length > 1) return void (await Promise.all(group.map((one) => this.complete([one]))));
      return this.outcomes.failed((group[0] as Ready).attempt, error);
    }
    const seconds = (performance.now() - started) / 1000;
    for (const { attempt } of group) this.telemetry.done(factsOf(attempt), seconds);
  }

  /**
   * Effects and marks hold together or not at all. The marks are written first, because that finds out whether the
   * leases are still ours: an attempt that comes too late writes nothing.
   */
  private storeAll(group: readonly Ready[]): Promise<void> {
    const accounts = group.map(({ account }) => account);
    const messages = group.map(({ attempt }) => attempt.message);
    const done = { status: 'done', finished_at: this.clock.now() } as const;
    const values = group.map(({ attempt, account, reason }) => [attempt.eventType, account.id, reason]);
    return this.withReports((begin) =>
      this.lane.run(async (tx) => {
        await this.guard.assertStillWritable(tx, accounts);
        await this.inbox.rows.completeAll(tx, messages, done, { columns: ownColumns, values });
        const targetOf = begin();
        await this.events.write(
          tx,
          group.map(({ effect, account }) => ({ effect, target: targetOf(account) })),
        );
      }),
    );
  }

  private async withReports(write: WriteTo): Promise<void> {
    const now = this.clock.now();
    let reports: (() => void)[] = [];
    await write(() => {
      const own: (() => void)[] = [];
      reports = own;
      return ({ id: account }) => ({ account, now, afterCommit: (report) => own.push(report) });
    });
    for (const report of reports) report();
  }
}

const ownColumns = [
  { name: 'event_type', type: 'text' },
  { name: 'account_id', type: 'bigint' },
  { name: 'reason', type: 'text' },
] as const;

const nothing: Effect = () => Promise.resolve();

/** Records together, in their order; everything else alone. */
function groupsOf(ready: readonly Ready[]): Ready[][] {
  const ofRecords = ready.filter(({ effect }) => isOfRecords(effect));
  const others = ready.filter(({ effect }) => !isOfRecords(effect)).map((one) => [one]);
  return ofRecords.length === 0 ? others : [ofRecords, ...others];
}
