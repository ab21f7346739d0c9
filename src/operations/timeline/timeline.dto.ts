import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import { PageQuery } from '../../http/server/page-query.js';
import { ToInstant } from '../../http/server/validation.js';
import { toIso } from '../../platform/platform/time.js';
import {
  type Detail,
  type TimelineEntry,
  type TimelineKind,
  timelineKinds,
} from '../../storage/declarations/timeline.js';

const oneKind = `(${timelineKinds.join('|')})`;

export class TimelineListQuery extends PageQuery {
  @ApiPropertyOptional({
    example: 'link_token,link_outcome,connection',
    description: `One kind or several, with commas between: ${timelineKinds.join(', ')}.`,
  })
  @IsOptional()
  @Matches(new RegExp(`^${oneKind}(,${oneKind})*$`), { message: 'kind must be one or several of the known kinds' })
  kind?: string;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'At this time or later.' })
  @IsOptional()
  @ToInstant()
  from?: number;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Before this time.' })
  @IsOptional()
  @ToInstant()
  to?: number;
}

/** The kinds of a list with commas, undefined without one. */
export function kindsOf(list: string | undefined): TimelineKind[] | undefined {
  if (list === undefined) return undefined;
  const wanted = new Set<string>(list.split(','));
  return timelineKinds.filter((known) => wanted.has(known));
}

class TimelineRefDto {
  @ApiProperty({ example: 'sync_task' }) type: string;
  @ApiProperty({ example: '17' }) id: string;
}

/** One thing that happened; states, counts and names, no health values. */
export class TimelineEntryDto {
  @ApiProperty({ format: 'date-time' }) at: string;
  @ApiProperty({ enum: timelineKinds }) kind: TimelineKind;
  @ApiProperty({ example: 'A pull was given up.' }) title: string;
  @ApiProperty({ description: 'What to look at.' }) ref: TimelineRefDto;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
    description: 'By kind. What upstream says in words of its own is shown if it is one word.',
    example: { resource: 'sleep', provider: 'oura', pages: 3, records: 120, error_code: null },
  })
  details: Record<string, Detail>;
}

export function toTimelineEntryDto({ at, kind, title, ref, details }: TimelineEntry): TimelineEntryDto {
  return { at: toIso(at), kind, title, ref, details };
}
