import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { AutoIncrementKey, BytesColumn, IntColumn, IntKey, oneOf, TextColumn } from '../../storage/database/columns.js';
import { LeaseColumns } from '../../storage/work/lease-columns.js';
import { LONG_BYTES } from '../events/event.js';

/**
 * received: stored, not processed yet · retry: failed, retried at `due_at` or when its user is known · done: its effect
 * is stored · ignored: has no effect, see `reason` · dead: given up unless an operator replays it.
 */
export const messageStatuses = ['received', 'done', 'retry', 'dead', 'ignored'] as const;
export type MessageStatus = (typeof messageStatuses)[number];

/**
 * A webhook message as first delivered. `message_id` is upstream's id, the same for every retry and replay. Inserting a
 * short message before the 204 writes only two indexes, of message ids and of due messages; all other indexes contain
 * only long messages or messages that a worker has seen.
 */
@Entity('messages')
@Check('messages_status', oneOf('status', messageStatuses))
@Index('messages_message_id', ['message_id'], { unique: true })
@Index('messages_due', ['due_at', 'seq'], { where: 'due_at IS NOT NULL' })
@Index('messages_status_seq', ['status', 'seq'], { where: `status <> 'received'` })
@Index('messages_account_seq', ['account_id', 'seq'], { where: 'account_id IS NOT NULL' })
@Index('messages_account_received_at', ['account_id', 'received_at', 'seq'], { where: 'account_id IS NOT NULL' })
@Index('messages_dead', ['account_id', 'finished_at', 'seq'], { where: `status = 'dead'` })
@Index('messages_event_type_seq', ['event_type', 'seq'], { where: 'event_type IS NOT NULL' })
@Index('messages_ownerless', ['seq'], { where: 'account_id IS NULL AND due_at IS NULL' })
@Index('messages_received_at', ['received_at'], { where: 'finished_at IS NOT NULL' })
@Index('messages_foreign', ['received_at'], { where: `reason = 'foreign_team'` })
@Index('messages_reason_seq', ['reason', 'seq'], { where: 'reason IS NOT NULL' })
@Index('messages_due_long', ['due_at', 'seq'], { where: `due_at IS NOT NULL AND size > ${LONG_BYTES}` })
@Index('messages_lookup', ['lookup_id', 'seq'], { where: 'lookup_id IS NOT NULL' })
@Index('messages_replay', ['replay_id'], { where: 'replay_id IS NOT NULL' })
export class MessageEntity extends LeaseColumns {
  @AutoIncrementKey() seq: number;
  @TextColumn() message_id: string;
  /** First receipt; the observation time of all its data. */
  @IntColumn() received_at: number;
  /** Time of upstream's delivery attempt. Never use it to order events. */
  @IntColumn() sent_at: number;
  @TextColumn() status: MessageStatus;
  @TextColumn({ nullable: true }) event_type: string | null;
  @IntColumn({ nullable: true }) account_id: number | null;
  @IntColumn() attempts: number;
  /** Null once there is nothing left to do. */
  @IntColumn({ nullable: true }) due_at: number | null;
  /** Number of replays by operators. */
  @IntColumn({ default: 0 }) replays: number;
  @TextColumn({ nullable: true }) reason: string | null;
  @IntColumn({ nullable: true }) finished_at: number | null;
  /** Earlier outcomes, see earlier-outcomes.ts; null if there are none. */
  @TextColumn({ nullable: true }) outcomes: string | null;
  /** Bytes of the body as received. */
  @IntColumn() size: number;
  /** The lookup of its user that the message waits for; it is not due until then. */
  @IntColumn({ nullable: true }) lookup_id: number | null;
  /** The replay that made it due, until the outcome of its first attempt has been counted. */
  @IntColumn({ nullable: true }) replay_id: number | null;
}

/**
 * The body as received, deleted after the retention; separate from the state, which changes with every attempt.
 */
@Entity('message_bodies')
export class MessageBodyEntity {
  @ForeignKey(() => MessageEntity, { name: 'message_bodies_message', onDelete: 'CASCADE' })
  @IntKey()
  seq: number;
  @BytesColumn() body: Buffer;
}
