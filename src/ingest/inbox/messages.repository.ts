import { Injectable } from '@nestjs/common';
import { externalIdOf } from '../../accounts/accounts/account-sql.js';
import type { TimeRange } from '../../platform/platform/time.js';
import { alongIndex, type Conditions, type NumberOrder, newestBefore } from '../../storage/database/conditions.js';
import { placeholders } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import { withReplayed } from './earlier-outcomes.js';
import type { MessageEntity, MessageStatus } from './message.entity.js';

/** Conditions on messages. Times in epoch milliseconds; `from` is inclusive, `to` exclusive. */
export interface MessageFilter {
  readonly status?: MessageStatus | undefined;
  readonly reason?: string | undefined;
  readonly eventType?: string | undefined;
  /** `accounts.id`. */
  readonly account?: number | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Only messages with these `seq`. */
  readonly seqs?: readonly number[] | undefined;
}

/** A message without its body. */
export interface MessageRow
  extends Omit<MessageEntity, 'account_id' | 'lease_owner' | 'lease_until' | 'lookup_id' | 'replay_id'> {
  /** The customer's id of the account. */
  readonly account_id: string | null;
  /** 1 while the body is stored. */
  readonly has_body: number;
}

export interface InboxFigures {
  /** Messages with a due time, or waiting for a lookup of their user. */
  readonly waiting: number;
  readonly waitingForUser: number;
  /** Messages without an attempt. */
  readonly unread: number;
  readonly dead: number;
  /** First receipt of the longest waiting message. */
  readonly oldestWaitingAt: number | null;
  readonly lastReceivedAt: number | null;
}

/** Messages of an account with the same event type, status and reason. Times in epoch milliseconds. */
export interface MessageGroup {
  readonly event_type: string;
  readonly status: string;
  readonly reason: string | null;
  readonly count: number;
  readonly first_at: number;
  readonly last_at: number;
  /** Id of the last message in the group. */
  readonly message_id: string;
}

/** Messages matching a filter with the same event type, status and reason. */
export type FilterGroup = Omit<MessageGroup, 'event_type' | 'message_id'> & { readonly event_type: string | null };

/** `seq` rises with the time of receipt, except for differences between clocks and after a clock was set back. */
const ORDER_SLACK_MS = 600_000;
/**
 * After a clock was set back, messages of both times are found among this many neighbours. If more of one time were
 * received between two of the other, a list or replay by time misses messages of the other.
 */
const NEIGHBOURS = 1_000;

function withBody(condition: string): string {
  return `SELECT m.seq, b.body FROM messages m JOIN message_bodies b ON b.seq = m.seq
    WHERE ${condition} AND m.seq > ? ORDER BY m.seq LIMIT ?`;
}

/** Statements for one account, exported for the test that none scans a table. */
export const messageSql = {
  groups: `SELECT g.event_type, g.status, g.reason, g.count, g.first_at, g.last_at, m.message_id
    FROM (SELECT event_type, status, reason, COUNT(*) AS count, MIN(received_at) AS first_at,
        MAX(received_at) AS last_at, MAX(seq) AS seq
      FROM messages WHERE account_id = ? AND received_at >= ? AND received_at < ? AND event_type IS NOT NULL
      GROUP BY event_type, status, reason) g
    JOIN messages m ON m.seq = g.seq ORDER BY g.seq`,
  lastOfAccount: 'SELECT received_at FROM messages WHERE account_id = ? ORDER BY seq DESC LIMIT 1',
} as const;

const ownerless = `SELECT * FROM (${withBody('account_id IS NULL AND due_at IS NULL')}) nobodys
    UNION ALL SELECT * FROM (${withBody(`reason = 'user_mismatch' AND account_id IS NOT NULL`)}) somebodys
    ORDER BY seq LIMIT ?`;

export const bodySql = 'SELECT body FROM message_bodies WHERE seq = ?';

const hasBody = 'EXISTS (SELECT 1 FROM message_bodies b WHERE b.seq = messages.seq)';

const row = `seq, message_id, received_at, sent_at, status, event_type, attempts, due_at, reason, finished_at, outcomes, size,
  CASE WHEN ${hasBody} THEN 1 ELSE 0 END AS has_body,
  ${externalIdOf('messages.account_id')} AS account_id`;

/** A message that no worker has seen is due since its receipt, so the index of due messages contains it. */
const unread = `status = 'received' AND due_at IS NOT NULL`;

/** True for a message that a worker has seen; the condition of the index by status. */
export const looked = `status <> 'received'`;

