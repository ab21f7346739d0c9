import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { KeepsUnknownFields, OptionalField, textOrNull } from '../../http/server/openapi.js';
import { IsSlug, ToInt } from '../../http/server/validation.js';
import { defaultRadius } from './availability-rules.js';

const text = { type: 'string' } as const;
const texts = { type: 'array', items: text } as const;
const open = { type: 'object', additionalProperties: true } as const;
const radius = { ...text, default: defaultRadius, description: 'Miles.' };

class NearQuery {
  @ApiProperty({ pattern: '^\\d{5}$', example: '10001' })
  @Matches(/^\d{5}$/, { message: '$property must have five digits' })
  zip_code: string;

  @OptionalField(radius)
  @Matches(/^[1-9]\d{0,3}$/, { message: '$property must be a number of miles' })
  radius?: string;
}

export class AreaQuery extends NearQuery {
  @OptionalField({ example: 'quest', description: 'Slug of a lab. Default: every lab.' })
  @IsSlug()
  lab?: string;
}

export class PlacesQuery extends NearQuery {
  @ApiProperty({ type: 'integer', example: 6, description: 'lab.id of a lab test.' })
  @ToInt({ min: 1, max: 2_147_483_647 })
  lab_id: number;
}

@KeepsUnknownFields()
export class AreaDto {
  @ApiProperty({ ...textOrNull, example: '10001' }) zip_code: string | null;

  @ApiProperty({
    ...open,
    nullable: true,
    description: 'Draws at home.',
    properties: {
      is_served: { type: 'boolean' },
      providers: { type: 'array', items: { ...open, properties: { name: text, tier: texts } } },
    },
  })
  phlebotomy: Record<string, unknown> | null;

  @ApiProperty({
    type: 'object',
    description: 'By slug of the lab.',
    additionalProperties: {
      ...open,
      properties: {
        patient_service_centers: {
          ...open,
          properties: { within_radius: { type: 'integer' }, radius: text, capabilities: texts },
        },
      },
    },
  })
  central_labs: Record<string, unknown>;
}

@KeepsUnknownFields()
export class PlaceDto {
  @ApiProperty({
    ...open,
    nullable: true,
    properties: {
      name: text,
      state: text,
      city: text,
      zip_code: text,
      first_line: text,
      second_line: textOrNull,
      phone_number: textOrNull,
      fax_number: textOrNull,
      hours: { ...open, nullable: true },
    },
  })
  metadata: Record<string, unknown> | null;
  @ApiProperty({ type: Number, nullable: true, description: 'Miles.' }) distance: number | null;
  @ApiProperty({
    type: [String],
    example: ['stat'],
    description: 'What the place offers, e.g. whether appointments can be booked; upstream may add values.',
  })
  capabilities: string[];
}

@KeepsUnknownFields()
export class PlacesDto {
  @ApiProperty({ type: 'integer', nullable: true, example: 6 }) lab_id: number | null;
  @ApiProperty({ ...textOrNull, example: 'quest' }) slug: string | null;
  @ApiProperty({ type: [PlaceDto], description: "In upstream's order." })
  patient_service_centers: PlaceDto[];
}
