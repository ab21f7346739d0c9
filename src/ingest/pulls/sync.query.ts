import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsIn, IsOptional, Matches } from 'class-validator';
import { pulledResources } from '../../health/catalogue/catalogue.js';
import { PageQuery } from '../../http/server/page-query.js';
import { line, rowNumber, ToInstant, ToInt } from '../../http/server/validation.js';
import { slugPattern } from '../../platform/platform/ids.js';
import { type TaskStatus, taskStatuses } from './listed-pulls.service.js';

export class SyncRequest {
  @ApiPropertyOptional({
    type: [String],
    enum: pulledResources,
    description: 'Default: every synced resource.',
  })
  @IsOptional()
  @ArrayMinSize(1)
  @ArrayMaxSize(pulledResources.length)
  @ArrayUnique()
  @IsIn(pulledResources, { each: true })
  resources?: string[];

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Default: SYNC_BACKFILL_DAYS before the end.',
  })
  @IsOptional()
  @ToInstant()
  start?: number;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Left out, or later than now: now.' })
  @IsOptional()
  @ToInstant()
  end?: number;
}

export class TaskPath {
  @ToInt(rowNumber)
  id: number;
}

export class TaskListQuery extends PageQuery {
  @ApiPropertyOptional({ enum: taskStatuses })
  @IsOptional()
  @IsIn(taskStatuses)
  status?: TaskStatus;

  @ApiPropertyOptional({ minLength: 1, maxLength: 255 })
  @IsOptional()
  @Matches(line)
  account_id?: string;
}

export class PullListQuery extends PageQuery {
  @ApiPropertyOptional({ minLength: 1, maxLength: 255 })
  @IsOptional()
  @Matches(line)
  account_id?: string;

  @ApiPropertyOptional({ description: 'Provider or lab slug.' })
  @IsOptional()
  @Matches(slugPattern)
  provider?: string;

  @ApiPropertyOptional({
    description: "Upstream's word: scheduled, in_progress, retrying, success, failure, or a new one.",
  })
  @IsOptional()
  @Matches(slugPattern)
  status?: string;
}
