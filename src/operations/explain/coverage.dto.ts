import { ApiProperty } from '@nestjs/swagger';
import { coveredResources } from '../../health/catalogue/catalogue.js';
import { type DayClock, dayClocks } from '../../health/clock/day-spans.js';
import { count, OptionalField, timeOrNull } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { IsCalendarDate, IsUpstreamWord } from '../../http/server/validation.js';
import { type NoteCode, noteCodes } from './day-notes.js';
import { type DayReason, type DayState, dayReasons, dayStates } from './day-state.js';

/** Meaning of the values of `day_in` and `days_in`. */
export const dayClock =
  `Clock that defines the day. samples: offset of a stored record of the person, at most two days away.
  fallback_time_zone: time zone of the account. utc: neither is known. calendar_date: each record states
  its date.`.replaceAll(/\s+/g, ' ');

/** Meaning of the codes of notes. */
export const noteMeanings = `zone_assumed: the day is that of the account's time zone. zone_unknown: it is the UTC day.
  points_repeated: a response had several values for one point; the last one is stored. points_rejected: other data
  that cannot be stored. mixed_units: numbers are converted to one unit. incomparable_units: no conversion is known, so
  there are no numbers. incomparable_kinds: different things were measured, so there are no numbers. superseded:
  records of a former upstream user that those of the present one replace. hidden_by_better: better records cover the
  time or stand for the day. forecasts: they do not count. no_readings: samples with values that nobody
  can have, such as 0. asked_again: regular pulls still include the day.`.replaceAll(/\s+/g, ' ');

const date = { type: String, format: 'date', example: '2026-11-01' } as const;

export class CoverageQuery extends PageQuery {
  @OptionalField({ enum: coveredResources })
  resource?: string;

  @OptionalField({ description: 'Provider slug.', example: 'oura' })
  @IsUpstreamWord()
  provider?: string;

  @OptionalField({ ...date, description: 'First day, inclusive. Default: 29 days before the last.' })
  @IsCalendarDate()
  first_day?: string;

  @OptionalField({ ...date, description: 'Last day, inclusive; at most 366 days. Default: today where the person is.' })
  @IsCalendarDate()
  last_day?: string;

  @OptionalField({ ...date, deprecated: true, description: 'Former name of first_day.' })
  @IsCalendarDate()
  start?: string;

  @OptionalField({ ...date, deprecated: true, description: 'Former name of last_day.' })
  @IsCalendarDate()
  end?: string;
}

const states = `received: records are stored. confirmed_empty: no records are stored, and a complete pull after the day
  proves that none are missing. pending: a pull of the day, by Pulsekeep or upstream, is open or due. failed_upstream:
  upstream could not read the source. unknown: not enough evidence.`.replaceAll(/\s+/g, ' ');

const wholeness =
  `True if nothing is missing: the day is over; Pulsekeep pulled it completely, at least SYNC_LOOKBACK_HOURS
  after it, while the source was connected and had sent later data; the source stayed connected from the day until that
  pull; a day before the connection is in a history whose days with data upstream counted; and no pull of it is open or
  failed. Stored records alone never make a day whole.`.replaceAll(/\s+/g, ' ');

/** Consecutive days with the same state and reason. */
export class CoverageRunDto {
  @ApiProperty({ ...date, description: 'First day, inclusive.' }) first_day: string;
  @ApiProperty({ ...date, description: 'Last day, inclusive.' }) last_day: string;
  @ApiProperty({ type: 'integer', minimum: 1 }) days: number;
  @ApiProperty({ enum: dayStates, description: states }) state: DayState;
  @ApiProperty({ description: wholeness }) whole: boolean;
  @ApiProperty({ enum: dayReasons, description: 'Why the days are complete or incomplete.' }) reason: DayReason;
  @ApiProperty({ enum: noteCodes, isArray: true, description: noteMeanings }) notes: NoteCode[];
  @ApiProperty({
    ...timeOrNull,
    description: 'Until when regular pulls include the last of these days; null: none does.',
  })
  asked_again_until: string | null;
  @ApiProperty({
    ...timeOrNull,
    description: 'When an audit proved that the days are what upstream has: the earliest, null unless each was proven.',
  })
  proven_equal_at: string | null;
  @ApiProperty({ ...count, description: 'Number of stored records.' }) records: number;
  @ApiProperty({ description: 'True if there are more records: counting stops at 1,000 per series and day.' })
  more: boolean;
  @ApiProperty({ ...count, description: 'Number of records hidden because upstream no longer returns them.' })
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
