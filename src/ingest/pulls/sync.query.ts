import { pulledResources } from '../../health/catalogue/catalogue.js';
import { AccountFilter } from '../../http/server/account-path.js';
import { OptionalField, time } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { IsSlug, rowNumber, ToBool, ToInt } from '../../http/server/validation.js';
import { type TaskStatus, taskStatuses } from './pull-task.entity.js';

export class SyncRequest {
  @OptionalField({ type: [String], enum: pulledResources, description: 'Default: every synced resource.' })
  resources?: string[];

  @OptionalField({ ...time, description: 'Start of the window. Default: SYNC_BACKFILL_DAYS before `end`.' })
  start?: number;

  @OptionalField({ ...time, description: 'End of the window. Default and maximum: now.' })
  end?: number;
}

export class TaskPath {
  @ToInt(rowNumber)
  id: number;
}

export class TaskListQuery extends PageQuery {
  @OptionalField({ enum: taskStatuses })
  status?: TaskStatus;

  @AccountFilter() account_id?: string;
}

export class PullListQuery extends PageQuery {
  @AccountFilter() account_id?: string;

  @OptionalField({ description: 'Provider or lab slug.' })
  @IsSlug()
  provider?: string;

  @OptionalField({ description: 'scheduled, in_progress, retrying, success or failure; upstream may add values.' })
  @IsSlug()
  status?: string;

  @OptionalField({
    type: 'boolean',
    description: 'true: only pulls that have been running for more than 24 hours; false: only the others.',
  })
  @ToBool()
  stuck?: boolean;
}
