import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique } from 'class-validator';
import {
  nearestResource,
  resourceByName,
  type Statistics,
  statisticsKinds,
  statisticsResources,
  unlike,
} from '../../health/catalogue/catalogue.js';
import { type DayClock, dayClocks } from '../../health/clock/day-spans.js';
import { type SourceMode, sourceModes } from '../../health/statistics/interval-merge.js';
import { type Incomparable, incomparables } from '../../health/statistics/slot-statistics.js';
import { OptionalField, textOrNull, timeOrNull } from '../../http/server/openapi.js';
import { AreKnown, IsCalendarDate, ToNames } from '../../http/server/validation.js';
import { dayClock } from '../explain/coverage.dto.js';
import { type DayReason, dayReasons } from '../explain/day-state.js';

const MAX_RESOURCES = 10;
const date = { type: String, format: 'date' } as const;

/** Names the call that reads a resource without statistics, also of a misspelled one, else the nearest name. */
function withoutStatistics(name: string): string {
  const known = resourceByName(name) ?? nearestResource(name);
  if (!known || statisticsResources.includes(known.name)) return unlike(name, statisticsResources);
  const perDay = known.hasDay ? '?latest_per_day=true' : '';
  return `${known.name} has no statistics, read /records/${known.name}${perDay} instead`;
}

export class StatisticsQuery {
  @ApiProperty({
    enum: statisticsResources,
    isArray: true,
    maxItems: MAX_RESOURCES,
    description: `Up to ${MAX_RESOURCES} resource names, separated by commas.`,
    example: ['steps', 'heartrate'],
  })
  @ToNames()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_RESOURCES)
  @ArrayUnique()
  @AreKnown(statisticsResources, withoutStatistics)
  resources: string[];

  @OptionalField({
    ...date,
    description: 'First local day, inclusive. Default: the last 30 days; for hours, the last day alone.',
    example: '2026-11-01',
  })
  @IsCalendarDate()
  first_day?: string;

  @OptionalField({
    ...date,
    description: 'Last local day, inclusive: at most 366 days; for hours, 7. Default: today where the person is.',
    example: '2026-11-30',
  })
  @IsCalendarDate()
  last_day?: string;

  @OptionalField({ ...date, deprecated: true, description: 'Former name of first_day.' })
  @IsCalendarDate()
  start?: string;

  @OptionalField({ ...date, deprecated: true, description: 'The day after last_day, as it was named formerly.' })
  @IsCalendarDate()
  end?: string;
}

export const periods = ['day', 'week', 'month'] as const;
export type Period = (typeof periods)[number];

export class HourlyQuery extends StatisticsQuery {
  @OptionalField({
    enum: sourceModes,
    default: 'merged',
    description:
      'Only for totals. merged: interval by interval, the best source that reports something there. single: only the ' +
      'best source of the day that reports something.',
  })
  source_mode?: SourceMode;
}

export class DailyQuery extends HourlyQuery {
  @OptionalField({
    enum: periods,
    default: 'day',
    description: 'One row per day, per week from Monday, or per calendar month, as far as it is in the range.',
  })
  per?: Period;
}

/** Figures of a day or an hour. The resource determines which are present. */
class NumbersDto {
  @ApiPropertyOptional({ description: 'Only for totals.' }) sum?: number;
  @ApiPropertyOptional({ description: 'Only for measures, like `max` and `mean`.' }) min?: number;
  @ApiPropertyOptional() max?: number;
  @ApiPropertyOptional({ description: 'Mean of the samples, not weighted by duration.' }) mean?: number;
  @ApiPropertyOptional() first?: number;
  @ApiPropertyOptional() last?: number;
}

export class StatisticsSourceDto {
  @ApiProperty({ example: 'oura' }) provider: string;
  @ApiProperty({ example: 'ring' }) type: string;
}

class SourceShareDto extends StatisticsSourceDto {
  @ApiProperty({ type: 'integer', description: 'Time for which its numbers count; 0 for samples without duration.' })
  minutes: number;
  @ApiProperty({ type: 'integer', description: 'Samples that count, at least in part.' }) samples: number;
  @ApiPropertyOptional({ description: 'In the unit of the total; missing if that has no number.' }) sum?: number;
}

