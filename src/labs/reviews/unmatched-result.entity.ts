import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import { IntColumn, IntKey, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';
import { KeyColumns, LeaseColumns } from '../../storage/work/lease-columns.js';

/** Statuses in which nothing waits for the customer. Upstream's list is open: an unknown status counts as waiting. */
export const settledStatuses = ['matched', 'resolved', 'pending_ops_review'] as const;

/** SQL condition for a result that waits for the customer's decision. */
export const isWaiting = `gone_at IS NULL AND status NOT IN ('${settledStatuses.join("', '")}')`;

/**
 * A lab result that upstream could not attach to an order. Holds codes and ids alone: name, birth date and markers are
 * never stored, because they may be of a person who has no account here.
 */
@Entity('unmatched_results')
@Index('unmatched_results_due', ['due_at'], { where: 'due_at IS NOT NULL' })
@Index('unmatched_results_waiting', ['created_at', 'id'], { where: isWaiting })
@Index('unmatched_results_created_at', ['created_at', 'id'])
@Index('unmatched_results_account_id', ['account_id', 'created_at', 'id'])
export class UnmatchedResultEntity extends LeaseColumns {
  /** Upstream's id, in lower case. */
  @TextKey() id: string;
  /** The account that an event named, or of the order it was attached to. */
  @AccountColumn('unmatched_results_account', IntColumn({ nullable: true })) account_id: number | null;
  @TextColumn() status: string;
  @TextColumn({ nullable: true }) decision_code: string | null;
  /** JSON list of codes, as `allowed_actions`. */
  @TextColumn() sub_reason_codes: string;
  @TextColumn() allowed_actions: string;
  @TextColumn({ nullable: true }) lab_slug: string | null;
  @TextColumn({ nullable: true }) result_status: string | null;
  /** The order and transaction it was attached to, as upstream named them in the answer or the event. */
  @TextColumn({ nullable: true }) order_id: string | null;
  @TextColumn({ nullable: true }) order_transaction_id: string | null;
  /** Upstream's time; until the item was read, when it was first heard of. */
  @IntColumn() created_at: number;
  /** Upstream's `updated_at`; 0 until the item was read. */
  @IntColumn() version: number;
  /** Newest event or reading. */
  @IntColumn() observed_at: number;
  @IntColumn({ nullable: true }) read_at: number | null;
  /** Since when upstream no longer shows it. */
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
  /** Place in upstream's list, from 0. */
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

/** Position of the walk over upstream's list; one row. States: unmatched-result-walk.worker.ts. */
@Entity('unmatched_result_walk')
export class UnmatchedResultWalkEntity extends LeaseColumns {
  /** Always 1. */
  @IntKey() id: number;
  /** When the current walk began; null between two walks. */
  @IntColumn({ nullable: true }) started_at: number | null;
  /** Upstream's cursor of the page to read next; null for the first. */
  @TextColumn({ nullable: true }) cursor: string | null;
  @IntColumn() due_at: number;
  @IntColumn() attempts: number;
  @TextColumn({ nullable: true }) error_code: string | null;
}

/**
 * calling: a call to upstream may be under way · unknown: one ended without an outcome · refused: upstream decided
 * nothing, the key is free for a corrected body · decided: the outcome is stored. See deciding.service.ts.
 */
export const decisionStates = ['calling', 'unknown', 'refused', 'decided'] as const;
export type DecisionState = (typeof decisionStates)[number];

/** A caller's idempotency key and its outcome. Reveals nothing of the body. */
@Entity('unmatched_result_decisions')
@Check('unmatched_result_decisions_state', oneOf('state', decisionStates))
@Index('unmatched_result_decisions_result', ['unmatched_result_id'])
@Index('unmatched_result_decisions_open', ['state'])
export class UnmatchedResultDecisionEntity extends KeyColumns {
  @ForeignKey(() => UnmatchedResultEntity, { name: 'unmatched_result_decisions_result_id', onDelete: 'CASCADE' })
  @TextColumn()
  unmatched_result_id: string;
  @TextColumn() state: DecisionState;
  /** The same for the same result and decision only. */
  @TextColumn() fingerprint: string;
  @TextColumn() salt: string;
}
