import { Check, Entity, Index } from 'typeorm';
import { IntColumn, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';
import { AccountColumn } from '../accounts/account.entity.js';

export const linkOutcomes = ['success', 'exit', 'error'] as const;
export type LinkOutcome = (typeof linkOutcomes)[number];

/**
 * Origin of the outcome. report: the app, from the widget · redirect: the app, from the parameters of the redirect ·
 * connection: upstream, because the source was connected. Only the last one is certain
 * (docs/upstream/linking-and-tokens.md#redirect).
 */
export const outcomeSources = ['report', 'redirect', 'connection'] as const;
export type OutcomeSource = (typeof outcomeSources)[number];

/** An attempt to connect a source; one for each issued link token. */
@Entity('link_attempts')
@Check('link_attempts_outcome', oneOf('outcome', linkOutcomes))
@Check('link_attempts_outcome_source', oneOf('outcome_source', outcomeSources))
@Index('link_attempts_account_id', ['account_id', 'created_at'])
@Index('link_attempts_created_at', [
  'created_at',
  'link_attempt_id',
  'expires_at',
  'outcome',
  'outcome_source',
  'error_type',
  'provider',
  'connected_provider',
])
@Index('link_attempts_outcome_at', ['account_id', 'outcome_at', 'link_attempt_id'], { where: 'outcome_at IS NOT NULL' })
export class LinkAttemptEntity {
  @TextKey() link_attempt_id: string;
  @AccountColumn('link_attempts_account') account_id: number;
  /** The requested provider; null if the person chooses. */
  @TextColumn({ nullable: true }) provider: string | null;
  @IntColumn() created_at: number;
  @IntColumn() expires_at: number;
  @TextColumn({ nullable: true }) outcome: LinkOutcome | null;
  @TextColumn({ nullable: true }) outcome_source: OutcomeSource | null;
  @TextColumn({ nullable: true }) error_type: string | null;
  @IntColumn({ nullable: true }) outcome_at: number | null;
  /** The provider that was connected; null if none. */
  @TextColumn({ nullable: true }) connected_provider: string | null;
}
