import { Check, Entity, Index } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import { AutoIncrementKey, IntColumn, IntKey, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';
import { LeaseColumns } from '../../storage/work/lease-columns.js';

/** See audits.worker.ts. */
export const auditStates = ['waiting', 'comparing', 'repairing', 'done', 'cancelled', 'failed'] as const;
export type AuditState = (typeof auditStates)[number];

export const auditOrigins = ['request', 'sample', 'question'] as const;
/**
 * request: an operator asked for it · sample: one of those that prove everybody's days in turn · question: of a day
 * that somebody had explained, which comes before the samples.
 */
export type AuditOrigin = (typeof auditOrigins)[number];

/** A comparison of an account's days with upstream, and its progress. */
@Entity('audits')
@Check('audits_state', oneOf('state', auditStates))
@Check('audits_origin', oneOf('origin', auditOrigins))
@Index('audits_sampling', ['state'], { unique: true, where: `origin <> 'request' AND state = 'comparing'` })
@Index('audits_waiting', ['account_id', 'id'], { where: `state = 'waiting'` })
@Index('audits_due', ['due_at'], { where: 'due_at IS NOT NULL' })
@Index('audits_account_id', ['account_id', 'id'])
@Index('audits_created_at', ['created_at'])
export class AuditEntity extends LeaseColumns {
  @AutoIncrementKey() id: number;
  @AccountColumn('audits_account') account_id: number;
  @TextColumn() origin: AuditOrigin;
  /** '' for every resource. */
  @TextColumn() resource: string;
  /** UTC days as `YYYY-MM-DD`, both inclusive. */
  @TextColumn() first_day: string;
  @TextColumn() last_day: string;
  /** 1 to change nothing. */
  @IntColumn() report_only: number;
  /** 1 to repair differences of any share of the records. */
  @IntColumn() repair_all: number;
  @TextColumn() state: AuditState;
  /** JSON: resource, provider and day that were compared last; null before the first, and after the last one. */
  @TextColumn({ nullable: true }) place: string | null;
  /** Days of a source and resource: those to compare, and those compared. */
  @IntColumn() days_total: number;
  @IntColumn() days_compared: number;
  @IntColumn() calls: number;
  @IntColumn() objects: number;
  @IntColumn() created_at: number;
  @IntColumn({ nullable: true }) cancelled_at: number | null;
  @IntColumn({ nullable: true }) finished_at: number | null;
  @IntColumn({ nullable: true }) due_at: number | null;
  @IntColumn({ default: 0 }) attempts: number;
  @TextColumn({ nullable: true }) error_code: string | null;
}

export const dayProofStates = ['proven', 'repairing', 'held', 'different'] as const;
/**
 * proven: equal with upstream · repairing: the day is pulled and then compared again · held: too many differences to
 * repair without an operator · different: not equal, and not or in vain repaired.
 */
export type DayProofState = (typeof dayProofStates)[number];

export const differenceCauses = ['mapping', 'lost', 'rejected', 'late', 'upstream_changed'] as const;
/** Why a day differed; see difference-cause.ts. */
export type DifferenceCause = (typeof differenceCauses)[number];

/** The last comparison of a UTC day of an account, resource and source with upstream. Contains no values. */
@Entity('day_proofs')
@Check('day_proofs_state', oneOf('state', dayProofStates))
@Check('day_proofs_cause', oneOf('cause', differenceCauses))
@Index('day_proofs_audit_id', ['audit_id', 'state'])
@Index('day_proofs_open', ['state', 'looked_at'], { where: `state <> 'proven'` })
@Index('day_proofs_differed', ['looked_at'], { where: 'cause IS NOT NULL' })
@Index('day_proofs_proven_at', ['proven_at'], { where: 'proven_at IS NOT NULL' })
export class DayProofEntity {
  @AccountColumn('day_proofs_account', IntKey()) account_id: number;
  @TextKey() resource: string;
  @TextKey() provider: string;
  @TextKey() day: string;
  @TextColumn() state: DayProofState;
  /** Of upstream's list (docs/canonical-form.md), and its number of objects. */
  @TextColumn() hash: string;
  @IntColumn() objects: number;
  /** Start of the look, epoch milliseconds. */
  @IntColumn() looked_at: number;
  /** Start of the last look that proved the day; null if none did. */
  @IntColumn({ nullable: true }) proven_at: number | null;
  /** Differences that were found, also of a day that was repaired since. */
  @IntColumn() missing: number;
  @IntColumn() extra: number;
  @IntColumn() differing: number;
  /** JSON: names of the fields that differed. */
  @TextColumn() fields: string;
  @TextColumn({ nullable: true }) cause: DifferenceCause | null;
  @IntColumn() audit_id: number;
  /** `sync_tasks.id` of the pull that repairs the day. */
  @IntColumn({ nullable: true }) task_id: number | null;
  /** Looks after the first one, and when the next one is due at the earliest. */
  @IntColumn() looks: number;
  @IntColumn({ nullable: true }) look_due_at: number | null;
}
