import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { RejectedRecords } from '../../health/health-data/rejected-records.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import type { TimeRange } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
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

export type { MessageGroup, OwnerlessMessage } from './messages.repository.js';

export interface MessageQuery extends Omit<MessageFilter, 'account'> {
  /** The customer's id. */
  readonly accountId?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** More are not grouped: the list of all of them would take seconds to read. */
const GROUPED_MESSAGES = 10_000;
const MOST_GROUPS = 100;

/** The operators' view of the inbox and their actions. */
@Injectable()
export class MessagesService {
  constructor(
    private readonly lane: WriteLane,
    private readonly messages: MessagesRepository,
    private readonly accounts: AccountsService,
    private readonly worker: InboxWorker,
    private readonly clock: Clock,
    private readonly telemetry: InboxTelemetry,
    private readonly rejected: RejectedRecords,
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

  /** Groups of the newest 10,000 messages of a filter, the largest first. */
  async groups(filter: Omit<MessageFilter, 'account'>): Promise<FilterGroup[]> {
    const groups = await this.messages.groupsOf(filter, GROUPED_MESSAGES);
    return groups.sort((a, b) => b.count - a.count || b.last_at - a.last_at).slice(0, MOST_GROUPS);
  }

  /** Throws `not_found`. */
  async get(messageId: string): Promise<MessageRow> {
    const message = await this.messages.find(messageId);
    if (!message) throw new AppError('not_found', 'There is no such message.');
    return message;
  }

  /** Finished messages after `afterSeq` without a known owner that still have bodies. */
  ownerless(afterSeq: number, limit: number): Promise<OwnerlessMessage[]> {
    return this.messages.ownerless(afterSeq, limit);
  }

  /** Deletes messages with their bodies; returns their number. */
  delete(tx: Tx, seqs: readonly number[]): Promise<number> {
    return this.messages.delete(tx, seqs);
  }

  /** Records of a message that could not be stored, by reason. */
  rejections({ seq }: MessageRow): Promise<{ reason: string; count: number }[]> {
    return this.rejected.reasonsOf('message', seq);
  }

  /** The bytes as received; null once they are no longer kept. */
  body({ seq }: MessageRow): Promise<Buffer | null> {
    return this.messages.body(seq);
  }

  figures(): Promise<InboxFigures> {
    return this.messages.figures();
  }

  /** The ids of messages by `messages.seq`; those whose row is gone are left out. */
  idsBySeq(seqs: readonly number[]): Promise<Map<number, string>> {
    return this.messages.idsBySeq([...new Set(seqs)]);
  }

  /** Deliveries for an account about one resource (upstream's event name), received within a range. */
  groupsAbout(account: number, eventName: string, range: TimeRange): Promise<MessageGroup[]> {
    const types = [
      `daily.data.${eventName}.created`,
      `daily.data.${eventName}.updated`,
      `historical.data.${eventName}.created`,
    ];
    return this.messages.groups(account, types, range);
  }

  /** When the last message for an account was received; null before the first. */
  lastOfAccount(account: number): Promise<number | null> {
    return this.messages.lastOfAccount(account);
  }

  /**
   * Puts a message back to be processed now, as if just delivered. Throws `not_found`, or `conflict` without a body.
   */
  async replay(messageId: string): Promise<MessageRow> {
    const { seq } = await this.get(messageId);
    const replayed = await this.lane.run((tx) => this.messages.replay(tx, seq, this.clock.now()));
    if (!replayed) throw new AppError('conflict', 'The body of this message is no longer kept.');
    this.telemetry.replayed(1);
    this.worker.wake();
    return this.get(messageId);
  }
}
