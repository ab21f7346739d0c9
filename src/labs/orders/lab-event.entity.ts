import { Check, Entity, Index } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import { IntColumn, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';
import { type NotificationWay, notificationWays } from './patient-notification.js';
import { type ResultScope, resultScopes } from './result-subject.js';

/** State and history of an appointment, without address and notes. */
@Entity('appointments')
@Index('appointments_order_id', ['order_id'])
@Index('appointments_account_id', ['account_id'])
export class AppointmentEntity {
  @TextKey() appointment_id: string;
  @AccountColumn('appointments_account', IntColumn({ nullable: true })) account_id: number | null;
  @TextColumn() order_id: string;
  @TextColumn({ nullable: true }) order_transaction_id: string | null;
  @TextColumn({ nullable: true }) type: string | null;
  @TextColumn({ nullable: true }) provider: string | null;
  @TextColumn({ nullable: true }) status: string | null;
  @TextColumn({ nullable: true }) event_status: string | null;
  @IntColumn({ nullable: true }) start_at: number | null;
  @IntColumn({ nullable: true }) end_at: number | null;
  @TextColumn({ nullable: true }) iana_timezone: string | null;
  /** JSON array of {created_at, status}. */
  @TextColumn() history: string;
  /** Time of the newest event in the history. */
  @IntColumn() version: number;
  @IntColumn() observed_at: number;
}

/** SQL condition for a critical finding that still counts and has no record that the patient was informed. */
export const isUnnotified = 'notified_at IS NULL AND settled_at IS NULL';

/** Who says that a result is critical: the event, the order, the result itself, or one of its markers. */
export const criticalSources = ['event', 'order', 'result', 'marker'] as const;
export type CriticalSource = (typeof criticalSources)[number];

/**
 * Something that upstream says is critical (docs/meaning.md#labs). Upstream's event names the order, but not the
 * transaction (docs/upstream/results.md#critical-result-event).
 */
@Entity('critical_results')
@Check('critical_results_said_by', oneOf('said_by', criticalSources))
@Check('critical_results_result_scope', oneOf('result_scope', resultScopes))
@Check('critical_results_notified_how', oneOf('notified_how', notificationWays))
@Index('critical_results_account_id', ['account_id'])
@Index('critical_results_observed_at', ['observed_at'])
@Index('critical_results_unnotified', ['order_id'], { where: isUnnotified })
export class CriticalResultEntity {
  @TextKey() order_id: string;
  /** The sample of an event; otherwise what says so (critical-findings.ts). */
  @TextKey() finding: string;
  @AccountColumn('critical_results_account', IntColumn({ nullable: true })) account_id: number | null;
  @TextColumn({ default: 'event' }) said_by: CriticalSource;
  /** Of a result or marker: whose result, and the version that first showed this value. */
  @TextColumn({ nullable: true }) result_scope: ResultScope | null;
  @IntColumn({ nullable: true }) result_version: number | null;
  /** Name of the marker. */
  @TextColumn({ nullable: true }) marker: string | null;
  @TextColumn({ nullable: true }) sample_id: string | null;
  /** Digest of the value of a marker, or of all values of a result; another one is another critical value. */
  @TextColumn({ nullable: true }) evidence: string | null;
  @TextColumn({ nullable: true }) status: string | null;
  @TextColumn({ nullable: true }) interpretation: string | null;
  @IntColumn() created_at: number;
  @IntColumn() version: number;
  @IntColumn() observed_at: number;
  /** When upstream no longer reported it as critical, because it was corrected or withdrawn. */
  @IntColumn({ nullable: true }) settled_at: number | null;
  /** When the patient was informed of this value; null if there is no record. */
  @IntColumn({ nullable: true }) notified_at: number | null;
  /** Name of the operator's key. */
  @TextColumn({ nullable: true }) notified_by: string | null;
  @TextColumn({ nullable: true }) notified_how: NotificationWay | null;
}
