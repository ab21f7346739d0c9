import { ApiProperty, OmitType } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { coveredResources } from '../../health/catalogue/catalogue.js';
import { type DayClock, dayClocks } from '../../health/clock/day-spans.js';
import { OptionalField, textOrNull, timeOrNull } from '../../http/server/openapi.js';
import { IsCalendarDate, IsUpstreamWord } from '../../http/server/validation.js';
import { type EvidenceKind, evidenceKinds } from './case.js';
import { dayClock, noteMeanings } from './coverage.dto.js';
import { type NoteCode, noteCodes } from './day-notes.js';
import { type DayState, dayStates } from './day-state.js';
import type { EvidenceRef } from './evidence.js';
import { type ConclusionCode, conclusionCodes } from './explain-rules.js';

const date = { type: String, format: 'date', example: '2026-11-01' } as const;

export class ExplainQuery {
  @ApiProperty({ enum: coveredResources, example: 'sleep' })
  @IsIn(coveredResources)
  resource: string;

  @ApiProperty({ ...date, description: 'Local day of the person, or calendar date for summaries that have one.' })
  @IsCalendarDate()
  day: string;

  @OptionalField({ description: 'Only this source.', example: 'oura' })
  @IsUpstreamWord()
  provider?: string;
}

export class ExplainAllQuery extends OmitType(ExplainQuery, ['resource'] as const) {}

export class OwnExplainQuery extends OmitType(ExplainQuery, ['provider'] as const) {}

class EvidenceRefDto implements EvidenceRef {
  @ApiProperty({
    enum: ['account', 'connection', 'historical_pull', 'task', 'message'] satisfies EvidenceRef['type'][],
  })
  type: EvidenceRef['type'];
  @ApiProperty({ description: 'A connection is identified by its source, a historical pull by source and resource.' })
  id: string;
}

export class EvidenceDto {
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null if it holds at all times.' })
  at: string | null;
  @ApiProperty({ enum: evidenceKinds }) kind: EvidenceKind;
  @ApiProperty({ type: String, nullable: true, description: 'Null if it is not about one source.', example: 'oura' })
  provider: string | null;
  @ApiProperty({ example: 'No complete pull covers the day.' }) finding: string;
  @ApiProperty({ type: EvidenceRefDto, nullable: true }) ref: EvidenceRefDto | null;
  @ApiProperty({ description: 'True if the conclusion is based on it.' }) decisive: boolean;
}

export class NoteDto {
  @ApiProperty({ enum: noteCodes, description: noteMeanings }) code: NoteCode;
  @ApiProperty({ type: String, nullable: true, description: 'Null if it is not about one source.', example: 'oura' })
  provider: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Number of records that it is about.' })
  records: number | null;
  @ApiProperty({ ...timeOrNull, description: 'Only for asked_again.' }) until: string | null;
  @ApiProperty({ example: 'The day is the UTC day, because the time zone of the person is not known.' }) text: string;
}

export class ExplanationDto {
  @ApiProperty() account_id: string;
  @ApiProperty({ example: 'sleep' }) resource: string;
  @ApiProperty(date) day: string;
  @ApiProperty({ enum: dayClocks, description: dayClock }) day_in: DayClock;
  @ApiProperty({
    ...textOrNull,
    example: '-08:00',
    description: 'Offset or time zone of the day; null if unknown, so that the day is the UTC day.',
  })
  day_zone: string | null;
  @ApiProperty({ enum: dayStates, description: 'State as in coverage, over all examined sources.' })
  state: DayState;
  @ApiProperty({ enum: conclusionCodes, description: 'The conclusion as a code.' }) reason: ConclusionCode;
  @ApiProperty({ example: 'No sleep record is stored for 2026-11-01 because no source was ever connected.' })
  conclusion: string;
  @ApiProperty({ type: [NoteDto], description: 'What else is to be known of the day.' }) notes: NoteDto[];
  @ApiProperty({ type: [EvidenceDto], description: 'In order, from the account to the records.' })
  evidence: EvidenceDto[];
}

export class ExplanationsDto {
  @ApiProperty({ type: [ExplanationDto] }) data: ExplanationDto[];
}

/** For the person: no evidence, and nothing about the operation of the service. */
export class OwnExplanationDto extends OmitType(ExplanationDto, ['account_id', 'evidence', 'conclusion'] as const) {
  @ApiProperty({ example: 'No sleep of 2026-11-01 has arrived yet; it may still come.' }) conclusion: string;
}
