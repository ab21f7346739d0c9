import { Check, Entity, Index } from 'typeorm';
import { AutoIncrementKey, IntColumn, oneOf, TextColumn } from '../database/columns.js';
import type { AccountId, ExternalAccountId } from '../platform/ids.js';

/**
 * pending: stored here, its upstream user not known yet · active: mapped to `upstream_user_id` · blocked: no tokens
 * are issued · erasing: being removed here and upstream.
 */
export const accountStatuses = ['pending', 'active', 'blocked', 'erasing'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

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
  @TextColumn({ nullable: true }) fallback_time_zone: string | null;
  @TextColumn({ nullable: true }) fallback_birth_date: string | null;
  @TextColumn({ nullable: true }) ingestion_start: string | null;
  @TextColumn({ nullable: true }) ingestion_end: string | null;
}
