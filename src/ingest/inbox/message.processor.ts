import { Injectable } from '@nestjs/common';
import type { Records } from '../../health/catalogue/records.js';
import { WebhookConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { tracedTogether } from '../../platform/platform/traces.js';
import type { ChangeOrigin } from '../../storage/change-log/change.js';
import { setOrigin } from '../../storage/change-log/note-changes.js';
import type { Tx } from '../../storage/database/tx.js';
import { isSpent } from '../../storage/work/retry.js';
import type { Envelope, OpenBody, RecordsPlan } from '../events/event.js';
import { EventsService, type Owner, type Owners } from '../events/events.service.js';
import { plainBody } from './broker-message.js';
import type { MessageEntity } from './message.entity.js';
import { type Attempt, MessageOutcomes, type Owned, retry, UnusableEvent } from './message.outcomes.js';
import { MessageRecordStore } from './message.records.js';

/*
 * One attempt at each claimed message. Every step either ends a message with an outcome (message.outcomes.ts) or passes
 * the attempt on with what it has found.
 *
 *   claimed --read--> envelope --owner--> account --plan--> records, or a function that writes --store--> done
 *
 * Records of all messages are stored together, everything else message by message. inbox.worker.ts shows the complete
 * life of a message.
 */

/** A claimed message; `body` is null if it was deleted. */
export interface Claimed {
  readonly message: MessageEntity;
  readonly body: Buffer | null;
}

/** An attempt that has read its body. `open` must be closed. */
interface Read {
  readonly attempt: Attempt & { readonly envelope: Envelope };
  readonly body: Buffer;
  readonly open: OpenBody;
}

type Write = (tx: Tx) => Promise<void>;

interface OwnedRecords {
  /** `accounts.id`. */
  readonly account: number;
  readonly records: Records;
}

/** A message that is done once its content is stored. */
interface Ready {
  readonly attempt: Attempt;
  readonly content: OwnedRecords | Write;
  /** Stored with the outcome. */
  readonly reason: string | null;
}

@Injectable()
export class MessageProcessor {
  constructor(
    private readonly events: EventsService,
    private readonly records: MessageRecordStore,
    private readonly outcomes: MessageOutcomes,
    private readonly clock: Clock,
    private readonly config: WebhookConfig,
  ) {}

  /** Never rejects: a failure of one message is the outcome of that message only. */
  process(claimed: readonly Claimed[], signal: AbortSignal): Promise<void> {
    const messages = claimed.map(({ message }) => message);
    return tracedTogether('inbox.attempt', messages, () => this.attempt(claimed, signal));
  }

  private async attempt(claimed: readonly Claimed[], signal: AbortSignal): Promise<void> {
    const read = await all(claimed, ({ message, body }) => {
      const attempt = { message, signal, envelope: null, account: null };
      return this.step(attempt, () => this.read(attempt, body));
    });
    if (read.length === 0) return;
    // Each message awaits this promise, so that its failure becomes the outcome of each.
    const owners = this.events.ownersOf(read.map(({ attempt }) => attempt.envelope));
    const ready = await all(read, (one) => this.step(one.attempt, () => this.prepare(one, owners)));
    await Promise.all(groupsOf(ready).map((group) => this.store(group)));
  }

  /** Runs a step. If it fails, the failure becomes the outcome of the message. */
  private async step<T>(attempt: Attempt, work: () => Promise<T | null>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      await this.outcomes.failed(attempt, error);
      return null;
    }
  }

  private async read(attempt: Attempt, stored: Buffer | null): Promise<Read | null> {
    if (isSpent(attempt.message, retry)) return this.outcomes.abandon(attempt);
    // Retention deleted the body between the replay and this claim.
    if (stored === null) return this.outcomes.ignore(attempt, 'body_not_kept');
    const body = await plainBody(stored, this.config.maxBytes);
    if (typeof body === 'string') throw new UnusableEvent(body);
    const open = await this.events.open(body);
    const { read } = open;
    if (read.kind === 'event') return { attempt: { ...attempt, envelope: read.envelope }, body, open };
    await open.close();
    const erased = await this.events.erasedIn(body);
    if (erased !== null) return this.outcomes.suppress(attempt, erased);
    if (read.kind === 'unusable') throw new UnusableEvent(read.reason);
    return this.outcomes.ignore(attempt, read.reason);
  }

  private async prepare({ attempt, body, open }: Read, owners: Promise<Owners>): Promise<Ready | null> {
    try {
      const owner = await this.events.owner(attempt.envelope, await owners);
      const known = { ...attempt, account: owner.kind === 'account' ? owner.account : null };
      return await this.step(known, () => this.plan({ attempt: known, body, open }, owner));
    } finally {
      await open.close();
    }
  }

  /**
   * The first of these that holds ends the step:
   *
   *   the owner was or is being erased                      suppressed
   *   no account or a mismatch, and an erased user in it    suppressed
   *   a mismatch: its ids name different users              failed: user_mismatch
   *   the plan ignores the event                            ignored, with its reason
   *   the owner is of another team                          ignored: foreign_team
   *   the plan writes without an account                    ready, with the account if there is one
   *   the owner is unknown                                  put aside until the owner is looked up
   *   the plan writes for an account                        ready
   *   records                                               ready; `begin` stores all slices but the last
   */
  private async plan({ attempt, body, open }: Read, owner: Owner): Promise<Ready | null> {
    if (owner.kind === 'erased') return this.outcomes.suppress(attempt);
    const { message, envelope } = attempt;
    if (owner.kind !== 'account' || envelope.isMismatched) {
      const erased = await this.events.erasedIn(body);
      if (erased !== null) return this.outcomes.suppress(attempt, erased);
    }
    if (envelope.isMismatched) throw new UnusableEvent('user_mismatch');
    const { seq, received_at: receivedAt } = message;
    const plan = this.events.plan(envelope, { seq, receivedAt, records: open.records });
    if (plan.kind === 'ignore') return this.outcomes.ignore(attempt, plan.reason);
    if (owner.kind === 'foreign') return this.outcomes.ignore(attempt, 'foreign_team');
    if (plan.kind === 'write_anyway') {
      const account = attempt.account?.id ?? null;
      return { attempt, content: (tx) => plan.write(tx, account), reason: null };
    }
    if (owner.kind === 'unknown') return this.outcomes.putAside(attempt, owner.user);
    const { account } = owner;
    if (plan.kind === 'write') return { attempt, content: (tx) => plan.write(tx, account.id), reason: null };
    return this.begin({ ...attempt, account }, plan);
  }

  /**
   * Stores all slices of a long body except the last, each in its own transaction; if the attempt ends here, the next
   * one stores them again. The last slice, the only one of a short body, is stored with the outcome.
   */
  private async begin(attempt: Owned, { slices, outcome }: RecordsPlan): Promise<Ready | null> {
    const { id: account } = attempt.account;
    let last: OwnedRecords | null = null;
    for await (const records of slices) {
      if (last !== null) await this.outcomes.part(attempt, this.writes([{ attempt, content: last }]));
      last = { account, records };
    }
    const content = last ?? nothing;
    if (outcome.status === 'done') return { attempt, content, reason: outcome.reason ?? null };
    return this.outcomes.bury(attempt, outcome.reason, this.writes([{ attempt, content }]));
  }

  /** If a group cannot be stored, it is rolled back, and each message is tried alone to get its own outcome. */
  private async store(group: readonly Ready[]): Promise<void> {
    try {
      const messages = group.map(({ attempt }) => attempt.message);
      await tracedTogether('inbox.apply', messages, () => this.outcomes.done(group, this.writes(group)));
    } catch (error) {
      if (group.length > 1) return void (await Promise.all(group.map((one) => this.store([one]))));
      const [{ attempt }] = group as readonly [Ready];
      await this.outcomes.failed(attempt, error);
    }
  }

  private writes(group: readonly Pick<Ready, 'attempt' | 'content'>[]): (tx: Tx) => Promise<void> {
    const now = this.clock.now();
    const records = group.flatMap(({ attempt: { message, account }, content }) => {
      if (typeof content === 'function') return [];
      // What is said late of a former upstream user is no news of the present one.
      const at = Math.min(message.received_at, account?.replaced_at ?? message.received_at);
      return { ...content, seq: message.seq, at, now, origin: originOf(message) };
    });
    return async (tx) => {
      if (records.length > 0) await this.records.store(tx, records);
      for (const { attempt, content } of group) {
        if (typeof content !== 'function') continue;
        setOrigin(tx, originOf(attempt.message));
        await content(tx);
      }
    };
  }
}

const nothing: Write = () => Promise.resolve();

/** Origin of the changes, as reported to consumers. */
function originOf({ replays }: MessageEntity): ChangeOrigin {
  return replays > 0 ? 'replay' : 'live';
}

/** Runs a step for each message; returns the results of those that have not ended. */
async function all<S, T>(messages: readonly S[], step: (message: S) => Promise<T | null>): Promise<T[]> {
  return (await Promise.all(messages.map(step))).filter((result) => result !== null);
}

/** One group with all records, in message order; every other message is a group of its own. */
function groupsOf(ready: readonly Ready[]): Ready[][] {
  const others = ready.filter(({ content }) => typeof content === 'function');
  const ofRecords = ready.filter(({ content }) => typeof content !== 'function');
  const alone = others.map((one) => [one]);
  return ofRecords.length === 0 ? alone : [ofRecords, ...alone];
}
