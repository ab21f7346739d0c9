import { Entity, ForeignKey, Index } from 'typeorm';
import { AccountEntity } from '../../accounts/accounts/account.entity.js';
import { IntColumn, TextColumn, TextKey } from '../../storage/database/columns.js';

/** An appointment's state and history; no address and no notes. */
@Entity('appointments')
@Index('appointments_order_id', ['order_id'])
@Index('appointments_account_id', ['account_id'])
export class AppointmentEntity {
  @TextKey() appointment_id: string;
  @ForeignKey(() => AccountEntity, { name: 'appointments_account' })
  @IntColumn({ nullable: true })
  account_id: number | null;
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

/**
 * A result that a lab reported as critical. The event names the order, not the transaction
 * (docs/upstream/results.md#critical-result-event).
 */
@Entity('critical_results')
@Index('critical_results_account_id', ['account_id'])
@Index('critical_results_observed_at', ['observed_at'])
export class CriticalResultEntity {
  @TextKey() order_id: string;
  @TextKey() sample_id: string;
  @ForeignKey(() => AccountEntity, { name: 'critical_results_account' })
  @IntColumn({ nullable: true })
  account_id: number | null;
  @TextColumn({ nullable: true }) status: string | null;
  @TextColumn({ nullable: true }) interpretation: string | null;
  @IntColumn() created_at: number;
  @IntColumn() version: number;
  @IntColumn() observed_at: number;
}