const finished = 'SELECT seq FROM messages WHERE finished_at IS NOT NULL AND received_at';

/** Exclusive bounds of `seq` for a time range: every message received in the range lies between them. */
const before = `(SELECT MIN(seq) FROM (
  SELECT COALESCE((${finished} < ? ORDER BY received_at DESC LIMIT 1), 0) AS seq
  UNION ALL SELECT seq - 1 FROM (${finished} >= ? ORDER BY received_at LIMIT ${NEIGHBOURS}) next) lowest)`;
const after = `(SELECT MAX(seq) FROM (
  SELECT COALESCE((${finished} > ? ORDER BY received_at LIMIT 1), ${Number.MAX_SAFE_INTEGER}) AS seq
  UNION ALL SELECT seq + 1 FROM (${finished} <= ? ORDER BY received_at DESC LIMIT ${NEIGHBOURS}) last) highest)`;

/** Receipt time of the oldest message that no worker has tried and that matches a condition. */
export const oldestReceived = (condition: string): string =>
  `SELECT received_at FROM messages WHERE ${unread} AND ${condition} ORDER BY due_at, seq LIMIT 1`;

/** When the last new message was received. */
export const lastReceivedAt = '(SELECT received_at FROM messages WHERE seq = (SELECT MAX(seq) FROM messages))';

/** Each subquery reads only an index, at most the one of due messages. */
const figures = `SELECT
  (SELECT COUNT(*) FROM messages WHERE due_at IS NOT NULL) AS due,
  (SELECT COUNT(*) FROM messages WHERE lookup_id IS NOT NULL) AS aside,
  (SELECT COUNT(*) FROM messages WHERE ${unread}) AS unread,
  (SELECT COUNT(*) FROM messages WHERE status = 'dead' AND ${looked}) AS dead,
  (SELECT MIN(received_at) FROM (SELECT * FROM (${oldestReceived('1 = 1')}) untried
    UNION ALL SELECT * FROM (SELECT received_at FROM messages WHERE status = 'retry' AND ${looked}
      ORDER BY seq LIMIT 1) tried) oldest) AS oldest_waiting_at,
  ${lastReceivedAt} AS last_received_at`;

const replay = `UPDATE messages SET status = 'retry', attempts = 0, waits = 0, replays = replays + 1, due_at = ?,
  outcomes = ${withReplayed}, reason = NULL, finished_at = NULL, lease_owner = NULL, lease_until = NULL,
  lookup_id = NULL`;

/** A replay clears the reason of the last failure; the next failure sets one. */
const untried = `status = 'retry' AND reason IS NULL`;

/** Part of a replay: messages after `afterSeq` up to `lastSeq` that were received by `at` and not finished since. */
export interface ReplaySlice {
  readonly replay: number;
  readonly afterSeq: number;
  readonly lastSeq: number;
  readonly at: number;
  readonly limit: number;
  readonly now: number;
}

/** A finished message without a known owner. */
export interface OwnerlessMessage {
  readonly seq: number;
  readonly body: Buffer;
}

/** Number of messages received in an hour that are done, ignored or dead. */
const processedIn = `SELECT COUNT(*) AS count FROM messages WHERE finished_at IS NOT NULL AND received_at >= ? AND received_at < ?`;

/** Receipt times of waiting messages. */
const waitingSince = `SELECT received_at FROM (SELECT * FROM (SELECT received_at FROM messages WHERE due_at IS NOT NULL LIMIT ?) due
  UNION ALL SELECT * FROM (SELECT received_at FROM messages WHERE lookup_id IS NOT NULL LIMIT ?) aside) waiting`;

/** The messages table, as used by operators: lists, counts and replays. */
@Injectable()
export class MessagesRepository {
  constructor(private readonly reader: Reader) {}

  find(messageId: string): Promise<MessageRow | null> {
    return this.reader.row(`SELECT ${row} FROM messages WHERE message_id = ?`, [messageId]);
  }

  /** The body as received; null if it was deleted. */
  async body(seq: number): Promise<Buffer | null> {
    const [found] = await this.reader.rows<{ body: Buffer }>(bodySql, [seq]);
    return found?.body ?? null;
  }

  /** Messages before `beforeSeq`, newest first. */
  page(filter: MessageFilter, beforeSeq: number | null, limit: number): Promise<MessageRow[]> {
    const { conditions, orderBy } = found(filter, newestBefore('seq', beforeSeq));
    const sql = `SELECT ${row} FROM messages ${conditions.where} ORDER BY ${orderBy} LIMIT ?`;
    return this.reader.rows(sql, [...conditions.values, limit]);
  }

