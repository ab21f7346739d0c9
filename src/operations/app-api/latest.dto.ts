import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsIn } from 'class-validator';
import { catalogue } from '../../health/catalogue/catalogue.js';
import { OptionalField } from '../../http/server/openapi.js';
import { ToNames } from '../../http/server/validation.js';
import { SampleRecordDto, SummaryRecordDto } from './records.dto.js';
import { statisticsStates } from './statistics.dto.js';

/** Streams of workouts are too long to be shown beside others. */
export const latestResources = catalogue.filter(({ family }) => family !== 'stream');
const names = latestResources.map(({ name }) => name);

export const anyRecord = {
  anyOf: [{ $ref: getSchemaPath(SampleRecordDto) }, { $ref: getSchemaPath(SummaryRecordDto) }],
};

export class LatestQuery {
  @OptionalField({
    type: String,
    description: 'Names of resources, separated by commas; default: all with a record. Streams of workouts excepted.',
    example: 'heartrate,body_weight',
  })
  @ToNames()
  @ArrayMaxSize(names.length)
  @ArrayUnique()
  @IsIn(names, { each: true })
  resources?: string[];
}

@ApiExtraModels(SampleRecordDto, SummaryRecordDto)
export class LatestDto {
  @ApiProperty({ enum: names }) resource: string;
  @ApiProperty({
    enum: statisticsStates,
    description: 'none: no record is stored. not_synced: none is, and the service does not pull this resource.',
  })
  state: (typeof statisticsStates)[number];
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Seconds since the end of the record; null without a record, and for local time written as UTC.',
  })
  age_seconds: number | null;
  @ApiPropertyOptional({ ...anyRecord, description: 'The newest of all sources.' })
  record?: SampleRecordDto | SummaryRecordDto;
}
