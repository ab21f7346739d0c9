import { Matches } from 'class-validator';
import { pulledResources } from '../../health/catalogue/catalogue.js';
import { AccountFilter } from '../../http/server/account-path.js';
import { OptionalField, time } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { rowNumber, ToInt } from '../../http/server/validation.js';
import { slugPattern } from '../../platform/platform/ids.js';
import { type TaskStatus, taskStatuses } from './listed-pulls.service.js';

export class SyncRequest {
  @OptionalField({
    type: [String],
    enum: pulledResources,
    description: 'Default: every synced resource.',
  })
  resources?: string[];

  @OptionalField({
    ...time,
    description: 'Default: SYNC_BACKFILL_DAYS before the end.',
  })
  start?: number;

  @OptionalField({ ...time, description: 'Left out, or later than now: now.' })
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
  @Matches(slugPattern)
  provider?: string;

  @OptionalField({
    description: "Upstream's word: scheduled, in_progress, retrying, success, failure, or a new one.",
  })
  @Matches(slugPattern)
  status?: string;
}
