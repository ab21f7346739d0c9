import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsIn, Matches } from 'class-validator';
import { pulledResources } from '../../health/catalogue/catalogue.js';
import { OptionalField } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { line, rowNumber, ToInstant, ToInt } from '../../http/server/validation.js';
import { slugPattern } from '../../platform/platform/ids.js';
import { type TaskStatus, taskStatuses } from './listed-pulls.service.js';

export class SyncRequest {
  @OptionalField({
    type: [String],
    enum: pulledResources,
    description: 'Default: every synced resource.',
  })
  @ArrayMinSize(1)
  @ArrayMaxSize(pulledResources.length)
  @ArrayUnique()
  @IsIn(pulledResources, { each: true })
  resources?: string[];

  @OptionalField({
    type: String,
    format: 'date-time',
    description: 'Default: SYNC_BACKFILL_DAYS before the end.',
  })
  @ToInstant()
  start?: number;

  @OptionalField({ type: String, format: 'date-time', description: 'Left out, or later than now: now.' })
  @ToInstant()
  end?: number;
}

export class TaskPath {
  @ToInt(rowNumber)
  id: number;
}

export class TaskListQuery extends PageQuery {
  @OptionalField({ enum: taskStatuses })
  @IsIn(taskStatuses)
  status?: TaskStatus;

  @OptionalField({ minLength: 1, maxLength: 255 })
  @Matches(line)
  account_id?: string;
}

export class PullListQuery extends PageQuery {
  @OptionalField({ minLength: 1, maxLength: 255 })
  @Matches(line)
  account_id?: string;

  @OptionalField({ description: 'Provider or lab slug.' })
  @Matches(slugPattern)
  provider?: string;

  @OptionalField({
    description: "Upstream's word: scheduled, in_progress, retrying, success, failure, or a new one.",
  })
  @Matches(slugPattern)
  status?: string;
}
