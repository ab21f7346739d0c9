import { ApiProperty } from '@nestjs/swagger';
import { type ShownStatus, shownStatuses } from '../../accounts/accounts/account-status.js';
import { type Account } from '../../accounts/accounts/accounts.service.js';
import type { Connection } from '../../accounts/connections/connections.service.js';
import { IsAccountId } from '../../http/server/account-path.js';
import { OptionalField, textOrNull, timeOrNull } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { IsCalendarDate, IsIanaTimeZone, IsSlug } from '../../http/server/validation.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';

/** An account with its sources, disconnected ones too, and when records of each last changed (epoch milliseconds). */
export type ListedAccount = Account & {
  readonly sources: readonly (Connection & { readonly dataChangedAt: number | null })[];
};

export class AccountListQuery extends PageQuery {
  @OptionalField({
    type: String,
    minLength: 1,
    maxLength: 255,
    description:
      'Part of an account id in either case, or at least the first 8 characters of an upstream user id, pseudonym or ' +
      '`log_ref`. The accounts found are in order of their account ids.',
  })
  @IsAccountId()
  q?: string;

  @OptionalField({ enum: shownStatuses })
  status?: ShownStatus;

  @OptionalField({ description: 'Only accounts with a source of this provider that is not disconnected.' })
  @IsSlug()
  provider?: string;
}

export class AccountSettings {
  @OptionalField({ type: String, nullable: true, example: 'Europe/Berlin' })
  @IsIanaTimeZone()
  fallback_time_zone?: string | null;

  @OptionalField({ type: String, nullable: true, format: 'date' })
  @IsCalendarDate()
  fallback_birth_date?: string | null;

  @OptionalField({ type: String, nullable: true, format: 'date' })
  @IsCalendarDate()
  ingestion_start?: string | null;

  @OptionalField({ type: String, nullable: true, format: 'date' })
  @IsCalendarDate()
  ingestion_end?: string | null;
}

export class AccountCreation extends AccountSettings {
  @ApiProperty({
    minLength: 1,
    maxLength: 255,
    description: 'Must not be an e-mail address or a formatted phone number.',
  })
  @IsAccountId()
  account_id: string;
}

/** An account in a list. Omits the birth date, because reading it is recorded per account. */
export class AccountSummaryDto {
  @ApiProperty() account_id: string;
  @ApiProperty({ type: String, nullable: true, description: 'Upstream user id.' }) user_id: string | null;
  @ApiProperty({
    enum: shownStatuses,
    description: 'user_gone: upstream no longer has the user, so nothing is pulled until the account is relinked.',
  })
  status: ShownStatus;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ format: 'date-time' }) updated_at: string;
  @ApiProperty({ type: String, nullable: true, format: 'date-time' }) linked_at: string | null;
  @ApiProperty({
    ...timeOrNull,
    description: 'When the account was relinked. Earlier data came from the previous upstream user.',
  })
  relinked_at: string | null;
  @ApiProperty({ type: String, nullable: true }) fallback_time_zone: string | null;
  @ApiProperty({ type: String, nullable: true, format: 'date' }) ingestion_start: string | null;
  @ApiProperty({ type: String, nullable: true, format: 'date' }) ingestion_end: string | null;
  @ApiProperty({ ...textOrNull, description: 'Name of the account in logs (`account_ref`); null after erasure.' })
  log_ref: string | null;
}

class ListedSourceDto {
  @ApiProperty({ example: 'oura' }) provider: string;
  @ApiProperty({ description: 'connected, error, paused or disconnected; upstream may add values.' }) status: string;
  @ApiProperty({ ...timeOrNull, description: 'When a record of the source was last added, changed or hidden.' })
  data_changed_at: string | null;
}

export class ListedAccountDto extends AccountSummaryDto {
  @ApiProperty({ type: [ListedSourceDto], description: 'Sorted by provider; includes disconnected sources.' })
  sources: ListedSourceDto[];
}

export class AccountDto extends AccountSummaryDto {
  @ApiProperty({ type: String, nullable: true, format: 'date' }) fallback_birth_date: string | null;
}

function toAccountSummaryDto(account: Account): AccountSummaryDto {
  return {
    account_id: account.account_id,
    user_id: account.upstream_user_id,
    status: account.status === 'active' && account.user_gone_at !== null ? 'user_gone' : account.status,
    created_at: toIso(account.created_at),
    updated_at: toIso(account.updated_at),
    linked_at: isoOrNull(account.linked_at),
    relinked_at: isoOrNull(account.relinked_at),
    fallback_time_zone: account.fallback_time_zone,
    ingestion_start: account.ingestion_start,
    ingestion_end: account.ingestion_end,
    log_ref: account.log_ref,
  };
}

export function toListedAccountDto({ sources, ...account }: ListedAccount): ListedAccountDto {
  const toSource = ({ provider, status, dataChangedAt }: ListedAccount['sources'][number]): ListedSourceDto => ({
    provider,
    status,
    data_changed_at: isoOrNull(dataChangedAt),
  });
  return { ...toAccountSummaryDto(account), sources: sources.map(toSource) };
}

export function toAccountDto(account: Account): AccountDto {
  return { ...toAccountSummaryDto(account), fallback_birth_date: account.fallback_birth_date };
}
