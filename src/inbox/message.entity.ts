import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { AutoIncrementKey, BytesColumn, IntColumn, IntKey, oneOf, TextColumn } from '../database/columns.js';
import { LONG_BYTES } from '../events/event.js';

/**
 * received: stored, not processed yet · retry: failed, tried again at `due_at`, or when its user is known · done: its
 * effect is stored · ignored: understood to need no effect, `reason` says why · dead: given up until someone replays
 * it.
 */
export const messageStatuses = ['received', 'done', 'retry', 'dead', 'ignored'] as const;
export type MessageStatus = (typeof messageStatuses)[number];

/** A delivery that was acknowledged and of which no worker has made a message yet: in no index, so that it is cheap. */
@Entity('arrivals')
export class ArrivalEntity {
  /** Of the message that it becomes, and of its body. */
  @AutoIncrementKey() seq: number;
  /** That of a message that is there already says that the delivery is one more of it. */
  @TextColumn() message_id: string;
  @IntColumn() received_at: number;
  @IntColumn() sent_at: number;
  /** Bytes of the body as received. */
  @IntColumn() size: number;
}

/** One webhook delivery as it arrived. `message_id` is upstream's id of it, the same on every retry and replay. */
@Entity('messages')
@Check('messages_status', oneOf('status', messageStatuses))
@Index('messages_message_id', ['message_id'], { unique: true })
@Index('messages_due', ['due_at', 'seq'], { where: 'due_at IS NOT NULL' })
@Index('messages_status_seq', ['status', 'seq'])
@Index('messages_account_seq', ['account_id', 'seq'], { where: 'account_id IS NOT NULL' })
@Index('messages_account_received_at', ['account_id', 'received_at', 'seq'], { where: 'account_id IS NOT NULL' })
@Index('messages_dead', ['account_id', 'finished_at', 'seq'], { where: `status = 'dead'` })
@Index('messages_event_type_seq', ['event_type', 'seq'], { where: 'event_type IS NOT NULL' })
@Index('messages_ownerless', ['seq'], { where: 'account_id IS NULL AND due_at IS NULL' })
@Index('messages_received_at', ['received_at'])
@Index('messages_foreign', ['received_at'], { where: `reason = 'foreign_team'` })
@Index('messages_reason_seq', ['reason', 'seq'], { where: 'reason IS NOT NULL' })
@Index('messages_due_long', ['due_at', 'seq'], { where: `due_at IS NOT NULL AND size > ${LONG_BYTES}` })
@Index('messages_lookup', ['lookup_id', 'seq'], { where: 'lookup_id IS NOT NULL' })
export class MessageEntity {
  /** Its arrival's. */
  @IntKey() seq: number;
  @TextColumn() message_id: string;
  /** First receipt: the observation instant of everything the message says. */
  @IntColumn() received_at: number;
  /** Upstream's attempt time; never an order of events. */
  @IntColumn() sent_at: number;
  @TextColumn() status: MessageStatus;
  @TextColumn({ nullable: true }) event_type: string | null;
  @IntColumn({ nullable: true }) account_id: number | null;
  @IntColumn() attempts: number;
  /** Null once there is nothing left to do. */
  @IntColumn({ nullable: true }) due_at: number | null;
  /** How often in a row upstream or the store could not serve it; such a try is given back. */
  @IntColumn({ default: 0 }) waits: number;
  @TextColumn({ nullable: true }) lease_owner: string | null;
  @IntColumn({ nullable: true }) lease_until: number | null;
  @TextColumn({ nullable: true }) reason: string | null;
  @IntColumn({ nullable: true }) finished_at: number | null;
  /** Bytes of the body as received. */
  @IntColumn() size: number;
  /** The lookup of its user that it waits for; not due meanwhile. */
  @IntColumn({ nullable: true }) lookup_id: number | null;
}

/**
 * The bytes as received, apart from the state that changes with every attempt; gone once they are no longer kept. There
 * from the arrival on, so it refers to no message.
 */
@Entity('message_bodies')
export class MessageBodyEntity {
  @IntKey() seq: number;
  @BytesColumn() body: Buffer;
}

/** What a body is sealed with, where it is: its own key, sealed with one of the key file (person-keys). */
@Entity('message_keys')
@Index('message_keys_period', ['key_id'], { where: 'key_id < 0' })
export class MessageKeyEntity {
  @ForeignKey(() => MessageBodyEntity, { name: 'message_keys_body', onDelete: 'CASCADE' })
  @IntKey()
  seq: number;
  /** Below zero it is a key of no person. */
  @IntColumn() key_id: number;
  @BytesColumn() data_key: Buffer;
}
