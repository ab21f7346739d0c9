import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.js';
import { IntColumn, oneOf, TextColumn, TextKey } from '../database/columns.js';

export const linkOutcomes = ['success', 'exit', 'error'] as const;
export type LinkOutcome = (typeof linkOutcomes)[number];

/** Every link token issued is an attempt; the outcome is what the app reported of it. */
@Entity('link_attempts')
@Check('link_attempts_outcome', oneOf('outcome', linkOutcomes))
@Index('link_attempts_account_id', ['account_id', 'created_at'])
export class LinkAttemptEntity {
  @TextKey() link_attempt_id: string;
  @ForeignKey(() => AccountEntity, { name: 'link_attempts_account' })
  @IntColumn()
  account_id: number;
  @TextColumn({ nullable: true }) provider: string | null;
  @IntColumn() created_at: number;
  @IntColumn() expires_at: number;
  @TextColumn({ nullable: true }) outcome: LinkOutcome | null;
  @TextColumn({ nullable: true }) error_type: string | null;
  @IntColumn({ nullable: true }) outcome_at: number | null;
}
