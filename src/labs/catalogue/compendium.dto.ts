import { ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsInt,
  IsString,
  Length,
  Matches,
  MaxLength,
} from 'class-validator';
import { KeepsUnknownFields, OptionalField, textOrNull } from '../../http/server/openapi.js';
import { slugPattern } from '../../platform/platform/ids.js';
import { candidateLists, defaultLimit } from './compendium-rules.js';

const texts = { type: 'array', items: { type: 'string' } } as const;

export class CompendiumRequest {
  @ApiProperty({
    type: 'string',
    pattern: slugPattern.source,
    description: 'canonical or crosswalk; other modes are passed to upstream.',
    example: 'canonical',
  })
  @Matches(slugPattern, { message: '$property must be the name of a mode, such as canonical or crosswalk' })
  mode: string;

  @OptionalField({
    ...textOrNull,
    description: 'Search text, required in canonical mode. Crosswalk mode takes query or loinc_set_hash.',
    example: 'hemoglobin a1c',
  })
  @IsString()
  @MaxLength(500)
  query?: string | null;

  @OptionalField({ ...texts, nullable: true, example: ['83036'] })
  @IsArray()
  @ArrayMaxSize(100)
  @IsString({ each: true })
  @Length(1, 32, { each: true })
  cpt_codes?: string[] | null;

  @OptionalField({ ...textOrNull, description: 'Hash of a canonical entry. Crosswalk mode only.' })
  @Matches(/^[\x21-\x7e]{1,256}$/, { message: '$property must have 1 to 256 characters and no spaces' })
  loinc_set_hash?: string | null;

  @OptionalField({
    ...texts,
    nullable: true,
    description: 'labcorp, quest, bioreference, sonora_quest; upstream may add values. Default: all.',
    example: ['quest'],
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(50)
  @ArrayUnique()
  @Matches(slugPattern, { each: true, message: 'each of $property must be the slug of a lab' })
  labs?: string[] | null;

  @OptionalField({ type: Boolean, nullable: true, default: true })
  @IsBoolean()
  include_related?: boolean | null;

  @OptionalField({
    type: 'integer',
    nullable: true,
    minimum: 1,
    default: defaultLimit,
    description: 'At most 10 in canonical mode, 20 in crosswalk mode. No default in other modes.',
  })
  @IsInt({ message: '$property must be a whole number' })
  limit?: number | null;
}

@KeepsUnknownFields()
export class CanonicalEntryDto {
  @ApiProperty() loinc_set_hash: string;
  @ApiProperty({ example: 'Hemoglobin A1c' }) display_name: string;
  @ApiProperty({ type: Number, nullable: true }) popularity_score: number | null;
  @ApiProperty({ type: Number, nullable: true }) confidence: number | null;
  @ApiProperty({ type: [String] }) aliases: string[];
  @ApiProperty({ type: [String], example: ['4548-4'] }) loinc_codes: string[];
  @ApiProperty({ type: [String] }) provider_ids: string[];
  @ApiProperty({ type: [String] }) loinc_components: string[];
  @ApiProperty({ type: [String] }) loinc_groups: string[];
  @ApiProperty({ type: [String], example: ['83036'] }) cpt_codes: string[];
}

@KeepsUnknownFields()
export class RelatedEntryDto {
  @ApiProperty() canonical: CanonicalEntryDto;
  @ApiProperty({
    ...textOrNull,
    description: 'exact, subset, superset, overlap or suggested; upstream may add values.',
  })
  relation: string | null;
  @ApiProperty({ type: Number, nullable: true }) confidence: number | null;
  @ApiProperty({ type: [String], example: ['OVERLAP'] }) reason_codes: string[];
}

export const labCandidate = {
  type: 'object',
  additionalProperties: true,
  required: ['lab_slug', 'provider_id', ...candidateLists] as string[],
  properties: {
    marker_id: { type: 'integer', description: 'Usable as an add-on of an order, like provider_id.' },
    lab_id: { type: 'integer', description: 'Differs between environments: use the slug.' },
    lab_slug: textOrNull,
    name: { type: 'string' },
    result_names: texts,
    provider_id: textOrNull,
    loinc_set_hash: { type: 'string' },
    loinc_codes: texts,
    loinc_components: texts,
    loinc_groups: texts,
    cpt_codes: texts,
    relation: {
      type: 'string',
      description: 'exact, subset, superset, overlap or suggested; upstream may add values.',
    },
    confidence: { type: 'number' },
    reason_codes: texts,
    marker_popularity_score: { type: 'number' },
  },
} as const;

export class CompendiumDto {
  @ApiProperty({ description: 'canonical or crosswalk; upstream may add values.', example: 'crosswalk' })
  mode: string;

  @ApiProperty({ type: CanonicalEntryDto, nullable: true, description: 'Best match; null if nothing was found.' })
  selected_canonical: CanonicalEntryDto | null;

  @ApiProperty({ type: [CanonicalEntryDto] })
  canonical_candidates: CanonicalEntryDto[];

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'array', items: labCandidate },
    description: 'Candidates by lab slug; empty in canonical mode.',
  })
  per_lab: Record<string, Record<string, unknown>[]>;

  @ApiProperty({ type: [RelatedEntryDto], description: 'Empty in canonical mode.' })
  related: RelatedEntryDto[];
}
