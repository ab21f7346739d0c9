import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { KeepsUnknownFields, textOrNull } from '../../http/server/openapi.js';
import { uuidPattern } from '../../platform/platform/ids.js';

const maybeCount = { type: 'integer', nullable: true } as const;
const text = { type: 'string' } as const;
const texts = { type: 'array', items: text } as const;

export class LabTestPath {
  @ApiProperty({ format: 'uuid' })
  @Matches(uuidPattern, { message: '$property must be a uuid' })
  lab_test_id: string;
}

@KeepsUnknownFields()
export class LabTestDto {
  @ApiProperty({
    description: 'Id for order_set.lab_test_ids of an order.',
    example: '3e1d2c4b-5a69-4788-97a6-b5c4d3e2f101',
  })
  id: string;
  @ApiProperty({ ...textOrNull, example: 'lipid-panel' }) slug: string | null;
  @ApiProperty({ ...textOrNull, example: 'Lipid Panel' }) name: string | null;
  @ApiProperty({ ...textOrNull, example: 'serum' }) sample_type: string | null;
  @ApiProperty({
    ...textOrNull,
    example: 'walk_in_test',
    description: 'Sample collection method; upstream may add values.',
  })
  method: string | null;
  @ApiProperty({ type: Number, nullable: true }) price: number | null;
  @ApiProperty({ ...textOrNull, example: 'active' }) status: string | null;
  @ApiProperty({ type: Boolean, nullable: true }) fasting: boolean | null;

  @ApiProperty({
    type: 'object',
    nullable: true,
    additionalProperties: true,
    properties: {
      id: { type: 'integer' },
      slug: { ...text, example: 'quest' },
      name: { ...text, example: 'Quest' },
      first_line_address: { ...text, example: '1 Main Street' },
      city: { ...text, example: 'New York' },
      zipcode: { ...text, example: '10001' },
      collection_methods: { ...texts, example: ['walk_in_test'] },
      sample_types: { ...texts, example: ['serum'] },
    },
  })
  lab: Record<string, unknown> | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Measured biomarkers, as listed by upstream.',
    example: [{ id: 11, name: 'LDL Cholesterol', slug: 'ldl-cholesterol', provider_id: '120295' }],
  })
  markers: unknown[];
  @ApiProperty({ ...maybeCount, description: 'Typical days until the result.' }) common_tat_days: number | null;
  @ApiProperty({ ...maybeCount, description: 'Maximum days until the result.' }) worst_case_tat_days: number | null;
}

export class LabTestPageDto {
  @ApiProperty({ type: [LabTestDto] }) data: LabTestDto[];
  @ApiProperty({ ...textOrNull, example: null }) next_cursor: string | null;
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Items of this page left out because they are unreadable.',
  })
  unreadable: number;
}

@KeepsUnknownFields()
export class QuestionAnswerDto {
  @ApiProperty({ type: 'integer', nullable: true }) id: number | null;
  @ApiProperty({ ...textOrNull, example: 'Y', description: 'What aoe_answers has for a choice.' }) code: string | null;
  @ApiProperty({ ...textOrNull, example: 'Yes' }) value: string | null;
}

/** A question that the lab asks when a test is ordered. */
@KeepsUnknownFields()
export class QuestionDto {
  @ApiProperty({ type: 'integer', nullable: true }) id: number | null;
  @ApiProperty(textOrNull) code: string | null;
  @ApiProperty({
    ...textOrNull,
    example: 'choice',
    description: 'choice, multiple_choice, numeric or text; upstream may add values.',
  })
  type: string | null;
  @ApiProperty({ ...textOrNull, description: 'The question.' }) value: string | null;
  @ApiProperty({ description: 'Without an answer, the order is refused.' }) required: boolean;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Position among the questions.' })
  sequence: number | null;
  @ApiProperty({ type: [QuestionAnswerDto], description: 'Possible answers of a choice.' })
  answers: QuestionAnswerDto[];
}

@KeepsUnknownFields()
export class LabTestMarkerDto {
  @ApiProperty({ type: 'integer' }) id: number;
  @ApiProperty({ ...textOrNull, example: 'Estradiol' }) name: string | null;
  @ApiProperty({ ...textOrNull, example: 'estradiol' }) slug: string | null;
  @ApiProperty(textOrNull) provider_id: string | null;
  @ApiProperty({ type: [QuestionDto] }) questions: QuestionDto[];
}

export class LabTestMarkersDto {
  @ApiProperty({ type: [LabTestMarkerDto] }) data: LabTestMarkerDto[];
}
