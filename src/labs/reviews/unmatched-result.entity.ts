import { Entity, ForeignKey, Index } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import { IntColumn, IntKey, TextColumn, TextKey } from '../../storage/database/columns.js';
import { LeaseColumns } from '../../storage/work/lease-columns.js';

/** Statuses in which nothing waits for the customer. Upstream may add values; unknown ones count as waiting. */
const settledStatuses = ['matched', 'resolved', 'pending_ops_review'] as const;

/** SQL condition for a result that waits for the customer's decision. */
export const isWaiting = `gone_at IS NULL AND status NOT IN ('${settledStatuses.join("', '")}')`;

/**
 * A lab result that upstream could not attach to an order. Stores only codes, ids and whether it is critical, never the
 * name, birth date or markers, because they may belong to a person who has no account here.
 */
@Entity('unmatched_results')
@Index('unmatched_results_due', ['due_at'], { where: 'due_at IS NOT NULL' })
@Index('unmatched_results_waiting', ['created_at', 'id'], { where: isWaiting })
@Index('unmatched_results_created_at', ['created_at', 'id'])
@Index('unmatched_results_account_id', ['account_id', 'created_at', 'id'])
export class UnmatchedResultEntity extends LeaseColumns {
  /** Upstream's id, in lower case. */
  @TextKey() id: string;
  /** The account named in an event, or of the order to which the result was attached. */
  @AccountColumn('unmatched_results_account', IntColumn({ nullable: true })) account_id: number | null;
  @TextColumn() status: string;
  @TextColumn({ nullable: true }) decision_code: string | null;
  /** JSON list of codes, like `allowed_actions`. */
  @TextColumn() sub_reason_codes: string;
  @TextColumn() allowed_actions: string;
  @TextColumn({ nullable: true }) lab_slug: string | null;
  @TextColumn({ nullable: true }) result_status: string | null;
  /** 1 if it, or one of its markers, is called critical. */
  @IntColumn({ default: 0 }) is_critical: number;
  /** The order and order transaction to which the result was attached, from the response or the event. */
  @TextColumn({ nullable: true }) order_id: string | null;
  @TextColumn({ nullable: true }) order_transaction_id: string | null;
  /** Upstream's time; until the item has been read, when it was first reported. */
  @IntColumn() created_at: number;
  /** Upstream's `updated_at`; 0 until the item has been read. */
  @IntColumn() version: number;
  /** Time of the newest event or read. */
  @IntColumn() observed_at: number;
  @IntColumn({ nullable: true }) read_at: number | null;
  /** When upstream no longer returned it. */
  @IntColumn({ nullable: true }) gone_at: number | null;
  /** When to read the item; null if nothing is new. */
  @IntColumn({ nullable: true }) due_at: number | null;
  @IntColumn() attempts: number;
  @TextColumn({ nullable: true }) error_code: string | null;
}

/** An order that the result may belong to. Candidates of one result may belong to different people. */
@Entity('unmatched_result_candidates')
@Index('unmatched_result_candidates_account_id', ['account_id'])
@Index('unmatched_result_candidates_user', ['user_id'])
export class UnmatchedResultCandidateEntity {
  @ForeignKey(() => UnmatchedResultEntity, { name: 'unmatched_result_candidates_result', onDelete: 'CASCADE' })
  @TextKey()
  unmatched_result_id: string;
  /** Position in upstream's list, from 0. */
  @IntKey() position: number;
  @AccountColumn('unmatched_result_candidates_account', IntColumn({ nullable: true })) account_id: number | null;
  /** Upstream's user id, in lower case. */
  @TextColumn({ nullable: true }) user_id: string | null;
  @TextColumn({ nullable: true }) candidate_type: string | null;
  @TextColumn({ nullable: true }) order_id: string | null;
  @TextColumn({ nullable: true }) order_transaction_id: string | null;
  @TextColumn({ nullable: true }) last_status: string | null;
  @TextColumn({ nullable: true }) confidence_level: string | null;
}
