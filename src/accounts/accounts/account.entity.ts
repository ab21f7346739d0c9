import { Check, Entity, ForeignKey, Index } from 'typeorm';
import type { AccountId, ExternalAccountId } from '../../platform/platform/ids.js';
import { AutoIncrementKey, IntColumn, IntKey, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';
import { LeaseColumns } from '../../storage/work/lease-columns.js';
import { type AccountStatus, accountStatuses } from './account-status.js';

/** The customer's own user (`account_id`) and the one upstream user it maps to. */
@Entity('accounts')
@Check('accounts_status', oneOf('status', accountStatuses))
@Index('accounts_account_id', ['account_id'], { unique: true })
@Index('accounts_upstream_user_id', ['upstream_user_id'], { unique: true })
@Index('accounts_status_id', ['status', 'id'])
@Index('accounts_user_gone', ['status', 'id'], { where: 'user_gone_at IS NOT NULL' })
@Index('accounts_pseudonym', ['pseudonym'], { unique: true, where: 'pseudonym IS NOT NULL' })
@Index('accounts_log_ref', ['log_ref'], { unique: true, where: 'log_ref IS NOT NULL' })
export class AccountEntity {
  @AutoIncrementKey() id: AccountId;
  @TextColumn() account_id: ExternalAccountId;
  @TextColumn({ nullable: true }) upstream_user_id: string | null;
  /** Sent to upstream as `client_user_id` instead of `account_id`; null if the account id itself is sent. */
  @TextColumn({ nullable: true }) pseudonym: string | null;
  /** When upstream was first known to have the pseudonym; null before. */
  @IntColumn({ nullable: true }) pseudonym_at: number | null;
  @TextColumn() status: AccountStatus;
  @IntColumn() created_at: number;
  @IntColumn() updated_at: number;
  @IntColumn({ nullable: true }) linked_at: number | null;
  /** When upstream was found to no longer have the user; null while it has the user. */
  @IntColumn({ nullable: true }) user_gone_at: number | null;
  /** When the current user replaced one that was gone; null for an account that still has its first user. */
  @IntColumn({ nullable: true }) relinked_at: number | null;
  @TextColumn({ nullable: true }) fallback_time_zone: string | null;
  @TextColumn({ nullable: true }) fallback_birth_date: string | null;
  @TextColumn({ nullable: true }) ingestion_start: string | null;
  @TextColumn({ nullable: true }) ingestion_end: string | null;
  /** When upstream created the user. Like the fields below, null for accounts mapped before these fields existed. */
  @IntColumn({ nullable: true }) user_created_at: number | null;
  /** Origin of the time zone: upstream's slug of a provider, or `manual`; null if upstream has not reported it. */
  @TextColumn({ nullable: true }) fallback_time_zone_source: string | null;
  @IntColumn({ nullable: true }) fallback_time_zone_updated_at: number | null;
  @TextColumn({ nullable: true }) fallback_birth_date_source: string | null;
  @IntColumn({ nullable: true }) fallback_birth_date_updated_at: number | null;
  /** When the fallback was last set here: until it is cleared, upstream's own is not followed. Null if it never was. */
  @IntColumn({ nullable: true }) fallback_time_zone_set_at: number | null;
  @IntColumn({ nullable: true }) fallback_birth_date_set_at: number | null;
  /** The account's name in log lines: random, and deleted by an erasure. */
  @TextColumn({ nullable: true }) log_ref: string | null;
}

export const settingColumns = [
  'fallback_time_zone',
  'fallback_birth_date',
  'ingestion_start',
  'ingestion_end',
] as const;
const facts = [
  'user_created_at',
  'fallback_time_zone_source',
  'fallback_time_zone_updated_at',
  'fallback_birth_date_source',
  'fallback_birth_date_updated_at',
] as const;

/** The columns of `KeptOfUser`, in the order of `keptValues`. */
export const keptColumns = [...settingColumns, ...facts];

/** Upstream's settings of a user; dates as `YYYY-MM-DD`. */
export type UserSettings = Pick<AccountEntity, (typeof settingColumns)[number]>;

/** Upstream's facts about a user besides its settings; times in epoch milliseconds. */
export type UserFacts = Pick<AccountEntity, (typeof facts)[number]>;

/** The part of upstream's user that is stored with the account. */
export type KeptOfUser = UserSettings & UserFacts;

export function keptValues(kept: KeptOfUser): (string | number | null)[] {
  return keptColumns.map((name) => kept[name]);
}

/** A column with `accounts.id`; `name` is that of its foreign key. */
export function AccountColumn(name: string, column: PropertyDecorator = IntColumn()): PropertyDecorator {
  return (target, property) => {
    ForeignKey(() => AccountEntity, { name })(target, property);
    column(target, property);
  };
}

/** A former user of the account that upstream no longer has. */
@Entity('former_upstream_users')
@Index('former_upstream_users_account_id', ['account_id'])
export class FormerUserEntity {
  @TextKey() user_id: string;
  @AccountColumn('former_upstream_users_account') account_id: number;
  @IntColumn() replaced_at: number;
}

/**
 * A time zone that an account had until a move. The zone that follows it is in the next row, or in the account. The
 * first known zone also applies to all earlier times.
 */
@Entity('former_time_zones')
export class FormerTimeZoneEntity {
  @AccountColumn('former_time_zones_account', IntKey()) account_id: number;
  /** Epoch milliseconds, exclusive. */
  @IntKey() until: number;
  @TextColumn() time_zone: string;
}

/** When to poll an account's connections and historical pulls next; some of their changes cause no event. */
@Entity('source_polls')
@Index('source_polls_due', ['due_at', 'account_id'], { where: 'due_at IS NOT NULL' })
export class SourcePollEntity extends LeaseColumns {
  @AccountColumn('source_polls_account', IntKey()) account_id: number;
  @IntColumn({ nullable: true }) due_at: number | null;
  @IntColumn() attempts: number;
  @IntColumn({ nullable: true }) checked_at: number | null;
  @TextColumn({ nullable: true }) error_code: string | null;
  /** When upstream's user was last read with a poll. */
  @IntColumn({ nullable: true }) user_read_at: number | null;
}
