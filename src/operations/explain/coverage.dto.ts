import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { coveredResources } from '../../health/catalogue/catalogue.js';
import { type DayClock, dayClocks } from '../../health/health-data/stored-records.service.js';
import { count, OptionalField } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { IsCalendarDate, slug } from '../../http/server/validation.js';
import { dayClock } from './day-clock.js';
import { type DayReason, type DayState, dayReasons, dayStates } from './day-state.js';

const date = { type: String, format: 'date', example: '2026-11-01' } as const;

export class CoverageQuery extends PageQuery {
  @OptionalField({ enum: coveredResources })
  resource?: string;

  @OptionalField({ description: 'Slug of the source.', example: 'oura' })
  @Matches(slug)
  provider?: string;

  @OptionalField({ ...date, description: 'First day, inclusive; default: 29 days before the last.' })
  @IsCalendarDate()
  first_day?: string;

  @OptionalField({
    ...date,
    description: 'Last day, inclusive; default: today where the person is. At most 366 days.',
  })
  @IsCalendarDate()
  last_day?: string;

  @OptionalField({ ...date, deprecated: true, description: 'Former name of first_day.' })
  @IsCalendarDate()
  start?: string;

  @OptionalField({ ...date, deprecated: true, description: 'Former name of last_day.' })
  @IsCalendarDate()
  end?: string;
}

const states = `received: records are stored. confirmed_empty: none are, and a complete pull made after the day proves
  that none are missing. pending: our pull of it, or upstream's own, is open or due. failed_upstream: upstream could not
  read the source. unknown: not enough evidence.`.replaceAll(/\s+/g, ' ');

const wholeness = `Nothing is missing: the day is over; we pulled it completely, at least SYNC_LOOKBACK_HOURS after it,
  while the source was connected and had sent later data; the source stayed connected from the day until that pull; a
  day before the connection is in a history whose days with data upstream counted; and no pull of it is open or failed.
  Stored records alone never make a day whole.`.replaceAll(/\s+/g, ' ');

/** Consecutive days with the same state and reason. */
export class CoverageRunDto {
  @ApiProperty({ ...date, description: 'First day, inclusive.' }) first_day: string;
  @ApiProperty({ ...date, description: 'Last day, inclusive.' }) last_day: string;
  @ApiProperty({ type: 'integer', minimum: 1 }) days: number;
  @ApiProperty({ enum: dayStates, description: states }) state: DayState;
  @ApiProperty({ description: wholeness }) whole: boolean;
  @ApiProperty({ enum: dayReasons, description: 'Reason why the days are complete or incomplete.' }) reason: DayReason;
  @ApiProperty({ ...count, description: 'Stored records; a count, no values.' }) records: number;
  @ApiProperty({ description: 'True if there are more records: a series is counted up to 1,000 a day.' }) more: boolean;
  @ApiProperty({ ...count, description: 'Records that are hidden because upstream no longer shows them; a count.' })
  gone: number;
}

/** One source and resource over the requested days, without gaps. */
export class CoverageStreamDto {
  @ApiProperty({ example: 'oura' }) provider: string;
  @ApiProperty({ example: 'sleep' }) resource: string;
  @ApiProperty({ description: 'True if every requested day is complete.' }) complete: boolean;
  @ApiProperty({
    ...date,
    nullable: true,
    description:
      'End of the unbroken run of complete days from the start of the range; null if the first day is incomplete.',
  })
  whole_through: string | null;
  @ApiProperty({ enum: dayClocks, isArray: true, description: dayClock, example: ['samples'] }) days_in: DayClock[];
  @ApiProperty({ type: [CoverageRunDto] }) runs: CoverageRunDto[];
}
