import { Check, Entity, Index } from 'typeorm';
import type { ChangeKind } from '../../platform/config/feed-scope.js';
import { AutoIncrementKey, IntColumn, IntKey, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';
import type { PushError } from './push-answer.js';

export const subscriptionStates = ['active', 'disabled'] as const;
export type SubscriptionState = (typeof subscriptionStates)[number];

/**
 * Why a subscription is disabled. operator: an operator disabled it · failing: no push arrived for days · gone: the
 * endpoint responded with 410 · fell_behind: the next change is no longer in the feed · feed_restarted: the database
 * was restored, promoted, or reopened after a copy.
 */
export const disabledReasons = ['operator', 'failing', 'gone', 'fell_behind', 'feed_restarted'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** Forms of a message about an alarm (alarm-message.ts). */
export const alarmPayloads = ['text', 'teams', 'pagerduty'] as const;
export type AlarmPayload = (typeof alarmPayloads)[number];

/**
 * thin: only the change · whole: also the current state of its subject · fhir: what changed as a Bundle of FHIR R4 ·
 * the others: a message about an alarm.
 */
export const payloads = ['thin', 'whole', 'fhir', ...alarmPayloads] as const;
export type Payload = (typeof payloads)[number];

export function showsValues(payload: Payload): boolean {
  return payload === 'whole' || payload === 'fhir';
}

export function isForAlarms(payload: Payload): payload is AlarmPayload {
  return alarmPayloads.some((each) => each === payload);
}

/** An endpoint that changes are pushed to. Leases: work/leased-rows.ts; claimed only if the feed has new changes. */
@Entity('subscriptions')
@Check('subscriptions_state', oneOf('state', subscriptionStates))
@Check('subscriptions_payload', oneOf('payload', payloads))
@Index('subscriptions_account_id', ['account_id'], { where: 'account_id IS NOT NULL' })
export class SubscriptionEntity {
  @TextKey() id: string;
  @TextColumn() url: string;
  @TextColumn({ nullable: true }) description: string | null;
  @TextColumn() payload: Payload;
  /** JSON arrays; null: all. */
  @TextColumn({ nullable: true }) kinds: string | null;
  @TextColumn({ nullable: true }) resources: string | null;
  @TextColumn({ nullable: true }) origins: string | null;
  /** `accounts.id`; null: all accounts. */
  @IntColumn({ nullable: true }) account_id: number | null;
  /** Number of the current secret; `secret_key` is the mark of the key that derives it (push-signature.ts). */
  @IntColumn() secret_number: number;
  @TextColumn() secret_key: string;
  /** Mark of the key of the previous secret, which also signs until `previous_until`. */
  @TextColumn({ nullable: true }) previous_key: string | null;
  @IntColumn({ nullable: true }) previous_until: number | null;
  @TextColumn() state: SubscriptionState;
  @TextColumn({ nullable: true }) reason: DisabledReason | null;
  /** Position in the feed up to which changes are recorded in `pushes`. */
  @TextColumn() feed: string;
  @IntColumn() number: number;
  @IntColumn() number_at: number;
  /** Number of replays from a position. Pushes recorded in an earlier round are sent again. */
  @IntColumn() round: number;
  @IntColumn() created_at: number;
  /** Time of the last successful push. */
  @IntColumn({ nullable: true }) delivered_at: number | null;
  /** Time of the first failure since the last success; null while pushes arrive. */
  @IntColumn({ nullable: true }) failing_since: number | null;
  @IntColumn({ nullable: true }) last_status: number | null;
  @TextColumn({ nullable: true }) error_code: PushError | DisabledReason | 'internal' | null;
  @IntColumn({ nullable: true }) due_at: number | null;
  @IntColumn() attempts: number;
  @IntColumn() waits: number;
  @TextColumn({ nullable: true }) lease_owner: string | null;
  @IntColumn({ nullable: true }) lease_until: number | null;
}

/**
 * An account whose push to one endpoint failed or took too long: its later changes wait, those of other accounts are
 * sent. The row exists while its pushes wait. Leases: work/leased-rows.ts.
 */
@Entity('subscription_lanes')
@Index('subscription_lanes_due_at', ['due_at'], { where: 'due_at IS NOT NULL' })
@Index('subscription_lanes_account_id', ['account_id'])
export class SubscriptionLaneEntity {
  @TextKey() subscription_id: string;
  /** `accounts.id`; 0 for changes that belong to no account. */
  @IntKey() account_id: number;
  @IntColumn() created_at: number;
  @TextColumn({ nullable: true }) error_code: string | null;
  @IntColumn({ nullable: true }) due_at: number | null;
  @IntColumn() attempts: number;
  @IntColumn() waits: number;
  @TextColumn({ nullable: true }) lease_owner: string | null;
  @IntColumn({ nullable: true }) lease_until: number | null;
}

/** waiting: it failed, or waits behind another push · given_up: it failed for days, or its change expired. */
export const pushStates = ['waiting', 'delivered', 'given_up'] as const;
export type PushState = (typeof pushStates)[number];

/** A change that was pushed to an endpoint, or waits to be. */
@Entity('pushes')
@Check('pushes_state', oneOf('state', pushStates))
@Index('pushes_subscription_number', ['subscription_id', 'number'], { unique: true })
@Index('pushes_waiting', ['subscription_id', 'account_id', 'number'], { where: `state = 'waiting'` })
@Index('pushes_account_id', ['account_id'])
export class PushEntity {
  @AutoIncrementKey() id: number;
  @TextColumn() subscription_id: string;
  /** Number of the change in the feed. */
  @IntColumn() number: number;
  @TextColumn() change_id: string;
  @TextColumn() kind: ChangeKind;
  /** `accounts.id`; 0 if the change belongs to no account. */
  @IntColumn() account_id: number;
  @TextColumn() state: PushState;
  @IntColumn() round: number;
  @IntColumn() attempts: number;
  /** HTTP status of the last attempt. */
  @IntColumn({ nullable: true }) status: number | null;
  @TextColumn({ nullable: true }) error_code: PushError | null;
  @IntColumn({ nullable: true }) duration_ms: number | null;
  @IntColumn() created_at: number;
  /** When it began to wait; its age decides when it is given up. */
  @IntColumn({ nullable: true }) waiting_since: number | null;
  @IntColumn({ nullable: true }) attempted_at: number | null;
}
