import { ApiProperty } from '@nestjs/swagger';
import type { Account } from '../../accounts/accounts/accounts.service.js';
import type { Connection, Overlap } from '../../accounts/connections/connections.service.js';
import type { Device } from '../../accounts/connections/devices.service.js';
import { successionOf } from '../../accounts/connections/provider-facts.js';
import { textOrNull, timeOrNull } from '../../http/server/openapi.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import { WaitingWorkDto } from '../../storage/work/waiting-work.dto.js';
import { MySourceDto, toMySourceDto } from '../app-api/me.dto.js';
import { AccountDto } from './accounts.dto.js';

const forReaders = { ...textOrNull, description: 'Null for callers without the role reader.' } as const;

class SuccessionDto {
  @ApiProperty({ format: 'date', description: "Last day of the provider's API." }) retired_on: string;
  @ApiProperty({ example: 'google_health', description: 'Provider to connect instead.' }) successor: string;
}

class ConnectionDto extends MySourceDto {
  @ApiProperty({ format: 'date-time', description: 'When upstream last reported this state.' }) observed_at: string;
  @ApiProperty({ type: SuccessionDto, nullable: true, description: 'Null for a provider that is not retired.' })
  retirement: SuccessionDto | null;
}

class OverlapDto {
  @ApiProperty({ example: 'fitbit' }) provider: string;
  @ApiProperty({ example: 'google_health' }) successor: string;
  @ApiProperty({ format: 'date-time', description: 'When the successor was connected.' }) start: string;
  @ApiProperty({ format: 'date-time', description: 'When the retired source was disconnected.' }) end: string;
}

class DeviceDto {
  @ApiProperty({ description: 'Id from upstream, as in `source.device_id` of records.' }) device_id: string;
  @ApiProperty({ example: 'oura' }) provider: string;
  @ApiProperty({ ...textOrNull, example: 'ring' }) source_type: string | null;
  @ApiProperty(forReaders) manufacturer: string | null;
  @ApiProperty(forReaders) model: string | null;
  @ApiProperty(forReaders) version: string | null;
  @ApiProperty({ format: 'date-time' }) observed_at: string;
  @ApiProperty({
    ...timeOrNull,
    description: 'When a second complete list from upstream lacked it; null while upstream has it. It stays stored.',
  })
  gone_at: string | null;
}

export class AccountDetailDto extends AccountDto {
  @ApiProperty({ ...timeOrNull, description: 'When upstream created the user; null if not reported.' })
  user_created_at: string | null;
  @ApiProperty({
    ...textOrNull,
    description: 'Provider of the time zone, or manual; null if upstream has not reported it.',
  })
  fallback_time_zone_source: string | null;
  @ApiProperty(timeOrNull) fallback_time_zone_updated_at: string | null;
  @ApiProperty({
    ...textOrNull,
    description: 'Provider of the birth date, or manual; null if upstream has not reported it.',
  })
  fallback_birth_date_source: string | null;
  @ApiProperty(timeOrNull) fallback_birth_date_updated_at: string | null;
  @ApiProperty({ type: [ConnectionDto], description: 'Sorted by provider; includes disconnected sources.' })
  connections: ConnectionDto[];
  @ApiProperty({
    type: [OverlapDto],
    description: 'Periods in which a retired source and its successor were both connected and sent the same data.',
  })
  overlaps: OverlapDto[];
  @ApiProperty({ type: [DeviceDto] }) devices: DeviceDto[];
  @ApiProperty({
    type: WaitingWorkDto,
    nullable: true,
    description: 'Next poll of the sources from upstream; null if none.',
  })
  source_poll: WaitingWorkDto | null;
}

const unshown = { manufacturer: null, model: null, version: null };

/** Upstream's facts about the user, which lists of accounts omit. */
export function userFactsOf(
  account: Account,
): Omit<AccountDetailDto, keyof AccountDto | 'connections' | 'overlaps' | 'devices' | 'source_poll'> {
  return {
    user_created_at: isoOrNull(account.user_created_at),
    fallback_time_zone_source: account.fallback_time_zone_source,
    fallback_time_zone_updated_at: isoOrNull(account.fallback_time_zone_updated_at),
    fallback_birth_date_source: account.fallback_birth_date_source,
    fallback_birth_date_updated_at: isoOrNull(account.fallback_birth_date_updated_at),
  };
}

export function toConnectionDto(connection: Connection, lastDataAt: number | undefined, now: number): ConnectionDto {
  const succession = successionOf(connection.provider, now);
  return {
    ...toMySourceDto(connection, lastDataAt),
    observed_at: toIso(connection.observed_at),
    retirement: succession && { retired_on: succession.retired_on, successor: succession.successor },
  };
}

export function toOverlapDto({ provider, successor, overlap_start, overlap_end }: Overlap): OverlapDto {
  return { provider, successor, start: toIso(overlap_start), end: toIso(overlap_end) };
}

export function toDeviceDto(device: Device, showsValues: boolean): DeviceDto {
  const { device_id, provider, source_type, observed_at } = device;
  const { manufacturer, model, version } = showsValues ? device : unshown;
  const times = { observed_at: toIso(observed_at), gone_at: isoOrNull(device.gone_at) };
  return { device_id, provider, source_type, manufacturer, model, version, ...times };
}
