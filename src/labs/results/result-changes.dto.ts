import { ApiProperty } from '@nestjs/swagger';
import { textOrNull, time } from '../../http/server/openapi.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import { directions, type MarkerChange, type MarkerValue, markerChanges, outOfRange } from './result-changes.js';
import type { ChangedVersion } from './results.service.js';

class MarkerValueDto implements MarkerValue {
  @ApiProperty({ ...textOrNull, example: '7.4' }) result: string | null;
  @ApiProperty({ ...textOrNull, example: 'mmol/L' }) unit: string | null;
  @ApiProperty({ ...textOrNull, example: 'critical' }) interpretation: string | null;
  @ApiProperty({ ...textOrNull, example: '3.5 - 5.1', description: 'As the lab wrote it, else its ends.' })
  reference_range: string | null;
  @ApiProperty({
    enum: [...outOfRange, null],
    type: String,
    nullable: true,
    description: 'Null if the lab says neither.',
  })
  out_of_range: MarkerValue['out_of_range'];
}

class MarkerChangeDto {
  @ApiProperty({ ...textOrNull, example: 'Potassium', description: 'Null without the role reader.' })
  name: string | null;
  @ApiProperty({ ...textOrNull, example: 'S1', description: 'Null without the role reader.' })
  sample_id: string | null;
  @ApiProperty({ enum: markerChanges }) change: MarkerChange['change'];
  @ApiProperty({
    enum: [...directions, null],
    type: String,
    nullable: true,
    description: 'Null unless both values are numbers of one unit.',
  })
  direction: MarkerChange['direction'];
  @ApiProperty({
    type: MarkerValueDto,
    nullable: true,
    description: 'In the version before; null without the role reader.',
  })
  before: MarkerValueDto | null;
  @ApiProperty({ type: MarkerValueDto, nullable: true, description: 'In this version; null without the role reader.' })
  after: MarkerValueDto | null;
}

class ChangedVersionDto {
  @ApiProperty({ type: 'integer', minimum: 1 }) version: number;
  @ApiProperty({ ...time, description: 'When it was first read.' }) first_seen_at: string;
  @ApiProperty({ ...time, nullable: true, description: 'When upstream no longer returned it; null while it is valid.' })
  withdrawn_at: string | null;
  @ApiProperty({ type: [MarkerChangeDto], description: 'Since the version before; empty for the first one.' })
  changes: MarkerChangeDto[];
}

export class ResultChangesDto {
  @ApiProperty({ type: [ChangedVersionDto], description: 'Newest first.' }) data: ChangedVersionDto[];
}

export function toChangedVersionDto(
  { version, first_seen_at, withdrawn_at, changes }: ChangedVersion,
  showsValues: boolean,
): ChangedVersionDto {
  return {
    version,
    first_seen_at: toIso(first_seen_at),
    withdrawn_at: isoOrNull(withdrawn_at),
    changes: changes.map((each) => (showsValues ? each : { ...each, ...hidden })),
  };
}

/** Names of markers are health values, too. */
const hidden = { name: null, sample_id: null, before: null, after: null };
