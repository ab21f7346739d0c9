import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { pulledResources } from '../../health/catalogue/catalogue.js';
import { count, OptionalField, time, timeOrNull } from '../../http/server/openapi.js';
import { rowNumber, ToInstant, ToInt } from '../../http/server/validation.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import type { EstimatedRecovery, ShownRecovery } from './recoveries.service.js';
import { type RecoveryState, recoveryStates } from './recovery.entity.js';
import { progressOf } from './recovery-progress.js';

export class RecoveryRequest {
  @ApiProperty({ ...time, example: '2026-11-18T06:00:00.000Z', description: 'Start of the window, in the past.' })
  @ToInstant()
  from: number;

  @ApiProperty({
    ...time,
    example: '2026-11-19T18:00:00.000Z',
    description: 'End of the window, at most 366 days after `from`. Maximum: now.',
  })
  @ToInstant()
  to: number;

  @OptionalField({ type: Boolean, default: false, description: 'Only estimate the cost.' })
  @IsBoolean()
  dry_run?: boolean;

  @OptionalField({ type: [String], enum: pulledResources, description: 'Default: every synced resource.' })
  resources?: string[];
}

export class RecoveryPath {
  @ToInt(rowNumber)
  recovery_id: number;
}

export class RecoveryWindow {
  @ApiProperty(time) from: string;
  @ApiProperty({ ...time, description: 'Never later than the request.' }) to: string;
}

export class RecoveryForecastDto {
  @ApiProperty() window: RecoveryWindow;
  @ApiProperty({ type: [String] }) resources: string[];
  @ApiProperty({ ...count, description: 'Accounts with an upstream user.', example: 12_000 }) accounts: number;
  @ApiProperty({ ...count, description: 'Connected sources.', example: 15_400 }) sources: number;
  @ApiProperty({ ...count, description: 'One per resource and account that has or had a source.', example: 36_000 })
  pulls: number;
  @ApiProperty({
    ...count,
    description: 'Minimum number of calls to upstream, estimated from the pages of the latest pulls.',
    example: 61_000,
  })
  estimated_calls: number;
  @ApiProperty({ ...count, description: 'With the full call budget and no other work.', example: 3_050 })
  estimated_seconds: number;
}

export class RecoveryDto {
  @ApiProperty({ type: 'integer', example: 1 }) recovery_id: number;
  @ApiProperty({ enum: recoveryStates }) state: RecoveryState;
  @ApiProperty() window: RecoveryWindow;
  @ApiProperty({ type: [String] }) resources: string[];
  @ApiProperty(count) accounts: number;
  @ApiProperty({ ...count, description: 'Accounts whose pulls are queued.' }) accounts_planned: number;
  @ApiProperty({ ...count, description: 'Pulls queued so far.' }) planned: number;
  @ApiProperty({ ...count, description: 'Of these pulls, those already queued by another request.' })
  joined: number;
  @ApiProperty({ ...count, description: 'Pulls left to another open recovery; not counted here.' }) shared: number;
  @ApiProperty(count) pending: number;
  @ApiProperty(count) running: number;
  @ApiProperty(count) done: number;
  @ApiProperty({ ...count, description: 'Pulls that failed permanently; see /sync/tasks?status=failed.' })
  failed: number;
  @ApiProperty({ ...count, description: 'Pages read, one call each.' }) calls: number;
  @ApiProperty({ minimum: 0, maximum: 1, description: 'Share of pulls that are done or failed.' }) share_done: number;
  @ApiProperty(timeOrNull) estimated_end: string | null;
  @ApiProperty(time) created_at: string;
  @ApiProperty(timeOrNull) planned_at: string | null;
  @ApiProperty(timeOrNull) finished_at: string | null;
}

export function toForecastDto({ scope, estimate }: EstimatedRecovery): RecoveryForecastDto {
  const { window, resources, affected } = scope;
  return {
    window: { from: toIso(window.start), to: toIso(window.end) },
    resources: [...resources],
    accounts: affected.accounts,
    sources: affected.sources,
    pulls: estimate.pulls,
    estimated_calls: estimate.calls,
    estimated_seconds: estimate.seconds,
  };
}

export function toRecoveryDto({ row, totals }: ShownRecovery, now: number): RecoveryDto {
  const { pending, running, done, failed, pages, share, estimatedEnd } = progressOf(row, totals, now);
  return {
    recovery_id: row.id,
    state: row.state,
    window: { from: toIso(row.window_start), to: toIso(row.window_end) },
    resources: row.resources.split(','),
    accounts: row.accounts_total,
    accounts_planned: row.accounts_planned,
    planned: row.pulls_planned,
    joined: row.pulls_joined,
    shared: row.pulls_shared,
    pending,
    running,
    done,
    failed,
    calls: pages,
    share_done: share,
    estimated_end: isoOrNull(estimatedEnd),
    created_at: toIso(row.created_at),
    planned_at: isoOrNull(row.planned_at),
    finished_at: isoOrNull(row.finished_at),
  };
}
