import { Injectable } from '@nestjs/common';
import { shapeOf } from '../../storage/database/columns.js';
import { placeholders, type SqlValue } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { NumberedShape, Tx } from '../../storage/database/tx.js';
import { LeasedRows, type Restriction } from '../../storage/work/leased-rows.js';
import { LONG_BYTES } from '../events/event.js';
import { MessageBodyEntity, MessageEntity } from './message.entity.js';
import { oldestReceived } from './messages.repository.js';

/** A verified delivery, whose body has not been parsed. */
export interface Delivery {
  readonly messageId: string;
  readonly receivedAt: number;
  readonly sentAt: number;
  readonly body: Buffer;
}

const newMessages: NumberedShape = {
  ...shapeOf(MessageEntity, ['message_id', 'received_at', 'sent_at', 'size', 'status', 'attempts', 'due_at']),
  number: 'seq',
  conflict: 'message_id',
  beside: [shapeOf(MessageBodyEntity)],
};

/** The messages table, as used by deliveries and the worker. */
@Injectable()
export class InboxRepository {
  readonly rows = new LeasedRows(MessageEntity, 'reason');

  constructor(private readonly reader: Reader) {}

  /** True if a claim of this share would find a message. */
  anyDue(now: number, only: Restriction): Promise<boolean> {
    return this.rows.anyDue(this.reader, now, only);
  }

  /** Stores deliveries of new messages; returns their number. */
  async store(tx: Tx, deliveries: readonly Delivery[]): Promise<number> {
    const values: SqlValue[] = [];
    for (const { messageId, receivedAt, sentAt, body } of deliveries) {
      values.push(messageId, receivedAt, sentAt, body.length, 'received', 0, receivedAt, body);
    }
    return tx.insertNumbered(newMessages, values);
  }

  /** Bodies as received, by `seq`. */
  async bodies(seqs: readonly number[]): Promise<Map<number, Buffer>> {
    const sql = `SELECT seq, body FROM message_bodies WHERE seq IN (${placeholders(seqs.length)})`;
    const rows = await this.reader.few<MessageBodyEntity>(sql, seqs);
    return new Map(rows.map(({ seq, body }) => [seq, body]));
  }

  /**
   * Receipt time of the oldest untried message; null if there is none. `isLong` selects long or short messages, which
   * are processed separately.
   */
  async oldestUntried(isLong: boolean): Promise<number | null> {
    const sql = oldestReceived(`attempts = 0 AND size ${isLong ? '>' : '<='} ${LONG_BYTES}`);
    const row = await this.reader.row<{ received_at: number }>(sql);
    return row?.received_at ?? null;
  }

  /** Makes at most `limit` messages that waited for a lookup due; returns their number. */
  letGo(tx: Tx, lookup: number, { now, limit }: { now: number; limit: number }): Promise<number> {
    return tx.execute(
      `UPDATE messages SET due_at = ?, lookup_id = NULL
       WHERE seq IN (SELECT seq FROM messages WHERE lookup_id = ? ORDER BY seq LIMIT ?)`,
      [now, lookup, limit],
    );
  }

  async dropBodies(tx: Tx, seqs: readonly number[]): Promise<void> {
    await tx.execute(`DELETE FROM message_bodies WHERE seq IN (${placeholders(seqs.length)})`, seqs);
  }

  /** Messages after `afterSeq` that still have a body, by `seq`, up to the first one received at or after `before`. */
  async withBody(afterSeq: number, before: number, limit: number): Promise<number[]> {
    const rows = await this.reader.rows<{ seq: number; received_at: number }>(
      `SELECT b.seq, m.received_at FROM message_bodies b JOIN messages m ON m.seq = b.seq
       WHERE b.seq > ? ORDER BY b.seq LIMIT ?`,
      [afterSeq, limit],
    );
    const end = rows.findIndex(({ received_at }) => received_at >= before);
    return rows.slice(0, end < 0 ? limit : end).map(({ seq }) => seq);
  }

  /**
   * Deletes the bodies of messages that were done or ignored before `before`, or dead before `deadBefore`; returns
   * their number. Keeps bodies of messages that are being replayed.
   */
  dropFinishedBodies(
    tx: Tx,
    seqs: readonly number[],
    { before, deadBefore }: { before: number; deadBefore: number },
  ): Promise<number> {
    return tx.execute(
      `DELETE FROM message_bodies WHERE seq IN (
         SELECT seq FROM messages WHERE seq IN (${placeholders(seqs.length)})
           AND (status IN ('done', 'ignored') AND finished_at < ? OR status = 'dead' AND finished_at < ?)
         ${tx.skipLocked})`,
      [...seqs, before, deadBefore],
    );
  }
}
