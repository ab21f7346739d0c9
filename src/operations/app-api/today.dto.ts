import { ApiProperty } from '@nestjs/swagger';
import { count } from '../../http/server/openapi.js';
import { type HistoryState, historyStates } from '../../ingest/sources/history-state.js';
import { dayReasons } from '../explain/day-state.js';
import { LatestDto } from './latest.dto.js';
import { MySourceDto } from './me.dto.js';
import type { SummaryRecordDto } from './records.dto.js';
import { DayDto, StatisticsSourceDto, statisticsStates } from './statistics.dto.js';

/** The schema of a sleep record is made with those of all resources. */
const sleepOrNull = { anyOf: [{ $ref: '#/components/schemas/SleepRecord' }, { type: 'null' }] };

const ofNight = { type: Number, nullable: true };

class RestingHeartRateDto {
  @ApiProperty({ description: 'Beats per minute.' }) value: number;
  @ApiProperty({ enum: ['sleep', 'activity'], description: 'Resource of the record that contains it.' })
  resource: 'sleep' | 'activity';
  @ApiProperty({ type: String, format: 'date' }) calendar_date: string;
  @ApiProperty() source: StatisticsSourceDto;
}

const nightReasons = ['night_of_today', 'earlier_night', 'short_sleep_only', ...dayReasons] as const;
export type NightReason = (typeof nightReasons)[number];

class LastNightDto {
  @ApiProperty({
    ...sleepOrNull,
    description: 'Newest night that ended in the last 36 hours; a short sleep or nap only if there is no night.',
  })
  record: SummaryRecordDto | null;
  @ApiProperty({ enum: statisticsStates, description: 'As in GET /v1/me/latest.' })
  state: (typeof statisticsStates)[number];
  @ApiProperty({
    enum: nightReasons,
    description:
      'night_of_today: its calendar date is `day`. earlier_night: it ended before, and no newer one is stored. ' +
      'short_sleep_only: no night is stored, only a short sleep or a nap. Otherwise why there is none, as in coverage.',
  })
  reason: NightReason;
  @ApiProperty({
    ...count,
    description: 'Other nights of its calendar date: parts of a split night, or a second night of a date lived twice.',
  })
  other_nights: number;
  @ApiProperty({ ...ofNight, description: 'Resting heart rate of the record, in beats per minute; null if unknown.' })
  resting_heart_rate: number | null;
  @ApiProperty({
    ...ofNight,
    description: 'Mean heart rate variability of the record (RMSSD), in milliseconds; null if unknown.',
  })
  hrv: number | null;
  @ApiProperty({ ...ofNight, description: 'Mean breaths per minute of the record; null if unknown.' })
  respiratory_rate: number | null;
}

class HistoryProgressDto implements Record<HistoryState, number> {
  @ApiProperty(count) complete: number;
  @ApiProperty(count) pending: number;
  @ApiProperty(count) failed: number;
  @ApiProperty(count) not_pulled: number;
  @ApiProperty(count) not_synced: number;
  @ApiProperty(count) unknown: number;
}

export class TodayDto {
  @ApiProperty({ type: String, format: 'date', description: 'Current local day of the person.' }) day: string;
  @ApiProperty({
    ...sleepOrNull,
    description: 'Main sleep of the night that ended on this day, from one source; null if none is stored.',
  })
  sleep: SummaryRecordDto | null;
  @ApiProperty() last_night: LastNightDto;
  @ApiProperty({ type: DayDto, nullable: true, description: 'Steps of this day; null if they are not synced.' })
  steps: DayDto | null;
  @ApiProperty({
    type: RestingHeartRateDto,
    nullable: true,
    description: 'That of `last_night`, else from the activity of this day or the day before; null if neither has one.',
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
