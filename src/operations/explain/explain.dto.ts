import { ApiProperty, OmitType } from '@nestjs/swagger';
import { IsIn, Matches } from 'class-validator';
import { coveredResources } from '../../health/catalogue/catalogue.js';
import { type DayClock, dayClocks } from '../../health/health-data/stored-records.service.js';
import { OptionalField } from '../../http/server/openapi.js';
import { IsCalendarDate, slug } from '../../http/server/validation.js';
import { type EvidenceKind, evidenceKinds } from './case.js';
import { dayClock } from './day-clock.js';
import { type DayState, dayStates } from './day-state.js';
import type { EvidenceRef } from './evidence.js';
import { type ConclusionCode, conclusionCodes } from './explain-rules.js';

const date = { type: String, format: 'date', example: '2026-11-01' } as const;

export class ExplainQuery {
  @ApiProperty({ enum: coveredResources, example: 'sleep' })
  @IsIn(coveredResources)
  resource: string;

  @ApiProperty({ ...date, description: 'Day of the person, and calendar date of summaries that have one.' })
  @IsCalendarDate()
  day: string;

  @OptionalField({ description: 'Only this source.', example: 'oura' })
  @Matches(slug)
  provider?: string;
}

export class ExplainAllQuery extends OmitType(ExplainQuery, ['resource'] as const) {}

class EvidenceRefDto implements EvidenceRef {
  @ApiProperty({
    enum: ['account', 'connection', 'historical_pull', 'task', 'message'] satisfies EvidenceRef['type'][],
  })
  type: EvidenceRef['type'];
  @ApiProperty({ description: 'A connection is named by its source, a pull of upstream by source and resource.' })
  id: string;
}

export class EvidenceDto {
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null: holds at all times.' })
  at: string | null;
  @ApiProperty({ enum: evidenceKinds }) kind: EvidenceKind;
  @ApiProperty({ type: String, nullable: true, description: 'Null: not about one source.', example: 'oura' })
  provider: string | null;
  @ApiProperty({ example: 'None of our pulls covers the day.' }) finding: string;
  @ApiProperty({ type: EvidenceRefDto, nullable: true }) ref: EvidenceRefDto | null;
  @ApiProperty({ description: 'The conclusion rests on it.' }) decisive: boolean;
}

export class ExplanationDto {
  @ApiProperty() account_id: string;
  @ApiProperty({ example: 'sleep' }) resource: string;
  @ApiProperty(date) day: string;
  @ApiProperty({ enum: dayClocks, description: dayClock }) day_in: DayClock;
  @ApiProperty({
    type: String,
    nullable: true,
    example: '-08:00',
    description: 'Offset or time zone of the day; null if it is not known, so that the day is the UTC day.',
  })
  day_zone: string | null;
  @ApiProperty({ enum: dayStates, description: 'As in the coverage of the account, over all sources looked at.' })
  state: DayState;
  @ApiProperty({ enum: conclusionCodes, description: 'The conclusion as a code.' }) reason: ConclusionCode;
  @ApiProperty({ example: 'No sleep record is stored for 2026-11-01 because no source was ever connected.' })
  conclusion: string;
  @ApiProperty({ type: [EvidenceDto], description: 'In the order of the chain, from the account to the records.' })
  evidence: EvidenceDto[];
}

export class ExplanationsDto {
  @ApiProperty({ type: [ExplanationDto] }) data: ExplanationDto[];
}