class LeftOutDto extends StatisticsSourceDto {
  @ApiProperty({ type: 'integer', description: 'Samples that do not count at all.' }) samples: number;
  @ApiPropertyOptional({
    description:
      'Amount not in the total, including that of samples that count in part; missing if the total has no number.',
  })
  sum?: number;
}

class StatisticsSlotDto extends NumbersDto {
  @ApiProperty({
    type: String,
    format: 'date',
    description: 'Local day of the person; of a week or month, the first in the range.',
  })
  day: string;
  @ApiProperty({
    description:
      'False only if it is proven that nothing is missing, from this source and any that would take its place.',
  })
  partial: boolean;
  @ApiProperty({ enum: dayReasons, description: 'Why it is partial; `whole` if it is not.' }) reason: DayReason;
  @ApiProperty({
    type: StatisticsSourceDto,
    nullable: true,
    description: 'Source of the numbers; of a total, the one that contributed most.',
  })
  source: StatisticsSourceDto | null;
  @ApiProperty({
    type: [StatisticsSourceDto],
    description: 'Other sources with samples on this day. They count only in totals, see `sources`.',
  })
  other_sources: StatisticsSourceDto[];
  @ApiProperty({
    type: 'integer',
    description: 'Number of samples that count; without any, there are no numbers. An interval counts in each part.',
  })
  count: number;
  @ApiProperty({
    ...textOrNull,
    description:
      'Unit of the numbers: the one of all samples of the day, or, if they have several, the one that upstream ' +
      'documents for the resource, to which they are converted. Null if unknown.',
    example: 'count',
  })
  unit: string | null;
  @ApiProperty({
    enum: incomparables,
    nullable: true,
    description:
      'Why there are samples but no numbers. units: no conversion between their units is known. kinds: they are ' +
      'different things, such as temperatures of the mouth and the wrist, or alerts of different types.',
  })
  incomparable: Incomparable | null;
  @ApiProperty({ ...timeOrNull, description: 'Time of the first sample.' }) first_at: string | null;
  @ApiProperty(timeOrNull) last_at: string | null;
  @ApiProperty({
    description:
      'True if samples are older than SAMPLES_KEEP_DAYS, so that only their hourly sums are kept. The numbers are the ' +
      'same; the samples are not among the records, and later changes of them by upstream are not in the numbers.',
  })
  thinned: boolean;
  @ApiPropertyOptional({ type: NumbersDto, description: 'For blood pressure, instead of the numbers above.' })
  systolic?: NumbersDto;
  @ApiPropertyOptional({ type: NumbersDto }) diastolic?: NumbersDto;
}

export class DayDto extends StatisticsSlotDto {
  @ApiProperty({ type: String, format: 'date', description: 'Last day of the row; with per=day, the same.' })
  last_day: string;
  @ApiPropertyOptional({
    type: [SourceShareDto],
    description: 'Only for totals: sources that took part, best first. Their sums add up to the total.',
  })
  sources?: SourceShareDto[];
  @ApiPropertyOptional({
    type: [LeftOutDto],
    description: 'Only for totals: what was not added because a better source or device counted at that time.',
  })
  left_out?: LeftOutDto[];
}

export class HourDto extends StatisticsSlotDto {
  @ApiProperty({
    format: 'date-time',
    description:
      'Start of the local hour by the offset of its samples. If clocks change within the hour, the offset before ' +
      'the change applies: two hours with different `local_time` may overlap, but no sample is in both.',
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
      'stored: there are samples. none: there are none, and `partial` says whether more may come. not_synced: ' +
      'there are none, and the service does not pull this resource (SYNC_RESOURCES).',
  })
  state: (typeof statisticsStates)[number];
  @ApiProperty({ enum: dayClocks, isArray: true, description: dayClock, example: ['samples'] }) days_in: DayClock[];
}

export class DailyDto extends ResourceStatisticsDto {
  @ApiProperty({ type: [DayDto], description: 'Every day of the range; empty if not synced.' }) days: DayDto[];
}

export class HourlyDto extends ResourceStatisticsDto {
  @ApiProperty({ type: [HourDto], description: 'Hours with samples.' }) hours: HourDto[];
}
