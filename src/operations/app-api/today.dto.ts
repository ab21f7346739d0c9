import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { count } from '../../http/server/openapi.js';
import { type HistoryState, historyStates } from '../../ingest/sources/historical-pulls.service.js';
import { anyRecord, LatestDto } from './latest.dto.js';
import { MySourceDto } from './me.dto.js';
import { SampleRecordDto, SummaryRecordDto } from './records.dto.js';
import { DayDto, StatisticsSourceDto } from './statistics.dto.js';

class RestingHeartRateDto {
  @ApiProperty({ description: 'Beats per minute.' }) value: number;
  @ApiProperty({ enum: ['sleep', 'activity'], description: 'Resource of the record that contains it.' })
  resource: 'sleep' | 'activity';
  @ApiProperty({ type: String, format: 'date' }) calendar_date: string;
  @ApiProperty() source: StatisticsSourceDto;
}

class HistoryProgressDto implements Record<HistoryState, number> {
  @ApiProperty(count) complete: number;
  @ApiProperty(count) pending: number;
  @ApiProperty(count) failed: number;
  @ApiProperty(count) not_pulled: number;
  @ApiProperty(count) not_synced: number;
  @ApiProperty(count) unknown: number;
}

@ApiExtraModels(SampleRecordDto, SummaryRecordDto)
export class TodayDto {
  @ApiProperty({ type: String, format: 'date', description: 'Current local day of the person.' }) day: string;
  @ApiProperty({
    anyOf: [...anyRecord.anyOf, { type: 'null' }],
    description: 'Main sleep of the night that ended on this day, from one source; null if none is stored.',
  })
  sleep: SampleRecordDto | SummaryRecordDto | null;
  @ApiProperty({ type: DayDto, nullable: true, description: 'Steps of this day; null if they are not synced.' })
  steps: DayDto | null;
  @ApiProperty({
    type: RestingHeartRateDto,
    nullable: true,
    description: 'From the last night, else from the activity of this day or the day before; null if neither has one.',
  })
  resting_heart_rate: RestingHeartRateDto | null;
  @ApiProperty({ type: [LatestDto], description: 'Newest sample of every resource that has one.' })
  latest: LatestDto[];
  @ApiProperty({ type: [MySourceDto] }) sources: MySourceDto[];
  @ApiProperty({
    description: `Number of resources of sources by history state: ${historyStates.join(', ')}; see GET /v1/me.`,
  })
  history: HistoryProgressDto;
  @ApiProperty({ type: [String], description: 'As in GET /v1/me.' }) not_synced: string[];
}
