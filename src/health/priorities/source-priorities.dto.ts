import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, ValidateIf, ValidateNested } from 'class-validator';
import { count, timeOrNull } from '../../http/server/openapi.js';
import { IsUpstreamWord } from '../../http/server/validation.js';
import { isoOrNull } from '../../platform/platform/time.js';
import { catalogue } from '../catalogue/catalogue.js';
import { dataTypeOf, type PreferredSource } from './priority-rule.js';
import type { PrioritiesOfType } from './source-priorities.service.js';

const dataTypes = [...new Set(catalogue.map(dataTypeOf))];
const origins = ['account', 'operator', 'upstream', 'default'] as const;
const MAX_SOURCES = 100;

export class PreferredSourceDto implements PreferredSource {
  @ApiProperty({ description: 'Provider of the source, as in `source.provider`.', example: 'oura' })
  @IsUpstreamWord()
  provider: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Type of the source, as in `source.type`; null for every type of the provider.',
    example: 'ring',
  })
  @ValidateIf((one: PreferredSourceDto) => one.type !== null)
  @IsUpstreamWord()
  type: string | null;
}

export class SourcePriorityChange {
  @ApiProperty({ enum: dataTypes, description: 'timeseries covers all sample resources.' })
  @IsIn(dataTypes)
  data_type: string;

  @ApiProperty({
    type: [PreferredSourceDto],
    nullable: true,
    maxItems: MAX_SOURCES,
    description: 'Sources, best first; replaces the entire list. Null removes it, so that the next list applies.',
  })
  @ValidateIf((change: SourcePriorityChange) => change.sources !== null)
  @IsArray()
  @ArrayMaxSize(MAX_SOURCES)
  @ValidateNested({ each: true })
  @Type(() => PreferredSourceDto)
  sources: PreferredSourceDto[] | null;
}

export class SourcePriorityDto {
  @ApiProperty({ example: 'sleep' }) data_type: string;
  @ApiProperty({
    enum: origins,
    description:
      'Origin of the list in effect. default: no list; devices come before apps and phones, then sources are ' +
      'sorted by name.',
  })
  decided_by: (typeof origins)[number];
  @ApiProperty({ type: [PreferredSourceDto], description: 'Best first; sources not listed come last.' })
  sources: readonly PreferredSourceDto[];
  @ApiProperty({ ...timeOrNull, description: 'When this list was set, or read from upstream.' })
  changed_at: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Name of the key.' }) changed_by: string | null;
  @ApiProperty({ ...timeOrNull, description: "When upstream's list was read; null if never." })
  upstream_read_at: string | null;
  @ApiProperty({ ...count, description: "Entries of upstream's list ignored because they name no source." })
  upstream_unreadable: number;
}

export class SourcePrioritiesDto {
  @ApiProperty({ type: [SourcePriorityDto] }) data: SourcePriorityDto[];
  @ApiProperty({ type: String, nullable: true, description: 'Always null: all lists fit one page.', example: null })
  next_cursor: string | null;
}

export function toSourcePrioritiesDto(all: readonly PrioritiesOfType[]): SourcePrioritiesDto {
  return { data: all.map(toSourcePriorityDto), next_cursor: null };
}

function toSourcePriorityDto({ dataType, effective, upstream }: PrioritiesOfType): SourcePriorityDto {
  return {
    data_type: dataType,
    decided_by: effective?.origin ?? 'default',
    sources: effective?.sources ?? [],
    changed_at: isoOrNull(effective?.changed_at ?? null),
    changed_by: effective?.changed_by ?? null,
    upstream_read_at: isoOrNull(upstream?.changed_at ?? null),
    upstream_unreadable: upstream?.unreadable ?? 0,
  };
}
