import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsString } from 'class-validator';
import { calendarDayResources, catalogue } from '../../health/catalogue/catalogue.js';
import { isOffsetOutOfRange } from '../../health/catalogue/records.js';
import {
  type RecordOrder,
  type RecordRead,
  recordOrders,
  type SampleRead,
  type SummaryRead,
} from '../../health/reads/stored-record.js';
import type { Bucket } from '../../health/statistics/sample-buckets.service.js';
import { OptionalField, textOrNull, timeOrNull } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { IsCalendarDate, IsText, IsUpstreamWord, ToBool, ToInstant, ToNames } from '../../http/server/validation.js';
import type { Page } from '../../platform/platform/paging.js';
import { HOUR_MS, isoOrNull, toIso } from '../../platform/platform/time.js';

const MAX_FIELDS = 50;

const ofDays =
  `For ${calendarDayResources.join(', ')}, which contain their day, and for samples and other summaries, whose days ` +
  'are those of the person, as in `daily` and `explain`: these need both `first_day` and `last_day`, at most 366 days.';
const dayed = `Only for ${calendarDayResources.join(', ')}.`;

/** A page of records of one resource. */
export interface RecordsPage<T> extends Page<T> {
  thinned_until?: string;
}

export function mapRecords<T, U>(page: RecordsPage<T>, map: (record: T) => U): RecordsPage<U> {
  return { ...page, data: page.data.map(map) };
}

export const thinnedUntil = {
  type: 'string',
  format: 'date-time',
  description:
    'Only if samples of the range were replaced by hourly sums (SAMPLES_KEEP_DAYS): the end of the newest such hour. ' +
    'Samples before this time may be missing here; `daily` and `hourly` include their sums.',
  example: '2025-06-01T00:00:00.000Z',
} as const;

export class ResourcePath {
  @ApiProperty({ enum: catalogue.map(({ name }) => name) })
  @IsString()
  resource: string;
}

export class RecordsListQuery extends PageQuery {
  @OptionalField({ type: String, description: 'Inclusive start: RFC 3339, or YYYY-MM-DD for midnight UTC.' })
  @ToInstant()
  start?: number;

  @OptionalField({ type: String, description: 'Exclusive end, in the same formats as `start`.' })
  @ToInstant()
  end?: number;

  @OptionalField({ description: 'Provider of the source, as in `source.provider`.', example: 'oura' })
  @IsUpstreamWord()
  provider?: string;

  @OptionalField({ description: 'Type of the source, as in `source.type`.', example: 'ring' })
  @IsUpstreamWord()
  source_type?: string;

  @OptionalField({ type: String, format: 'date', description: `First calendar day, inclusive. ${ofDays}` })
  @IsCalendarDate()
  first_day?: string;

  @OptionalField({ type: String, format: 'date', description: `Last calendar day, inclusive. ${ofDays}` })
  @IsCalendarDate()
  last_day?: string;

  @OptionalField({ enum: recordOrders, default: 'oldest', description: 'By `time`. Not with latest_per_day.' })
  order?: RecordOrder;

  @OptionalField({
    type: String,
    description:
      'Only records added or edited since this time, whatever their own time. Unchanged records may be included; ' +
      'all are returned if too much changed or the time is too long ago. Overlap consecutive requests by a minute. ' +
      'Hidden records are not reported. Not with latest_per_day.',
    example: '2026-11-20T11:59:00Z',
  })
  @ToInstant()
  updated_since?: number;

  @OptionalField({
    type: String,
    isArray: true,
    maxItems: MAX_FIELDS,
    description: 'Documented fields of `data` to return, separated by commas. Only for summaries. Default: all.',
    example: ['total', 'deep'],
  })
  @ToNames()
  @ArrayMaxSize(MAX_FIELDS)
  @IsText(/^\w{1,64}$/, 'field names, separated by commas', { each: true })
  fields?: string[];

  @OptionalField({
    type: Boolean,
    description:
      'One record per day, from the source that comes first by `source-priorities`: the most recently updated. For ' +
      'sleep, long sleeps come before short ones and naps, whatever their source; a split night has several. For ' +
      'workouts and meals all, except those that better records mostly cover. ' +
      `Sources are never added up; filters apply first. ${dayed}`,
  })
  @ToBool()
  latest_per_day?: boolean;
}

/** Further parameters for operators. */
/** In milliseconds. */
export const bucketLengths = { '1m': HOUR_MS / 60, '5m': HOUR_MS / 12, '15m': HOUR_MS / 4, '1h': HOUR_MS } as const;
const lengths = Object.keys(bucketLengths) as (keyof typeof bucketLengths)[];

export class AppRecordsQuery extends RecordsListQuery {
  @OptionalField({
    enum: lengths,
    description:
      'In less detail, for a chart: one record for each source and span of this length that has samples, with `min`, ' +
      '`mean`, `max` and `count`. Spans begin at multiples of their length in UTC. For measures with one number, such ' +
      'as heartrate, in the unit of the data dictionary. Not with order, updated_since, latest_per_day or fields.',
    example: '5m',
  })
  every?: keyof typeof bucketLengths;
}

export class OperatorRecordsQuery extends RecordsListQuery {
  @OptionalField({
    enum: ['gone'],
    description:
      'gone: also returns records that upstream no longer returns, with `gone`. The only filters beside it are ' +
      '`start`, `end` and `provider`.',
  })
  include?: 'gone';
}

class RecordSourceDto {
  @ApiProperty({ example: 'oura' }) provider: string;
  @ApiProperty({ example: 'ring' }) type: string;
}

