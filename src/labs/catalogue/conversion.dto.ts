import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsInt, IsUUID, Matches, Min } from 'class-validator';
import { KeepsUnknownFields, OptionalField, textOrNull } from '../../http/server/openapi.js';
import { slugPattern } from '../../platform/platform/ids.js';
import { labCandidate } from './compendium.dto.js';
import { defaultLimit } from './compendium-rules.js';

const maybeId = { type: 'integer', nullable: true } as const;

export class ConversionRequest {
  @OptionalField({ ...textOrNull, format: 'uuid', description: 'Use either lab_test_id or provider_ids.' })
  @IsUUID('all')
  lab_test_id?: string | null;

  @OptionalField({
    type: [String],
    nullable: true,
    minItems: 1,
    maxItems: 100,
    description: "The lab's own test ids. Use either provider_ids or lab_test_id.",
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @ArrayUnique()
  @Matches(/^[\x21-\x7e]{1,64}$/, { each: true, message: 'each id must have 1 to 64 characters and no spaces' })
  provider_ids?: string[] | null;

  @ApiProperty({
    type: 'string',
    pattern: slugPattern.source,
    description: 'labcorp, quest, bioreference or sonora_quest; upstream may add values.',
    example: 'labcorp',
  })
  @Matches(slugPattern, { message: '$property must be the slug of a lab' })
  target_lab: string;

  @OptionalField({
    type: 'integer',
    nullable: true,
    minimum: 1,
    default: defaultLimit,
    description: 'Number of candidates per test.',
  })
  @IsInt({ message: '$property must be a whole number' })
  @Min(1)
  limit?: number | null;
}

@KeepsUnknownFields()
export class ConversionDto {
  @ApiProperty({ ...textOrNull, example: null }) source_lab_test_id: string | null;
  @ApiProperty(maybeId) source_lab_id: number | null;
  @ApiProperty({ ...maybeId, description: 'Differs between environments: use the slug.' }) target_lab_id: number | null;
  @ApiProperty({ example: 'labcorp' }) target_lab_slug: string;
  @ApiProperty({ type: [String], example: ['496'] }) source_provider_ids: string[];
  @ApiProperty({ type: [String], example: ['001453'] }) converted_provider_ids: string[];
  @ApiProperty({ type: [String], example: [], description: 'Tests without a match at the target lab.' })
  unresolved_provider_ids: string[];

  @ApiProperty({
    type: 'object',
    additionalProperties: {
      type: 'object',
      additionalProperties: true,
      required: ['candidates'],
      properties: {
        source_provider_id: { type: 'string', example: '496' },
        candidates: { type: 'array', items: labCandidate },
      },
    },
    description: 'Matches at the target lab by test, best first.',
    example: { '496': { source_provider_id: '496', candidates: [] } },
  })
  by_source_provider_id: Record<string, Record<string, unknown>>;
}
