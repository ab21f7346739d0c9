import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Matches } from 'class-validator';
import { calendarDayResources, catalogue } from '../catalogue/catalogue.js';
import { PageQuery } from '../http/page-query.js';
import { IsCalendarDate, ToBool, ToInstant } from '../http/validation.js';

/** Open words of upstream, but no characters that a store cannot hold. */
const slug = /^[^\p{Cc}\p{Cs}]{1,64}$/u;

const dayed = `Only for ${calendarDayResources.join(', ')}.`;

/** The path parameter of a list of records. */
export class ResourcePath {
  @ApiProperty({ enum: catalogue.map(({ name }) => name) })
  @IsString()
  resource: string;
}

/** Which stored records of a resource to list. */
export class RecordsListQuery extends PageQuery {
  @ApiPropertyOptional({ type: String, description: 'From here on: RFC 3339, or YYYY-MM-DD for midnight UTC.' })
  @IsOptional()
  @ToInstant()
  start?: number;

  @ApiPropertyOptional({ type: String, description: 'Before this; in the same forms.' })
  @IsOptional()
  @ToInstant()
  end?: number;

  @ApiPropertyOptional({ description: 'Slug of the source, as in the records.', example: 'oura' })
  @IsOptional()
  @Matches(slug)
  provider?: string;

  @ApiPropertyOptional({ description: 'Type of the source, as in the records.', example: 'ring' })
  @IsOptional()
  @Matches(slug)
  source_type?: string;

  @ApiPropertyOptional({ type: String, format: 'date', description: `From this calendar day on. ${dayed}` })
  @IsOptional()
  @IsCalendarDate()
  first_day?: string;

  @ApiPropertyOptional({ type: String, format: 'date', description: `Up to this calendar day. ${dayed}` })
  @IsOptional()
  @IsCalendarDate()
  last_day?: string;

  @ApiPropertyOptional({
    type: Boolean,
    description: `Of each calendar day and provider the record that upstream changed last, by day, then provider. ${dayed}`,
  })
  @IsOptional()
  @ToBool()
  latest_per_day?: boolean;
}
