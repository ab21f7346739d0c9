import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsBoolean, IsIn, Matches } from 'class-validator';
import { KeepsUnknownFields, OptionalField, textOrNull } from '../../http/server/openapi.js';
import { IsCalendarDate } from '../../http/server/validation.js';
import { type AppointmentLab, appointmentLabs, defaultRadius, MAX_SITE_CODES } from './availability-rules.js';

const radiusPattern = /^[\x21-\x7e]{1,32}$/;
const text = { type: 'string' } as const;
const time = {
  ...text,
  description: 'RFC 3339 in UTC with milliseconds; as sent by upstream if the instant is ambiguous.',
  example: '2026-11-21T13:15:00.000Z',
} as const;

export class AvailabilityRequest {
  @ApiProperty({ enum: appointmentLabs })
  @IsIn(appointmentLabs, { message: `$property must be one of ${appointmentLabs.join(', ')}` })
  lab: AppointmentLab;

  @OptionalField({
    ...textOrNull,
    format: 'date',
    description: 'First day, not before today in any time zone of the United States. Default: now.',
  })
  @IsCalendarDate()
  start_date?: string | null;

  @OptionalField({
    type: [String],
    nullable: true,
    minItems: 1,
    maxItems: MAX_SITE_CODES,
    description: 'Use either site_codes or zip_code.',
    example: ['QNY1'],
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_SITE_CODES)
  @ArrayUnique()
  @Matches(/^[\x21-\x7e]{1,64}$/, { each: true, message: 'each site code must have 1 to 64 characters and no spaces' })
  site_codes?: string[] | null;

  @OptionalField({
    ...textOrNull,
    pattern: '^\\d{5}$',
    description: 'Use either zip_code or site_codes.',
    example: '10001',
  })
  @Matches(/^\d{5}$/, { message: '$property must have five digits' })
  zip_code?: string | null;

  @OptionalField({
    anyOf: [{ type: 'number' }, { type: 'string', nullable: true, pattern: radiusPattern.source }],
    default: defaultRadius,
    example: '25',
    description:
      'Miles around zip_code, as number or text: 10, 20, 25, 50 or 100; other values are passed to upstream.',
  })
  @Transform(({ value }: { value: unknown }) => (typeof value === 'number' ? String(value) : value), {
    toClassOnly: true,
  })
  @Matches(radiusPattern, { message: '$property must have 1 to 32 characters and no spaces' })
  radius?: string | null;

  @OptionalField({
    type: Boolean,
    nullable: true,
    description: 'Allow cached results from upstream, which are faster (in closed beta at upstream).',
  })
  @IsBoolean()
  allow_stale?: boolean | null;
}

@KeepsUnknownFields()
export class SlotDto {
  @ApiProperty({ ...textOrNull, description: 'Key that books the slot; null if none.' }) booking_key: string | null;
  @ApiProperty({ description: 'False without a booking_key or once the offer has expired.' }) bookable: boolean;
  @ApiProperty(time) start: string;
  @ApiProperty(time) end: string;
  @ApiProperty({ ...time, nullable: true, example: '2026-11-20T12:15:00.000Z' }) expires_at: string | null;
  @ApiProperty({ type: Number, nullable: true }) price: number | null;
  @ApiProperty() is_priority: boolean;
  @ApiProperty({ type: 'integer', nullable: true }) num_appointments_available: number | null;
}

export class LocationDayDto {
  @ApiProperty({
    type: 'object',
    nullable: true,
    additionalProperties: true,
    description: 'Site, with all other fields from upstream.',
    required: ['distance', 'iana_timezone'],
    selfRequired: true,
    properties: {
      location: { type: 'object', properties: { lng: { type: 'number' }, lat: { type: 'number' } } },
      distance: { type: 'integer', nullable: true, description: 'Miles.' },
      address: {
        type: 'object',
        additionalProperties: true,
        properties: {
          first_line: text,
          second_line: textOrNull,
          city: text,
          state: text,
          zip_code: text,
          unit: textOrNull,
          access_notes: textOrNull,
        },
      },
      code: { ...text, example: 'QNY1' },
      name: text,
      iana_timezone: { ...textOrNull, example: 'America/New_York' },
    },
  })
  location: Record<string, unknown> | null;

  @ApiProperty({ format: 'date', example: '2026-11-21' }) date: string;
  @ApiProperty({ type: [SlotDto] }) slots: SlotDto[];
}

export class AvailabilityDto {
  @ApiProperty({ type: [LocationDayDto], description: 'One entry per site and day; empty when there are no slots.' })
  slots: LocationDayDto[];

  @ApiProperty({ ...textOrNull, example: 'America/New_York' })
  timezone: string | null;
}
