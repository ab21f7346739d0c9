import { Entity, Index } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import { IntColumn, TextColumn, TextKey } from '../../storage/database/columns.js';
import { LeaseColumns } from '../../storage/work/lease-columns.js';

/**
 * A lab report that upstream parses, as in its newest event or read, completely and unchanged
 * (docs/upstream/webhooks.md#parsing-jobs).
 */
@Entity('parsing_jobs')
@Index('parsing_jobs_account_id', ['account_id', 'first_seen_at', 'job_id'])
@Index('parsing_jobs_order_id', ['order_id'])
@Index('parsing_jobs_first_seen_at', ['first_seen_at', 'job_id'])
@Index('parsing_jobs_due', ['due_at'], { where: 'due_at IS NOT NULL' })
@Index('parsing_jobs_given_up', ['error_code'], { where: 'due_at IS NULL AND error_code IS NOT NULL' })
export class ParsingJobEntity extends LeaseColumns {
  /** Upstream's id, in lower case. */
  @TextKey() job_id: string;
  @AccountColumn('parsing_jobs_account') account_id: number;
  /** Null if no event named an order. */
  @TextColumn({ nullable: true }) order_id: string | null;
  /** Upstream's status; null if the newest event had none. */
  @TextColumn({ nullable: true }) status: string | null;
  /** 1 once a person at upstream has reviewed it. */
  @IntColumn({ default: 0 }) is_reviewed: number;
  /** Upstream's times; null if the newest event had none. */
  @IntColumn({ nullable: true }) created_at: number | null;
  @IntColumn({ nullable: true }) updated_at: number | null;
  /** JSON: the `data` of the newest event. */
  @TextColumn() content: string;
  @IntColumn() first_seen_at: number;
  /** Receipt of the newest event, or the newest read. */
  @IntColumn() observed_at: number;
  /** When to read the job; null once it has ended or its read was given up (`error_code`). */
  @IntColumn({ nullable: true }) due_at: number | null;
  @IntColumn({ default: 0 }) attempts: number;
  @TextColumn({ nullable: true }) error_code: string | null;
}
