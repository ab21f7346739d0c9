import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique } from 'class-validator';
import { catalogue, unlike } from '../../health/catalogue/catalogue.js';
import { OptionalField } from '../../http/server/openapi.js';
import { AreKnown, ToNames } from '../../http/server/validation.js';
import { SampleRecordDto, SummaryRecordDto } from './records.dto.js';
import { statisticsStates } from './statistics.dto.js';

/** Workout streams are too long to return together with others. */
export const latestResources = catalogue.filter(({ family }) => family !== 'stream');
const names = latestResources.map(({ name }) => name);

const anyRecord = {
  anyOf: [{ $ref: getSchemaPath(SampleRecordDto) }, { $ref: getSchemaPath(SummaryRecordDto) }],
};

export class LatestQuery {
  @OptionalField({
    enum: names,
    isArray: true,
    description: 'Resource names, separated by commas, except workout streams. Default: all with a record.',
    example: ['heartrate', 'body_weight'],
  })
  @ToNames()
  @ArrayMaxSize(names.length)
  @ArrayUnique()
  @AreKnown(names, (name) => unlike(name, names))
  resources?: string[];
}

@ApiExtraModels(SampleRecordDto, SummaryRecordDto)
export class LatestDto {
  @ApiProperty({ enum: names }) resource: string;
  @ApiProperty({
    enum: statisticsStates,
    description:
      'none: no record is stored. not_synced: no record is stored, and the service does not pull this resource.',
  })
  state: (typeof statisticsStates)[number];
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Seconds since the end of the record; null without a record, and for a floating_time ' + 'that nothing places.',
  })
  age_seconds: number | null;
  @ApiPropertyOptional({
    ...anyRecord,
    description: 'Newest record of all sources; of several with the same time, that of the best source.',
  })
  record?: SampleRecordDto | SummaryRecordDto;
}
