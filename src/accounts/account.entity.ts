import { Check, Entity, Index } from 'typeorm';
import { AutoIncrementKey, IntColumn, oneOf, TextColumn } from '../database/columns.js';
import type { AccountId, ExternalAccountId } from '../platform/ids.js';

/**
 * pending: stored here, its upstream user not known yet · active: mapped to `upstream_user_id` · blocked: no tokens
 * are issued · erasing: being removed here and upstream.
 */
export const accountStatuses = ['pending', 'active', 'blocked', 'erasing'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

/** As operators see it: an active account whose user upstream no longer has is `user_gone`. */
export const shownStatuses = [...accountStatuses, 'user_gone'] as const;
export type ShownStatus = (typeof shownStatuses)[number];

/** The customer's own user (`account_id`, upstream's `client_user_id`) and the one upstream user it maps to. */
@Entity('accounts')
@Check('accounts_status', oneOf('status', accountStatuses))
@Index('accounts_account_id', ['account_id'], { unique: true })
@Index('accounts_upstream_user_id', ['upstream_user_id'], { unique: true })
@Index('accounts_status_id', ['status', 'id'])
export class AccountEntity {
  @AutoIncrementKey() id: AccountId;
  @TextColumn() account_id: ExternalAccountId;
  @TextColumn({ nullable: true }) upstream_user_id: string | null;
  @TextColumn() status: AccountStatus;
  @IntColumn() created_at: number;
  @IntColumn() updated_at: number;
  @IntColumn({ nullable: true }) linked_at: number | null;
  /** Since when upstream is known not to have the user any more; null while it has. */
  @IntColumn({ nullable: true }) user_gone_at: number | null;
  /** When the present user took the place of one that was gone; null for an account that still has its first. */
  @IntColumn({ nullable: true }) relinked_at: number | null;
  @TextColumn({ nullable: true }) fallback_time_zone: string | null;
  @TextColumn({ nullable: true }) fallback_birth_date: string | null;
  @TextColumn({ nullable: true }) ingestion_start: string | null;
  @TextColumn({ nullable: true }) ingestion_end: string | null;
  /** When upstream made the user; as the fields below unknown of an account that got its user before they were kept. */
  @IntColumn({ nullable: true }) user_created_at: number | null;
  /** Where the time zone came from, by upstream's slug or `manual`; null when upstream has not said it of this one. */
  @TextColumn({ nullable: true }) fallback_time_zone_source: string | null;
  @IntColumn({ nullable: true }) fallback_time_zone_updated_at: number | null;
  @TextColumn({ nullable: true }) fallback_birth_date_source: string | null;
  @IntColumn({ nullable: true }) fallback_birth_date_updated_at: number | null;
}
