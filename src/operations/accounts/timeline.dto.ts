import { ApiProperty } from '@nestjs/swagger';
import { IsArray, IsIn } from 'class-validator';
import { OptionalField, time } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { ToNames } from '../../http/server/validation.js';
import { toIso } from '../../platform/platform/time.js';
import {
  type Detail,
  type TimelineEntry,
  type TimelineKind,
  timelineKinds,
} from '../../storage/declarations/timeline.js';

export class TimelineListQuery extends PageQuery {
  @OptionalField({
    enum: timelineKinds,
    isArray: true,
    example: ['link_token', 'link_outcome', 'connection'],
    description: 'Only these kinds, separated by commas.',
  })
  @ToNames()
  @IsArray()
  @IsIn(timelineKinds, { each: true })
  kind?: TimelineKind[];

  @OptionalField({ ...time, description: 'Happened at or after this time.' })
  start?: number;

  @OptionalField({ ...time, description: 'Happened before this time.' })
  end?: number;
}

class TimelineRefDto {
  @ApiProperty({ example: 'sync_task' }) type: string;
  @ApiProperty({ example: '17' }) id: string;
}

/** One timeline entry; states, counts and names, no health values. */
export class TimelineEntryDto {
  @ApiProperty({ format: 'date-time' }) at: string;
  @ApiProperty({ enum: timelineKinds }) kind: TimelineKind;
  @ApiProperty({ example: 'A pull failed permanently.' }) title: string;
  @ApiProperty({ description: 'Object of the entry.' }) ref: TimelineRefDto;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
    description: 'Fields depend on `kind`. Free text from upstream is shown only if it is one word.',
    example: { resource: 'sleep', provider: 'oura', pages: 3, records: 120, error_code: null },
  })
  details: Record<string, Detail>;
}

export function toTimelineEntryDto({ at, kind, title, ref, details }: TimelineEntry): TimelineEntryDto {
  return { at: toIso(at), kind, title, ref, details };
}
