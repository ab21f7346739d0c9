import { ApiProperty } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import type { Connection } from '../../accounts/connections/connections.service.js';
import { textOrNull, timeOrNull } from '../../http/server/openapi.js';
import { IsIanaTimeZone } from '../../http/server/validation.js';
import { type HistoryState, historyStates } from '../../ingest/sources/history-state.js';
import { isoOrNull } from '../../platform/platform/time.js';

class MyAccountDto {
  @ApiProperty() account_id: string;
  @ApiProperty({ type: String, nullable: true, description: 'Upstream user id.' }) user_id: string | null;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({
    ...textOrNull,
    example: 'Europe/Berlin',
    description: 'Zone of days without an offset of their own; null if neither the app nor upstream knows it.',
  })
  time_zone: string | null;
}

export class MySettings {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Europe/Berlin',
    description:
      'IANA time zone of the person from now on; days that are over keep the zone in which they were lived. Null: ' +
      "follow upstream's.",
  })
  @ValidateIf(({ time_zone }: MySettings) => time_zone !== null)
  @IsIanaTimeZone()
  time_zone: string | null;
}

export class MySourceDto {
  @ApiProperty({ example: 'oura' }) provider: string;
  @ApiProperty({ description: 'connected, error, paused or disconnected; upstream may add values.' }) status: string;
  @ApiProperty({ ...textOrNull, example: 'token_refresh_failed', description: 'Cause of the error state.' })
  error_type: string | null;
  @ApiProperty(timeOrNull) error_at: string | null;
  @ApiProperty(timeOrNull) connected_at: string | null;
  @ApiProperty({ ...timeOrNull, description: 'Time of the newest stored record of this source.' })
  last_data_at: string | null;
  @ApiProperty({
    ...timeOrNull,
    description:
      'When it was connected with another account at the provider than before, so that the records since then may be ' +
      'those of another person; null if it never was.',
  })
  other_account_since: string | null;
}

export function toMySourceDto(connection: Connection, lastDataAt: number | undefined): MySourceDto {
  const { provider, status, error_type } = connection;
  return {
    provider,
    status,
    error_type,
    error_at: isoOrNull(connection.error_at),
    connected_at: isoOrNull(connection.connected_at),
    last_data_at: isoOrNull(lastDataAt ?? null),
    other_account_since: isoOrNull(connection.other_account_at),
  };
}

class MyResourceDto {
  @ApiProperty({ example: 'sleep' }) resource: string;
  @ApiProperty({ example: 'oura' }) provider: string;
  @ApiProperty({ ...timeOrNull, description: 'Time of the newest stored record.' }) newest_at: string | null;
  @ApiProperty({
    ...timeOrNull,
    description: 'When a record was last added, changed or hidden, whatever its time; null if never.',
  })
  changed_at: string | null;
  @ApiProperty({
    enum: historyStates,
    description:
      'complete: upstream counted days with data, and its full history is stored. pending: not yet complete. failed: upstream gave up. not_pulled: upstream does not pull this history. not_synced: excluded from SYNC_RESOURCES, so only new data that upstream sends is stored. unknown: upstream has not reported it, or counted no day with data, or the source pushes its history (Garmin, phones).',
  })
  history: HistoryState;
}

export class MeDto {
  @ApiProperty() account: MyAccountDto;
  @ApiProperty({ type: [MySourceDto] }) sources: MySourceDto[];
  @ApiProperty({ type: [MyResourceDto] }) resources: MyResourceDto[];
  @ApiProperty({
    type: [String],
    example: ['heartrate'],
    description:
      'Resources that the service does not pull (SYNC_RESOURCES): only data that upstream sends is stored, and an ' +
      'empty list of their records returns 409 not_synced.',
  })
  not_synced: string[];
}
