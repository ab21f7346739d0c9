import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import { IntColumn, IntKey, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';
import { type NotificationWay, notificationWays } from './patient-notification.js';
import type { Need } from './redraw-chain.js';

/** Names and expected dates of an order, from upstream's order; null if upstream does not say. */
export interface OrderName {
  readonly lab_test_name: string | null;
  readonly lab_name: string | null;
  /** walk_in_test, testkit, at_home_phlebotomy, on_site_collection or an unknown value. */
  readonly collection_method: string | null;
  /** The lab's id of the sample, which a requisition brings. */
  readonly sample_id: string | null;
  readonly expected_result_by_date: string | null;
  readonly worst_case_result_by_date: string | null;
  readonly activate_by: string | null;
}

/** The pair of ids that every redraw needs, the position in the redraw chain, and the latest state; no patient data. */
@Entity('orders')
@Index('orders_account_id', ['account_id', 'created_at', 'order_id'])
@Index('orders_transaction', ['order_transaction_id', 'created_at', 'order_id'])
@Index('orders_created_at', ['created_at', 'order_id'])
export class OrderEntity implements OrderName {
  @TextKey() order_id: string;
  @AccountColumn('orders_account', IntColumn({ nullable: true })) account_id: number | null;
  @TextColumn({ nullable: true }) order_transaction_id: string | null;
  /** initial, redraw, recreation or an unknown value. */
  @TextColumn({ nullable: true }) origin: string | null;
  @TextColumn({ nullable: true }) parent_id: string | null;
  @TextColumn({ nullable: true }) lab_test_name: string | null;
  @TextColumn({ nullable: true }) lab_name: string | null;
  @TextColumn({ nullable: true }) collection_method: string | null;
  @TextColumn({ nullable: true }) sample_id: string | null;
  /** Dates as upstream wrote them. */
  @TextColumn({ nullable: true }) expected_result_by_date: string | null;
  @TextColumn({ nullable: true }) worst_case_result_by_date: string | null;
  @TextColumn({ nullable: true }) activate_by: string | null;
  /** Version of the report that the name is from; 0 if there is none. */
  @IntColumn({ default: 0 }) named_version: number;
  /** Three-part status of the newest event, or only the low-level part if it comes from a transaction. */
  @TextColumn({ nullable: true }) status: string | null;
  @TextColumn({ nullable: true }) status_detail: string | null;
  @IntColumn({ nullable: true }) status_at: number | null;
  /** Version of the report that the status is from; the id of its event, or null. */
  @IntColumn({ default: 0 }) status_version: number;
  @IntColumn({ nullable: true }) status_event_id: number | null;
  /** Upstream's times. While only the id is known, `version` is 0 and `created_at` our own time. */
  @IntColumn() created_at: number;
  @IntColumn() version: number;
  @IntColumn() observed_at: number;
  @IntColumn() stored_at: number;
}

/** An event of an order. Sorted by `created_at`, then `event_id`, never by a rank of statuses. */
@Entity('order_events')
export class OrderEventEntity {
  @ForeignKey(() => OrderEntity, { name: 'order_events_order' })
  @TextKey()
  order_id: string;
  @IntKey() event_id: number;
  @IntColumn() created_at: number;
  @TextColumn() status: string;
  @TextColumn({ nullable: true }) status_detail: string | null;
}

/** The initial order and the orders derived from it. */
@Entity('order_transactions')
@Check('order_transactions_notified_how', oneOf('notified_how', notificationWays))
@Index('order_transactions_account_id', ['account_id', 'order_transaction_id'])
@Index('order_transactions_created_at', ['created_at', 'order_transaction_id'])
@Index('order_transactions_needs', ['needs', 'created_at'], { where: 'needs IS NOT NULL' })
@Index('order_transactions_inconsistent', ['inconsistent_since'], { where: 'inconsistent_since IS NOT NULL' })
export class OrderTransactionEntity {
  @TextKey() order_transaction_id: string;
  @AccountColumn('order_transactions_account', IntColumn({ nullable: true })) account_id: number | null;
  /** active, completed or cancelled; null while only the id is known. */
  @TextColumn({ nullable: true }) status: string | null;
  /** The needed action (redraw-chain.ts), stored so that the work list can use an index. */
  @TextColumn({ nullable: true }) needs: Need | null;
  /** The newest order that came to nothing before the owed draw (redraw-chain.ts); the last one known. */
  @TextColumn({ nullable: true }) needs_after: string | null;
  /** When we learned of the needed action, or of another draw that is owed; null if no action is needed. */
  @IntColumn({ nullable: true }) needs_since: number | null;
  /** When we learned that its status contradicts its orders; null if it does not. */
  @IntColumn({ nullable: true }) inconsistent_since: number | null;
  /** When a person recorded that what had come to nothing was replaced, and who; null if there is no record. */
  @IntColumn({ nullable: true }) replaced_at: number | null;
  /** Name of the operator's key. */
  @TextColumn({ nullable: true }) replaced_by: string | null;
  /** What had come to nothing then (`lossOf` in redraw-chain.ts); null once that is over. */
  @TextColumn({ nullable: true }) replaced_loss: string | null;
  /** Creation time of the oldest order. */
  @IntColumn() created_at: number;
  /** Newest time of its orders in the report with this state; the transaction has no time of its own. */
  @IntColumn() version: number;
  @IntColumn() observed_at: number;
  /** When the patient was informed of the redraw; null if there is no record. */
  @IntColumn({ nullable: true }) notified_at: number | null;
  /** Name of the operator's key. */
  @TextColumn({ nullable: true }) notified_by: string | null;
  @TextColumn({ nullable: true }) notified_how: NotificationWay | null;
}