  /** Groups of the newest `limit` messages that match a filter. */
  groupsOf(filter: MessageFilter, limit: number): Promise<FilterGroup[]> {
    const { conditions, orderBy } = found(filter, newestBefore('seq', null));
    return this.reader.rows(
      `SELECT event_type, status, reason, COUNT(*) AS count, MIN(received_at) AS first_at, MAX(received_at) AS last_at
       FROM (SELECT event_type, status, reason, received_at FROM messages ${conditions.where}
         ORDER BY ${orderBy} LIMIT ?) newest
       GROUP BY event_type, status, reason`,
      [...conditions.values, limit],
    );
  }

  /**
   * Numbers of messages that match a filter, with and without a body, among the first `most` after `afterSeq` up to
   * `lastSeq`. Only those with a body can be replayed.
   */
  async countBodies(
    filter: MessageFilter,
    { afterSeq, lastSeq, most }: { afterSeq: number; lastSeq: number; most: number },
  ): Promise<{ kept: number; gone: number }> {
    const { conditions, orderBy } = found(filter, { number: 'seq', order: 'ASC', from: afterSeq, to: lastSeq });
    const { where, values } = conditions;
    const [counted] = await this.reader.rows<{ count: number; kept: number }>(
      `SELECT COUNT(*) AS count, COUNT(CASE WHEN ${hasBody} THEN 1 END) AS kept
       FROM (SELECT seq FROM messages ${where} ORDER BY ${orderBy} LIMIT ?) messages`,
      [...values, most],
    );
    const { count, kept } = counted ?? { count: 0, kept: 0 };
    return { kept, gone: count - kept };
  }

  async figures(): Promise<InboxFigures> {
    const [found] = await this.reader.rows<Record<string, number | null>>(figures);
    const count = (name: string): number => found?.[name] ?? 0;
    return {
      waiting: count('due') + count('aside'),
      waitingForUser: count('aside'),
      unread: count('unread'),
      dead: count('dead'),
      oldestWaitingAt: found?.['oldest_waiting_at'] ?? null,
      lastReceivedAt: found?.['last_received_at'] ?? null,
    };
  }

  /** Number of processed messages received from each of `starts` up to the next. */
  async processedBetween(starts: readonly number[]): Promise<number[]> {
    const hours = starts.slice(0, -1).map((start, index) => [start, starts[index + 1] ?? start] as const);
    const sql = hours.map((_, index) => `SELECT ${index} AS hour, (${processedIn}) AS count`).join(' UNION ALL ');
    const rows = await this.reader.rows<{ hour: number; count: number }>(`${sql} ORDER BY hour`, hours.flat());
    return rows.map(({ count }) => count);
  }

  /** Receipt time of each waiting message; null if more than `limit` wait. */
  async receiptsOfWaiting(limit: number): Promise<number[] | null> {
    const rows = await this.reader.rows<{ received_at: number }>(waitingSince, [limit + 1, limit + 1]);
    return rows.length > limit ? null : rows.map(({ received_at }) => received_at);
  }

  /** The ids of messages by `seq`, without deleted messages. */
  async idsBySeq(seqs: readonly number[]): Promise<Map<number, string>> {
    if (seqs.length === 0) return new Map();
    const rows = await this.reader.rows<{ seq: number; message_id: string }>(
      `SELECT seq, message_id FROM messages WHERE seq IN (${placeholders(seqs.length)})`,
      seqs,
    );
    return new Map(rows.map(({ seq, message_id }) => [seq, message_id]));
  }

  /** Groups of an account's messages, received within a range, by their last message. */
  groups(account: number, { start, end }: TimeRange): Promise<MessageGroup[]> {
    return this.reader.rows(messageSql.groups, [account, start, end]);
  }

  /** When the last message of an account was received. */
  async lastOfAccount(account: number): Promise<number | null> {
    const found = await this.reader.row<{ received_at: number }>(messageSql.lastOfAccount, [account]);
    return found?.received_at ?? null;
  }

  /** Makes a message due again; false if it does not exist or has no body. */
  async replay(tx: Tx, seq: number, now: number): Promise<boolean> {
    return (await tx.execute(`${replay} WHERE seq = ? AND ${hasBody}`, [now, seq])) > 0;
  }

