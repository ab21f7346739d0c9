import { Injectable } from '@nestjs/common';
import { placeholders, type SqlInput } from '../database/dialect.js';
import { Reader } from '../database/reader.js';
import type { Tx } from '../database/tx.js';
import type { MessageEntity, MessageStatus } from './message.entity.js';

/** Conditions on messages; times in epoch milliseconds, `from` included and `to` not. */
export interface MessageFilter {
  readonly status?: MessageStatus | undefined;
  readonly eventType?: string | undefined;
  /** `accounts.id`. */
  readonly account?: number | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A message without its body. */
export interface MessageRow extends Omit<MessageEntity, 'account_id' | 'lease_owner' | 'lease_until'> {
  /** The customer's id of the account. */
  readonly account_id: string | null;
  /** 1 while the body is kept. */
  readonly has_body: number;
}

export interface InboxFigures {
  /** Messages that are due now or later. */
  readonly waiting: number;
  readonly dead: number;
  /** First receipt of the message that waits longest. */
  readonly oldestWaitingAt: number | null;
  readonly lastReceivedAt: number | null;
}

const hasBody = 'EXISTS (SELECT 1 FROM message_bodies b WHERE b.seq = messages.seq)';

const row = `seq, message_id, received_at, sent_at, status, event_type, attempts, next_attempt_at, reason, finished_at, size,
  CASE WHEN ${hasBody} THEN 1 ELSE 0 END AS has_body,
  (SELECT a.account_id FROM accounts a WHERE a.id = messages.account_id) AS account_id`;

const oldestOf = (status: MessageStatus): string =>
  `SELECT received_at FROM (SELECT received_at FROM messages WHERE status = '${status}' ORDER BY seq LIMIT 1) ${status}`;

/** Each part is answered by an index. */
const figures = `SELECT
  (SELECT COUNT(*) FROM messages WHERE next_attempt_at IS NOT NULL) AS waiting,
  (SELECT COUNT(*) FROM messages WHERE status = 'dead') AS dead,
  (SELECT MIN(received_at) FROM (${oldestOf('received')} UNION ALL ${oldestOf('retry')}) oldest) AS oldest_waiting_at,
  (SELECT MAX(received_at) FROM messages) AS last_received_at`;

const replay = `UPDATE messages SET status = 'retry', attempts = 0, next_attempt_at = ?, reason = NULL,
  finished_at = NULL, lease_owner = NULL, lease_until = NULL`;

/** The operators' side of the messages table: what they see, and replaying. */
@Injectable()
export class MessagesRepository {
  constructor(private readonly reader: Reader) {}

  find(messageId: string): Promise<MessageRow | null> {
    return this.reader.row<MessageRow>(`SELECT ${row} FROM messages WHERE message_id = ?`, [messageId]);
  }

  async body(seq: number): Promise<Buffer | null> {
    const found = await this.reader.row<{ body: Buffer }>('SELECT body FROM message_bodies WHERE seq = ?', [seq]);
    return found?.body ?? null;
  }

  /** Newest first, those before `beforeSeq`. */
  page(filter: MessageFilter, beforeSeq: number | null, limit: number): Promise<MessageRow[]> {
    const { sql, values } = where(filter, beforeSeq === null ? [] : [['seq < ?', beforeSeq]]);
    return this.reader.rows(`SELECT ${row} FROM messages ${sql} ORDER BY seq DESC LIMIT ?`, [...values, limit]);
  }

  async figures(): Promise<InboxFigures> {
    const found = await this.reader.row<Record<string, number | null>>(figures);
    return {
      waiting: found?.['waiting'] ?? 0,
      dead: found?.['dead'] ?? 0,
      oldestWaitingAt: found?.['oldest_waiting_at'] ?? null,
      lastReceivedAt: found?.['last_received_at'] ?? null,
    };
  }

  /** False when there is no such message with a body. */
  async replay(tx: Tx, seq: number, now: number): Promise<boolean> {
    return (await tx.execute(`${replay} WHERE seq = ? AND ${hasBody}`, [now, seq])) > 0;
  }

  async countWithoutBody(filter: MessageFilter): Promise<number> {
    const { sql, values } = where(filter, []);
    const found = await this.reader.row<{ count: number }>(
      `SELECT COUNT(*) AS count FROM messages ${sql} AND NOT ${hasBody}`,
      values,
    );
    return found?.count ?? 0;
  }

  /** Replays up to `limit` messages after `afterSeq` that still have a body; answers which. */
  async replayNext(
    tx: Tx,
    filter: MessageFilter,
    slice: { afterSeq: number; limit: number; now: number },
  ): Promise<number[]> {
    const { sql, values } = where(filter, [
      ['seq > ?', slice.afterSeq],
      ['received_at <= ?', slice.now],
    ]);
    const rows = await tx.rows<{ seq: number }>(`SELECT seq FROM messages ${sql} AND ${hasBody} ORDER BY seq LIMIT ?`, [
      ...values,
      slice.limit,
    ]);
    const seqs = rows.map(({ seq }) => seq);
    if (seqs.length > 0)
      await tx.execute(`${replay} WHERE seq IN (${placeholders(seqs.length)})`, [slice.now, ...seqs]);
    return seqs;
  }
}

function where(filter: MessageFilter, more: [string, SqlInput][]): { sql: string; values: SqlInput[] } {
  const wanted: [string, SqlInput][] = [
    ['status = ?', filter.status],
    ['event_type = ?', filter.eventType],
    ['account_id = ?', filter.account],
    ['received_at >= ?', filter.from],
    ['received_at < ?', filter.to],
    ...more,
  ];
  const given = wanted.filter(([, value]) => value !== undefined);
  if (given.length === 0) return { sql: '', values: [] };
  return {
    sql: `WHERE ${given.map(([condition]) => condition).join(' AND ')}`,
    values: given.map(([, value]) => value),
  };
}
