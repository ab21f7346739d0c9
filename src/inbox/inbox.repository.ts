import { Injectable } from '@nestjs/common';
import { placeholders } from '../database/dialect.js';
import { Reader } from '../database/reader.js';
import type { BulkShape, Tx } from '../database/tx.js';
import type { MessageBodyEntity, MessageEntity } from './message.entity.js';

/** A delivery that was verified; its body has not been read. */
export interface NewMessage {
  readonly messageId: string;
  readonly receivedAt: number;
  readonly sentAt: number;
  readonly body: Buffer;
}

/** A message that one attempt holds under a lease. */
export interface Claimed {
  readonly leaseOwner: string;
  readonly seq: number;
  readonly messageId: string;
  readonly receivedAt: number;
  /** Including the one that begins now. */
  readonly attempts: number;
  readonly size: number;
}

export interface Lease {
  readonly owner: string;
  readonly now: number;
  readonly until: number;
}

/** What an attempt ends in. A message that is to be tried again is due after `delayMs`. */
export type Outcome =
  | { readonly status: 'done' }
  | { readonly status: 'ignored'; readonly reason: string }
  | { readonly status: 'dead'; readonly reason: string }
  | { readonly status: 'retry'; readonly reason: string; readonly delayMs: number; readonly counts: boolean };

/** The end of an attempt, and what it has learned about its message. */
export interface AttemptEnd {
  readonly outcome: Outcome;
  readonly eventType: string | null;
  readonly account: number | null;
  readonly now: number;
}

const newMessages: BulkShape = {
  table: 'messages',
  columns: [
    { name: 'message_id', type: 'text' },
    { name: 'received_at', type: 'int' },
    { name: 'sent_at', type: 'int' },
    { name: 'status', type: 'text' },
    { name: 'attempts', type: 'int' },
    { name: 'next_attempt_at', type: 'int' },
    { name: 'size', type: 'int' },
  ],
  conflict: ['message_id'],
  update: [],
  returning: ['seq', 'message_id'],
};

const newBodies: BulkShape = {
  table: 'message_bodies',
  columns: [
    { name: 'seq', type: 'int' },
    { name: 'body', type: 'bytes' },
  ],
  conflict: ['seq'],
  update: [],
};

/** The inbox side of the messages table: what a delivery and the worker do to it. */
@Injectable()
export class InboxRepository {
  constructor(private readonly reader: Reader) {}

  /**
   * Stores what is not stored yet; answers how many that were. Sorted, so that two processes that store the same
   * messages cannot wait for each other crosswise.
   */
  async insertNew(tx: Tx, messages: readonly NewMessage[]): Promise<number> {
    const byId = new Map<string, NewMessage>();
    for (const message of messages) if (!byId.has(message.messageId)) byId.set(message.messageId, message);
    const ids = [...byId.keys()].sort();
    const values = ids.flatMap((id) => {
      const { receivedAt, sentAt, body } = byId.get(id) as NewMessage;
      return [id, receivedAt, sentAt, 'received', 0, receivedAt, body.length];
    });
    const stored = await tx.bulkRows<Pick<MessageEntity, 'seq' | 'message_id'>>(newMessages, values);
    const bodies = stored.flatMap(({ seq, message_id }) => [seq, (byId.get(message_id) as NewMessage).body]);
    await tx.bulk(newBodies, bodies);
    return stored.length;
  }

  /**
   * Leases due messages of nobody else to one owner, longest due first. Counts the attempt at claim time, so that a
   * message that crashes the process is eventually given up.
   */
  async claim(tx: Tx, lease: Lease, limit: number): Promise<Claimed[]> {
    const rows = await tx.rows<MessageEntity>(
      `UPDATE messages SET lease_owner = ?, lease_until = ?, attempts = attempts + 1 WHERE seq IN (
         SELECT seq FROM messages WHERE next_attempt_at <= ? AND (lease_until IS NULL OR lease_until <= ?)
         ORDER BY next_attempt_at, seq LIMIT ? ${tx.skipLocked})
       RETURNING seq, message_id, received_at, attempts, size`,
      [lease.owner, lease.until, lease.now, lease.now, limit],
    );
    return rows
      .map(({ seq, message_id, received_at, attempts, size }) => {
        return { leaseOwner: lease.owner, seq, messageId: message_id, receivedAt: received_at, attempts, size };
      })
      .sort((a, b) => a.seq - b.seq);
  }

