import { ApiProperty } from '@nestjs/swagger';
import { RejectionDto } from '../../health/records/rejection.dto.js';
import { time, timeOrNull } from '../../http/server/openapi.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import { failuresOf } from '../../storage/work/lease.js';
import type { ShownPull } from '../streams/historical-pulls.repository.js';
import { estimatedEnd, shareDone } from './listed-pulls.service.js';
import type { SyncProgress } from './pull-inspection.service.js';
import { type TaskOrigin, type TaskStatus, taskOrigins, taskStatuses } from './pull-task.entity.js';
import { type ShownTask } from './pull-tasks.reader.js';

const count = { type: 'integer' } as const;

export class SyncReceipt {
  @ApiProperty() account_id: string;
  @ApiProperty({ type: [Number], description: 'Pull tasks; see /sync/tasks.' }) task_ids: number[];
}

export class TaskDto {
  @ApiProperty(count) id: number;
  @ApiProperty() account_id: string;
  @ApiProperty({ type: String, nullable: true, description: 'Null for all sources.' }) provider: string | null;
  @ApiProperty() resource: string;
  @ApiProperty({ enum: taskOrigins }) origin: TaskOrigin;
  @ApiProperty({ ...count, nullable: true, description: 'Recovery it belongs to; null if none.' }) recovery_id:
    | number
    | null;
  @ApiProperty({ enum: taskStatuses }) status: TaskStatus;
  @ApiProperty(time) start: string;
  @ApiProperty(time) end: string;
  @ApiProperty({ type: String, nullable: true, description: 'Cursor of the next page.' }) cursor: string | null;
  @ApiProperty(count) pages: number;
  @ApiProperty({ ...count, description: 'Records received.' }) records: number;
  @ApiProperty({ ...count, description: 'Records that were new or changed.' }) written: number;
  @ApiProperty({ ...count, description: 'Records that could not be stored.' }) rejected: number;
  @ApiProperty(count) attempts: number;
  @ApiProperty({ ...count, description: 'Failures since the last successful page.' }) failures: number;
  @ApiProperty({ ...count, description: 'Restarts because the cursor was no longer usable.' }) restarts: number;
  @ApiProperty({ type: String, nullable: true }) last_error: string | null;
  @ApiProperty({ minimum: 0, maximum: 1 }) share_done: number;
  @ApiProperty(timeOrNull) estimated_end: string | null;
  @ApiProperty(timeOrNull) due_at: string | null;
  @ApiProperty(time) created_at: string;
  @ApiProperty(timeOrNull) started_at: string | null;
  @ApiProperty(timeOrNull) finished_at: string | null;
}

export class TaskDetailDto extends TaskDto {
  @ApiProperty({ type: [RejectionDto], description: 'Rejected records that no later pull returned again.' })
  rejections: RejectionDto[];
}

class TaskCounts implements Record<TaskStatus, number> {
  @ApiProperty(count) pending: number;
  @ApiProperty(count) running: number;
  @ApiProperty(count) done: number;
  @ApiProperty(count) failed: number;
}

/** Counts all open tasks, and the ended ones among the newest 100,000 tasks. */
export class ProgressDto {
  @ApiProperty() tasks: TaskCounts;
  @ApiProperty({ minimum: 0, maximum: 1 }) share_done: number;
  @ApiProperty(count) pages: number;
  @ApiProperty(count) records: number;
  @ApiProperty(count) written: number;
  @ApiProperty(timeOrNull) estimated_end: string | null;
  @ApiProperty({ description: 'Age of the oldest due task, without recoveries.' }) lag_seconds: number;
}

export class PullDto {
  @ApiProperty() account_id: string;
  @ApiProperty() provider: string;
  @ApiProperty({ description: "Resource, as named in upstream's events." }) resource: string;
  @ApiProperty({ description: 'Status from upstream.' }) status: string;
  @ApiProperty({ ...count, nullable: true }) days_with_data: number | null;
  @ApiProperty(timeOrNull) range_start: string | null;
  @ApiProperty(timeOrNull) range_end: string | null;
  @ApiProperty({ type: String, nullable: true }) release: string | null;
  @ApiProperty({ type: String, nullable: true, description: "Id to quote to upstream's support." }) trace_id:
    | string
    | null;
  @ApiProperty({ type: String, nullable: true }) error_details: string | null;
  @ApiProperty(timeOrNull) scheduled_at: string | null;
  @ApiProperty(timeOrNull) started_at: string | null;
  @ApiProperty(timeOrNull) ended_at: string | null;
  @ApiProperty({ ...count, nullable: true, description: 'Task that fetches the data of this pull; null if none.' })
  task_id: number | null;
  @ApiProperty({ ...time, description: 'When this state was first seen.' }) observed_at: string;
}

export function toTaskDto(task: ShownTask, now: number): TaskDto {
  const { id, account, resource, origin, status, pages, records, written, rejected, turns, restarts } = task;
  const share = shareDone(task);
  const recent = task.started_at === null ? null : { finished: share, since: task.started_at };
  const isOpen = status === 'pending' || status === 'running';
  return {
    id,
    account_id: account,
    provider: task.provider === '' ? null : task.provider,
    resource,
    origin,
    recovery_id: task.recovery_id,
    status,
    start: toIso(task.window_start),
    end: toIso(task.window_end),
    cursor: task.next_cursor,
    ...{ pages, records, written, rejected, attempts: turns, failures: failuresOf(task), restarts },
    last_error: task.error_code,
    share_done: share,
    estimated_end: isOpen ? isoOrNull(estimatedEnd(now, 1 - share, recent)) : null,
    due_at: isoOrNull(task.due_at),
    created_at: toIso(task.created_at),
    started_at: isoOrNull(task.started_at),
    finished_at: isoOrNull(task.finished_at),
  };
}

export function toProgressDto(progress: SyncProgress): ProgressDto {
  const { tasks, shareDone: share_done, pages, records, written, estimatedEnd: end, lagMs } = progress;
  return { tasks, share_done, pages, records, written, estimated_end: isoOrNull(end), lag_seconds: lagMs / 1_000 };
}

export function toPullDto(pull: ShownPull): PullDto {
  const { account, provider, resource, status, days_with_data, release, trace_id, error_details, task_id } = pull;
  return {
    account_id: account,
    ...{ provider, resource, status, days_with_data },
    range_start: isoOrNull(pull.range_start),
    range_end: isoOrNull(pull.range_end),
    ...{ release, trace_id, error_details },
    scheduled_at: isoOrNull(pull.scheduled_at),
    started_at: isoOrNull(pull.started_at),
    ended_at: isoOrNull(pull.ended_at),
    task_id,
    observed_at: toIso(pull.observed_at),
  };
}
