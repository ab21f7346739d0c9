import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError, orNotFound } from '../../platform/platform/errors.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import { HOUR_MS, type TimeRange } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { HOURS_CACHED_MS, MAX_MESSAGES_GROUPED, MAX_WAITING_COUNTED } from '../streams/tuning.js';
import { InboxTelemetry } from './inbox.telemetry.js';
import { InboxWorker } from './inbox.worker.js';
import {
  type FilterGroup,
  type InboxFigures,
  type MessageFilter,
  type MessageGroup,
  type MessageRow,
  MessagesRepository,
  type OwnerlessMessage,
} from './messages.repository.js';

export type { MessageGroup } from './messages.repository.js';

export interface MessageQuery extends Omit<MessageFilter, 'account'> {
  /** The customer's id. */
  readonly accountId?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

const MAX_GROUPS = 100;

const HOURS = 24;

/** True for messages about the data of a resource, by upstream's event name of it. */
export function isAbout({ event_type }: MessageGroup, eventName: string): boolean {
  return [
    `daily.data.${eventName}.created`,
    `daily.data.${eventName}.updated`,
    `historical.data.${eventName}.created`,
  ].includes(event_type);
}

/** Counts of messages received in an hour. */
export interface HourOfMessages {
  readonly start: number;
  /** Done, ignored or dead. */
  readonly processed: number;
  /** Null if too many messages wait to count them by hour. */
  readonly waiting: number | null;
}

/** Reads and replays messages, for operators. */
@Injectable()
export class MessagesService {
  private cached: { readonly at: number; readonly hours: Promise<HourOfMessages[]> } | null = null;

  constructor(
    private readonly lane: WriteLane,
    private readonly messages: MessagesRepository,
    private readonly accounts: AccountsService,
    private readonly worker: InboxWorker,
    private readonly clock: Clock,
    private readonly telemetry: InboxTelemetry,
  ) {
    telemetry.watch(() => this.figures(), clock);
  }

  /** Newest first. */
  async list({ accountId, cursor, limit, ...filter }: MessageQuery): Promise<Page<MessageRow>> {
    const [before] = cursor === undefined ? [null] : decodeCursor(cursor, ['number']);
    const account = accountId === undefined ? undefined : await this.accounts.find(accountId);
    if (account === null) return { data: [], next_cursor: null };
    const rows = await this.messages.page({ ...filter, account: account?.id }, before, limit + 1);
    return pageOf(rows, limit, ({ seq }) => [seq]);
  }

  /** Groups of the newest 10,000 messages that match a filter, largest first. */
  async groups(filter: Omit<MessageFilter, 'account'>): Promise<FilterGroup[]> {
    const groups = await this.messages.groupsOf(filter, MAX_MESSAGES_GROUPED);
    return groups.sort((a, b) => b.count - a.count || b.last_at - a.last_at).slice(0, MAX_GROUPS);
  }

  /** Throws `not_found`. */
  async get(messageId: string): Promise<MessageRow> {
    return orNotFound(await this.messages.find(messageId), 'There is no such message.');
  }

  /** Finished messages after `afterSeq` that still have bodies but no known owner. */
  ownerless(afterSeq: number, limit: number): Promise<OwnerlessMessage[]> {
    return this.messages.ownerless(afterSeq, limit);
  }

  /** Deletes messages with their bodies; returns their number. */
  delete(tx: Tx, seqs: readonly number[]): Promise<number> {
    return this.messages.delete(tx, seqs);
  }

  /** The body as received; null if it was deleted. */
  body({ seq }: MessageRow): Promise<Buffer | null> {
    return this.messages.body(seq);
  }

  figures(): Promise<InboxFigures> {
    return this.messages.figures();
  }

  /** Messages of the last 24 hours by hour of receipt, read at most once per HOURS_CACHED_MS. */
  hours(): Promise<HourOfMessages[]> {
    const now = this.clock.now();
    if (this.cached === null || Math.abs(now - this.cached.at) >= HOURS_CACHED_MS) {
      const hours = this.readHours(now);
      this.cached = { at: now, hours };
      hours.catch(() => (this.cached = null));
    }
    return this.cached.hours;
  }

  private async readHours(now: number): Promise<HourOfMessages[]> {
    const last = Math.floor(now / HOUR_MS) * HOUR_MS;
    const starts = Array.from({ length: HOURS + 1 }, (_, index) => last + (index + 1 - HOURS) * HOUR_MS);
    const [processed, waiting] = await Promise.all([
      this.messages.processedBetween(starts),
      this.messages.receiptsOfWaiting(MAX_WAITING_COUNTED),
    ]);
    return processed.map((count, index) => {
      const start = starts[index] ?? last;
      const isIn = (at: number): boolean => at >= start && at < start + HOUR_MS;
      return { start, processed: count, waiting: waiting && waiting.filter(isIn).length };
    });
  }

  /** The ids of messages by `messages.seq`, without deleted messages. */
  idsBySeq(seqs: readonly number[]): Promise<Map<number, string>> {
    return this.messages.idsBySeq([...new Set(seqs)]);
  }

  /** Groups of an account's messages, received within a range. */
  groupsOfAccount(account: number, range: TimeRange): Promise<MessageGroup[]> {
    return this.messages.groups(account, range);
  }

  /** When the last message for an account was received; null before the first. */
  lastOfAccount(account: number): Promise<number | null> {
    return this.messages.lastOfAccount(account);
  }

  /** Processes a message again, like a new delivery. Throws `not_found`, or `conflict` if its body was deleted. */
  async replay(messageId: string): Promise<MessageRow> {
    const { seq } = await this.get(messageId);
    const replayed = await this.lane.run((tx) => this.messages.replay(tx, seq, this.clock.now()));
    if (!replayed) throw new AppError('conflict', 'The body of this message was already deleted.');
    this.telemetry.replayed(1);
    this.worker.wake();
    return this.get(messageId);
  }
}