  async bodies(seqs: readonly number[]): Promise<Map<number, Buffer>> {
    const sql = `SELECT seq, body FROM message_bodies WHERE seq IN (${placeholders(seqs.length)})`;
    const rows = await this.reader.rows<MessageBodyEntity>(sql, seqs);
    return new Map(rows.map(({ seq, body }) => [seq, body]));
  }

  /** Ends an attempt. False when its lease is over and somebody else has the message. */
  async end(tx: Tx, message: Claimed, { outcome, eventType, account, now }: AttemptEnd): Promise<boolean> {
    const reason = outcome.status === 'done' ? null : outcome.reason;
    const dueAt = outcome.status === 'retry' ? now + outcome.delayMs : null;
    const isCounted = outcome.status !== 'retry' || outcome.counts;
    const attempts = isCounted ? message.attempts : message.attempts - 1;
    const written = await tx.execute(
      `UPDATE messages SET status = ?, reason = ?, event_type = COALESCE(?, event_type),
         account_id = COALESCE(?, account_id), attempts = ?, next_attempt_at = ?, finished_at = ?,
         lease_owner = NULL, lease_until = NULL
       WHERE seq = ? AND lease_owner = ?`,
      [
        ...[outcome.status, reason, eventType, account, attempts, dueAt, dueAt === null ? now : null],
        ...[message.seq, message.leaseOwner],
      ],
    );
    return written > 0;
  }

  async dropBody(tx: Tx, seq: number): Promise<void> {
    await tx.execute('DELETE FROM message_bodies WHERE seq = ?', [seq]);
  }

  /** Gives back messages of one owner that were claimed and not attempted. */
  async release(tx: Tx, messages: readonly Claimed[]): Promise<void> {
    await tx.execute(
      `UPDATE messages SET lease_owner = NULL, lease_until = NULL, attempts = attempts - 1
       WHERE lease_owner = ? AND seq IN (${placeholders(messages.length)})`,
      [messages[0]?.leaseOwner, ...messages.map(({ seq }) => seq)],
    );
  }

  /** Ends the leases of every other owner. For a store that only one process works on. */
  async releaseOthers(tx: Tx, owner: string): Promise<number> {
    return tx.execute(
      `UPDATE messages SET lease_owner = NULL, lease_until = NULL
       WHERE next_attempt_at IS NOT NULL AND lease_owner <> ?`,
      [owner],
    );
  }

  /** Messages after `afterSeq` that still have a body, oldest first, of those first received before `before`. */
  async withBody(afterSeq: number, before: number, limit: number): Promise<number[]> {
    const newest = await this.reader.row<{ seq: number }>(
      'SELECT seq FROM messages WHERE received_at < ? ORDER BY received_at DESC, seq DESC LIMIT 1',
      [before],
    );
    if (!newest) return [];
    const rows = await this.reader.rows<{ seq: number }>(
      'SELECT seq FROM message_bodies WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
      [afterSeq, newest.seq, limit],
    );
    return rows.map(({ seq }) => seq);
  }

  /** Deletes the bodies of those that were finished before `before`, and not of those that are replayed just now. */
  dropBodies(tx: Tx, seqs: readonly number[], before: number): Promise<number> {
    return tx.execute(
      `DELETE FROM message_bodies WHERE seq IN (
         SELECT seq FROM messages WHERE seq IN (${placeholders(seqs.length)})
           AND status IN ('done', 'ignored') AND finished_at < ? ${tx.skipLocked})`,
      [...seqs, before],
    );
  }
}