  /**
   * Replays up to `limit` messages of a slice that still have a body; returns their `seq`. Times in the future are from
   * before the clock was set back.
   */
  async replayNext(tx: Tx, filter: MessageFilter, slice: ReplaySlice): Promise<number[]> {
    const { conditions, orderBy } = found(filter, {
      number: 'seq',
      order: 'ASC',
      from: slice.afterSeq,
      to: slice.lastSeq,
    });
    conditions
      .add('(received_at <= ? OR received_at > ?)', slice.at, slice.now)
      .add('(finished_at IS NULL OR finished_at <= ? OR finished_at > ?)', slice.at, slice.now)
      .add(hasBody);
    const sql = `SELECT seq FROM messages ${conditions.where} ORDER BY ${orderBy} LIMIT ?`;
    const rows = await tx.rows<{ seq: number }>(sql, [...conditions.values, slice.limit]);
    const seqs = rows.map(({ seq }) => seq);
    if (seqs.length > 0) {
      const given = [slice.now, slice.replay, ...seqs];
      await tx.execute(`${replay}, replay_id = ? WHERE seq IN (${placeholders(seqs.length)})`, given);
    }
    return seqs;
  }

  /** Replays the messages that still have a body; returns their number. */
  replaySelected(tx: Tx, replayId: number, messageIds: readonly string[], now: number): Promise<number> {
    const sql = `${replay}, replay_id = ? WHERE message_id IN (${placeholders(messageIds.length)}) AND ${hasBody}`;
    return tx.execute(sql, [now, replayId, ...messageIds]);
  }

  /** Removes tried messages from a replay; returns their statuses. */
  async takeTried(tx: Tx, replayId: number): Promise<MessageStatus[]> {
    const rows = await tx.rows<{ status: MessageStatus }>(
      `UPDATE messages SET replay_id = NULL WHERE seq IN (
         SELECT seq FROM messages WHERE replay_id = ? AND NOT (${untried}) ${tx.skipLocked}) RETURNING status`,
      [replayId],
    );
    return rows.map(({ status }) => status);
  }

  async untriedOf(tx: Tx, replayId: number): Promise<number> {
    const sql = 'SELECT COUNT(*) AS count FROM messages WHERE replay_id = ?';
    const [found] = await tx.rows<{ count: number }>(sql, [replayId]);
    return found?.count ?? 0;
  }

  async lastSeq(): Promise<number> {
    const found = await this.reader.row<{ seq: number | null }>('SELECT MAX(seq) AS seq FROM messages');
    return found?.seq ?? 0;
  }

  async seqsOf(messageIds: readonly string[]): Promise<number[]> {
    const sql = `SELECT seq FROM messages WHERE message_id IN (${placeholders(messageIds.length)})`;
    return (await this.reader.rows<{ seq: number }>(sql, messageIds)).map(({ seq }) => seq);
  }

  /**
   * Messages after `afterSeq` that still have bodies, are not due, and either have no known owner or are about another
   * user than their account.
   */
  ownerless(afterSeq: number, limit: number): Promise<OwnerlessMessage[]> {
    return this.reader.rows(ownerless, [afterSeq, limit, afterSeq, limit, limit]);
  }

  delete(tx: Tx, seqs: readonly number[]): Promise<number> {
    return tx.execute(`DELETE FROM messages WHERE seq IN (${placeholders(seqs.length)})`, seqs);
  }
}

function found(
  { status, reason, eventType, account, from, to, seqs }: MessageFilter,
  order: NumberOrder,
): { conditions: Conditions; orderBy: string } {
  const earliest = from === undefined ? undefined : from - ORDER_SLACK_MS;
  const latest = to === undefined ? undefined : to + ORDER_SLACK_MS;
  // The index by status has no messages that are unread.
  const isUnread = status === 'received';
  const byIndex = { account_id: account, reason, event_type: eventType, status: isUnread ? undefined : status };
  const isTimed = from !== undefined || to !== undefined || seqs !== undefined;
  const { conditions, orderBy } = alongIndex(order, byIndex, isTimed);
  if (status !== undefined && !isUnread) conditions.add(looked);
  conditions
    .add(`status = ? AND seq IN (SELECT seq FROM messages WHERE ${unread})`, isUnread ? status : undefined)
    .add('received_at >= ?', from)
    .add('received_at < ?', to)
    .add(`seq > ${before}`, earliest, earliest)
    .add(`seq < ${after}`, latest, latest);
  if (seqs) conditions.add(seqs.length === 0 ? '1 = 0' : `seq IN (${placeholders(seqs.length)})`, ...seqs);
  return { conditions, orderBy };
}
