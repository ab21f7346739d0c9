import { Check, Entity, Index } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import { IntColumn, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';

/** Kinds of calls under a key: place an order, book an appointment, upload a lab report, decide about a result. */
export const keySubjects = ['order', 'booking', 'lab_report', 'decision'] as const;
export type KeySubject = (typeof keySubjects)[number];

/**
 * calling: a call may be in progress · unknown: a call ended without an outcome · refused: nothing was done, and the
 * key may be used with a corrected body · done: the outcome is stored. See idempotency-keys.service.ts.
 */
const keyStates = ['calling', 'unknown', 'refused', 'done'] as const;
export type KeyState = (typeof keyStates)[number];

/** A caller's idempotency key and its outcome. Reveals nothing about the body. */
@Entity('idempotency_keys')
@Check('idempotency_keys_subject', oneOf('subject', keySubjects))
@Check('idempotency_keys_state', oneOf('state', keyStates))
@Index('idempotency_keys_call_id', ['call_id'], { unique: true })
@Index('idempotency_keys_account_id', ['account_id'])
@Index('idempotency_keys_object_id', ['object_id'])
@Index('idempotency_keys_outcome_id', ['outcome_id'])
@Index('idempotency_keys_open', ['subject', 'state'])
export class IdempotencyKeyEntity {
  @TextKey() subject: KeySubject;
  @TextKey() key_digest: string;
  /**
   * Our UUID: the salt of the fingerprint; for orders and bookings also upstream's idempotency key, and the correlation
   * id of an order whose caller sent no `passthrough`.
   */
  @TextColumn() call_id: string;
  /** Null for a decision: the result may belong to no account. */
  @AccountColumn('idempotency_keys_account', IntColumn({ nullable: true })) account_id: number | null;
  /** The order of a booking, the unmatched result of a decision; only one call about it may be in progress. */
  @TextColumn({ nullable: true }) object_id: string | null;
  @TextColumn() state: KeyState;
  /** Equal only for equal requests (http/server/idempotency-key.ts). */
  @TextColumn() fingerprint: string;
  @IntColumn() created_at: number;
  /** Start of the first call with an unknown outcome; null if there is none. */
  @IntColumn({ nullable: true }) open_since: number | null;
  /** The order, the appointment, the parsing job or the decided result. */
  @TextColumn({ nullable: true }) outcome_id: string | null;
  @IntColumn({ nullable: true }) done_at: number | null;
  /** Why the last call had no effect. */
  @TextColumn({ nullable: true }) error_code: string | null;
  /** The attempt that may make the call, and when its lease ends. */
  @TextColumn({ nullable: true }) lease_owner: string | null;
  @IntColumn({ nullable: true }) lease_until: number | null;
}
