import { ApiProperty } from '@nestjs/swagger';
import { type HistoryState, historyStates } from '../../ingest/sources/historical-pulls.service.js';

const instant = { type: String, format: 'date-time', nullable: true } as const;

class MyAccountDto {
  @ApiProperty() account_id: string;
  @ApiProperty({ type: String, nullable: true, description: 'The upstream user.' }) user_id: string | null;
  @ApiProperty({ format: 'date-time' }) created_at: string;
}

class MySourceDto {
  @ApiProperty({ example: 'oura' }) provider: string;
  @ApiProperty({ description: 'connected, error, paused, disconnected; open.' }) status: string;
  @ApiProperty({ type: String, nullable: true, example: 'token_refresh_failed', description: 'Why it is in error.' })
  error_type: string | null;
  @ApiProperty(instant) error_at: string | null;
  @ApiProperty(instant) connected_at: string | null;
  @ApiProperty({ ...instant, description: 'Time of the newest stored record of this source.' })
  last_data_at: string | null;
}

class MyResourceDto {
  @ApiProperty({ example: 'sleep' }) resource: string;
  @ApiProperty({ example: 'oura' }) provider: string;
  @ApiProperty({ ...instant, description: 'Time of the newest stored record.' }) newest_at: string | null;
  @ApiProperty({
    enum: historyStates,
    description:
      'complete: all of the history that upstream found is stored. pending: not yet. failed: given up. not_pulled: upstream does not pull it. not_synced: not among SYNC_RESOURCES, so only what upstream sends from now on is stored. unknown: upstream has not told.',
  })
  history: HistoryState;
}

export class MeDto {
  @ApiProperty() account: MyAccountDto;
  @ApiProperty({ type: [MySourceDto] }) sources: MySourceDto[];
  @ApiProperty({ type: [MyResourceDto] }) resources: MyResourceDto[];
}