class SampleSourceDto extends RecordSourceDto {
  @ApiProperty(textOrNull) device_id: string | null;
  @ApiProperty(textOrNull) workout_id: string | null;
  @ApiProperty(textOrNull) sport: string | null;
}

class RecordDto {
  @ApiProperty({ example: 'sleep' }) resource: string;
  @ApiProperty({ format: 'date-time', description: 'Time of the record, or start of its interval.' }) time: string;
  @ApiProperty(timeOrNull) end_time: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Seconds east of UTC; null if unknown.' })
  timezone_offset: number | null;
  @ApiProperty({
    ...textOrNull,
    example: '2026-11-20T08:30:00.000',
    description: 'Local wall-clock time at `time`; null if unknown.',
  })
  local_time: string | null;
  @ApiProperty({
    description: 'True if the source writes local time as UTC: `time` is then wall-clock time, not an instant.',
  })
  floating_time: boolean;
}

/** A timeseries point with `value`, or `systolic` and `diastolic`, or `text`; with `every`, the points of a span. */
export class SampleRecordDto extends RecordDto {
  @ApiProperty({
    description: 'Stable across edits. Samples of a series at the same time are distinguished by their position.',
    example: '4f.mi8x2k3g.0',
  })
  id: string;
  @ApiPropertyOptional() value?: number;
  @ApiPropertyOptional() systolic?: number;
  @ApiPropertyOptional() diastolic?: number;
  @ApiPropertyOptional() text?: string;
  @ApiPropertyOptional({ description: 'Only with `every`, like `mean`, `max` and `count`.' }) min?: number;
  @ApiPropertyOptional() mean?: number;
  @ApiPropertyOptional() max?: number;
  @ApiPropertyOptional({ type: 'integer', description: 'Number of samples in the span.' }) count?: number;
  @ApiProperty({ ...textOrNull, example: 'min' }) unit: string | null;
  @ApiProperty({ ...textOrNull, description: 'Distinguishes series that share a resource.' }) type: string | null;
  @ApiProperty() source: SampleSourceDto;
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'Other fields, as received from upstream.' })
  attributes: Record<string, unknown>;
}

export class SummaryRecordDto extends RecordDto {
  @ApiProperty({ description: 'Id from upstream.' }) id: string;
  @ApiProperty({ ...textOrNull, format: 'date' }) calendar_date: string | null;
  @ApiProperty({ ...timeOrNull, description: "Upstream's update time; null if it sent none." })
  updated_at: string | null;
  @ApiProperty() source: RecordSourceDto;
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'The object as received from upstream.' })
  data: Record<string, unknown>;
}

export function toRecordDto(resource: string, record: RecordRead): SampleRecordDto | SummaryRecordDto {
  return record.kind === 'sample' ? sampleDto(resource, record) : toSummaryDto(resource, record);
}

/** Returns the record with only these fields in `data`. */
export function withFields<T extends SampleRecordDto | SummaryRecordDto>(dto: T, fields?: readonly string[]): T {
  if (!fields || !('data' in dto)) return dto;
  return { ...dto, data: Object.fromEntries(Object.entries(dto.data).filter(([name]) => fields.includes(name))) };
}

export function toBucketDto(resource: string, bucket: Bucket, length: number): SampleRecordDto {
  const { series, time, rank, unit, count, min, mean, max } = bucket;
  const { id, provider, source_type: type, sub_series, floating_time } = series;
  return {
    id: [id, time, rank, length].map((part) => part.toString(36)).join('.'),
    ...{ resource, time: toIso(time), end_time: toIso(time + length), timezone_offset: null, local_time: null },
    ...{ floating_time: floating_time === 1, min, mean, max, count, unit, type: sub_series || null },
    source: { provider, type, device_id: null, workout_id: null, sport: null },
    attributes: {},
  };
}

function sampleDto(resource: string, record: SampleRead): SampleRecordDto {
  const { unit, timezone_offset, ...attributes } = record.attributes;
  return {
    id: [record.seriesId, record.time, record.sibling].map((part) => part.toString(36)).join('.'),
    ...common(resource, record, timezone_offset),
    ...valueOf(record),
    unit: textOf(unit),
    type: record.subSeries || null,
    source: {
      provider: record.provider,
      type: record.sourceType,
      device_id: record.deviceId || null,
      workout_id: record.workoutId || null,
      sport: record.sport || null,
    },
    attributes,
  };
}

export function toSummaryDto(resource: string, record: SummaryRead): SummaryRecordDto {
  return {
    id: record.summaryId,
    ...common(resource, record, record.raw['timezone_offset']),
    calendar_date: record.calendarDate,
    updated_at: isoOrNull(record.updatedAt),
    source: { provider: record.provider, type: record.sourceType },
    data: record.raw,
  };
}

function common(resource: string, { time, endTime, floatingTime }: RecordRead, offset: unknown): RecordDto {
  const seconds = Number.isInteger(offset) && !isOffsetOutOfRange(offset) ? (offset as number) : null;
  return {
    resource,
    time: toIso(time),
    end_time: isoOrNull(endTime),
    timezone_offset: seconds,
    local_time: localTime(time, floatingTime ? 0 : seconds),
    floating_time: floatingTime,
  };
}

function valueOf({ value, value2, text: words }: SampleRead): Partial<SampleRecordDto> {
  if (words !== null) return { text: words };
  if (value === null) return {};
  return value2 === null ? { value } : { systolic: value, diastolic: value2 };
}

/** Has no `Z`, because the time is not UTC. */
function localTime(time: number, offsetSeconds: number | null): string | null {
  return offsetSeconds === null ? null : toIso(time + offsetSeconds * 1_000).slice(0, -1);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
