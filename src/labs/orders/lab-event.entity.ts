import { Check, Entity, Index } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import { IntColumn, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';
import { type NotificationWay, notificationWays } from './patient-notification.js';

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

/** SQL condition for a critical result that still counts and has no record that the patient was informed. */
export const isUntold = 'told_at IS NULL AND settled_at IS NULL';

/**
 * A result that a lab reported as critical. The event names the order, but not the transaction
 * (docs/upstream/results.md#critical-result-event).
 */
@Entity('critical_results')
@Check('critical_results_told_how', oneOf('told_how', notificationWays))
@Index('critical_results_account_id', ['account_id'])
@Index('critical_results_observed_at', ['observed_at'])
@Index('critical_results_untold', ['order_id'], { where: isUntold })
export class CriticalResultEntity {
  @TextKey() order_id: string;
  @TextKey() sample_id: string;
  @AccountColumn('critical_results_account', IntColumn({ nullable: true })) account_id: number | null;
  @TextColumn({ nullable: true }) status: string | null;
  @TextColumn({ nullable: true }) interpretation: string | null;
  @IntColumn() created_at: number;
  @IntColumn() version: number;
  @IntColumn() observed_at: number;
  /** When upstream no longer reported the order's result as critical, because it was corrected or withdrawn. */
  @IntColumn({ nullable: true }) settled_at: number | null;
  /** When the patient was informed; null if there is no record. */
  @IntColumn({ nullable: true }) told_at: number | null;
  /** Name of the operator's key. */
  @TextColumn({ nullable: true }) told_by: string | null;
  @TextColumn({ nullable: true }) told_how: NotificationWay | null;
}
