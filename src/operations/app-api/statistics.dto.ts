import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsIn } from 'class-validator';
import { type Statistics, statisticsKinds, statisticsResources } from '../../health/catalogue/catalogue.js';
import { type DayClock, dayClocks } from '../../health/health-data/stored-records.service.js';
import { OptionalField, textOrNull, timeOrNull } from '../../http/server/openapi.js';
import { IsCalendarDate, ToNames } from '../../http/server/validation.js';
import { dayClock } from '../explain/day-clock.js';
import { type DayReason, dayReasons } from '../explain/day-state.js';

const MOST_RESOURCES = 10;

export class StatisticsQuery {
  @ApiProperty({
    type: String,
    description: `Up to ${MOST_RESOURCES} names, separated by commas, of: ${statisticsResources.join(', ')}.`,
    example: 'steps,heartrate',
  })
  @ToNames()
  @ArrayMinSize(1)
  @ArrayMaxSize(MOST_RESOURCES)
  @ArrayUnique()
  @IsIn(statisticsResources, { each: true })
  resources: string[];

  @OptionalField({
    type: String,
    format: 'date',
    description: 'First local day, inclusive. Default: 30 days before `end`; of hours one day.',
    example: '2026-11-01',
  })
  @IsCalendarDate()
  start?: string;

  @OptionalField({
    type: String,
    format: 'date',
    description: 'Local day after the last, exclusive. Default: tomorrow. At most 366 days after `start`; of hours 7.',
    example: '2026-12-01',
  })
  @IsCalendarDate()
  end?: string;
}

/** Numbers of the samples of a day or an hour; which there are depends on the resource. */
class NumbersDto {
  @ApiPropertyOptional({ description: 'Of totals.' }) sum?: number;
  @ApiPropertyOptional({ description: 'Of measures, like `max` and `mean`.' }) min?: number;
  @ApiPropertyOptional() max?: number;
  @ApiPropertyOptional({ description: 'Every sample counts the same, however long it lasts.' }) mean?: number;
  @ApiPropertyOptional() first?: number;
  @ApiPropertyOptional() last?: number;
}

export class StatisticsSourceDto {
  @ApiProperty({ example: 'oura' }) provider: string;
  @ApiProperty({ example: 'ring' }) type: string;
}

class StatisticsSlotDto extends NumbersDto {
  @ApiProperty({ type: String, format: 'date', description: 'Day of the person.' }) day: string;
  @ApiProperty({
    description:
      'False only with proof that nothing is missing: of this source, and of those that would stand in its place.',
  })
  partial: boolean;
  @ApiProperty({ enum: dayReasons, description: 'Reason why it is partial; `whole` if it is not.' }) reason: DayReason;
  @ApiProperty({ type: StatisticsSourceDto, nullable: true, description: 'The one source that the numbers are of.' })
  source: StatisticsSourceDto | null;
  @ApiProperty({ type: [StatisticsSourceDto], description: 'Sources with samples of this day that do not count.' })
  other_sources: StatisticsSourceDto[];
  @ApiProperty({ type: 'integer', description: 'Number of samples. Without any there are no numbers.' }) count: number;
  @ApiProperty({
    ...textOrNull,
    description:
      'As received. Null if unknown, or if the first and the last sample have different ones: then there are no numbers.',
    example: 'count',
  })
  unit: string | null;
  @ApiProperty({ ...timeOrNull, description: 'Time of the first sample.' }) first_at: string | null;
  @ApiProperty(timeOrNull) last_at: string | null;
  @ApiPropertyOptional({ type: NumbersDto, description: 'Of blood pressure, instead of the numbers beside it.' })
  systolic?: NumbersDto;
  @ApiPropertyOptional({ type: NumbersDto }) diastolic?: NumbersDto;
}

export class DayDto extends StatisticsSlotDto {}

export class HourDto extends StatisticsSlotDto {
  @ApiProperty({
    format: 'date-time',
    description:
      'Instant at which the local hour begins by the offset of its samples. If clocks change within the hour, that is ' +
      'before the change: two hours with different `local_time` may overlap, and their samples do not.',
  })
  start: string;
  @ApiProperty({ example: '2026-11-20T08:00:00.000', description: 'Wall-clock time at `start`.' }) local_time: string;
}

export const statisticsStates = ['stored', 'none', 'not_synced'] as const;

class ResourceStatisticsDto {
  @ApiProperty({ enum: statisticsResources }) resource: string;
  @ApiProperty({ enum: statisticsKinds, description: 'total: `sum`. measure: `mean`, `min` and `max`.' })
  statistics: Statistics;
  @ApiProperty({
    enum: statisticsStates,
    description:
      'stored: there are samples. none: there are none, and `partial` says whether more is to come. not_synced: none, ' +
      'and the service does not pull this resource (SYNC_RESOURCES), so nothing is known about it.',
  })
  state: (typeof statisticsStates)[number];
  @ApiProperty({ enum: dayClocks, isArray: true, description: dayClock, example: ['samples'] }) days_in: DayClock[];
}

export class DailyDto extends ResourceStatisticsDto {
  @ApiProperty({ type: [DayDto], description: 'Every day of the range; none if not synced.' }) days: DayDto[];
}

export class HourlyDto extends ResourceStatisticsDto {
  @ApiProperty({ type: [HourDto], description: 'The hours with samples.' }) hours: HourDto[];
}
