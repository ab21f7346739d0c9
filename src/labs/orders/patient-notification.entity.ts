import { Check, Entity, Index } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import { IntColumn, IntKey, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';
import { type NotificationWay, notificationWays } from './patient-notification.js';
import { type ResultScope, resultScopes } from './result-subject.js';

/** History of who informed a patient of what. Rows are added, never changed. */
@Entity('patient_notifications')
@Check('patient_notifications_scope', oneOf('scope', resultScopes))
@Check('patient_notifications_notified_how', oneOf('notified_how', notificationWays))
@Index('patient_notifications_account_id', ['account_id'])
export class PatientNotificationEntity {
  /** `order`: of critical results; `transaction`: of a redraw. */
  @TextKey() scope: ResultScope;
  @TextKey() subject_id: string;
  @IntKey() recorded_at: number;
  @AccountColumn('patient_notifications_account', IntColumn({ nullable: true })) account_id: number | null;
  @IntColumn() notified_at: number;
  /** Name of the operator's key. */
  @TextColumn() notified_by: string;
  @TextColumn() notified_how: NotificationWay;
  /** Newest version of the result among the critical findings; null if none of them is from a result. */
  @IntColumn({ nullable: true }) result_version: number | null;
  /** JSON: names of the critical markers. */
  @TextColumn() markers: string;
}
