import { ApiProperty, ApiPropertyOptional, IntersectionType, PickType } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean } from 'class-validator';
import { count, OptionalField } from '../../http/server/openapi.js';
import { IsText, rowNumber, ToInt } from '../../http/server/validation.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import { filterNames, MessageListQuery, messageIdPattern } from './messages.dto.js';
import type { MessageFilter } from './messages.repository.js';
import type { ReplayEntity } from './replay.entity.js';
import type { ReplayCount, ReplayRequest } from './replays.service.js';

const replayStates = ['running', 'cancelling', 'done', 'cancelled'] as const;

class ReplayOptions {
  @OptionalField({ type: [String], description: 'Message ids; not together with conditions.' })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(500)
  @IsText(messageIdPattern, '1 to 255 characters without spaces', { each: true })
  message_ids?: string[];

  @OptionalField({ default: false, description: 'Only count the messages.' })
  @IsBoolean()
  dry_run?: boolean;
}

/** At least one condition, or `message_ids`. */
export class ReplayFilter extends IntersectionType(PickType(MessageListQuery, filterNames), ReplayOptions) {}

export class ReplayPath {
  @ToInt(rowNumber)
  replay_id: number;
}

class ReplayCountDto {
  @ApiProperty({ ...count, description: 'Messages to replay.' }) count: number;

  @ApiProperty({
    ...count,
    description:
      'Matching messages that cannot be replayed because their bodies were deleted (MESSAGE_RETENTION_DAYS).',
  })
  without_body: number;
}

export class ReplayForecastDto extends ReplayCountDto {
  @ApiProperty({
    description: 'True if more messages match than the 50,000 that were counted; both numbers are then lower bounds.',
  })
  more: boolean;
}

class ReplayedFilterDto {
  @ApiPropertyOptional({ example: 'dead' }) status?: string;
  @ApiPropertyOptional({ example: 'unknown_user' }) reason?: string;
  @ApiPropertyOptional({ example: 'daily.data.sleep.created' }) event_type?: string;
  @ApiPropertyOptional({ format: 'date-time' }) from?: string;
  @ApiPropertyOptional({ format: 'date-time' }) to?: string;
}

/** The outcomes do not include messages that were erased during the replay. */
export class ReplayDto extends ReplayCountDto {
  @ApiProperty({ type: 'integer', example: 1 }) replay_id: number;
  @ApiProperty({
    enum: replayStates,
    description: 'A cancelled replay still processes the messages that were already queued.',
  })
  state: (typeof replayStates)[number];
  @ApiProperty({ type: ReplayedFilterDto, nullable: true, description: 'Null for a replay by ids.' })
  filter: ReplayedFilterDto | null;
  @ApiProperty({ ...count, description: 'Messages queued so far.' }) replayed: number;
  @ApiProperty({ ...count, description: 'Applied at the first attempt.' }) applied: number;
  @ApiProperty({ ...count, description: 'Ignored because there was nothing to apply.' }) ignored: number;
  @ApiProperty({ ...count, description: 'Failed at the first attempt; retried automatically.' })
  retrying: number;
  @ApiProperty({ ...count, description: 'Failed permanently at the first attempt.' }) failed: number;
  @ApiProperty({ ...count, description: 'Messages of `count` not attempted yet; 0 when done.' }) left: number;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) cancelled_at: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) finished_at: string | null;
}

export function toReplayRequest({ event_type, message_ids, dry_run: _, ...filter }: ReplayFilter): ReplayRequest {
  return { ...filter, eventType: event_type, messageIds: message_ids };
}

export function toReplayForecastDto({
  count,
  withoutBody,
  more,
}: ReplayCount & { readonly more: boolean }): ReplayForecastDto {
  return { count, without_body: withoutBody, more };
}

export function toReplayDto(row: ReplayEntity): ReplayDto {
  const { matched, replayed, applied, ignored, retrying, failed } = row;
  const state = stateOf(row);
  return {
    replay_id: row.id,
    state,
    filter: row.filter === null ? null : toFilterDto(JSON.parse(row.filter) as MessageFilter),
    count: matched,
    without_body: row.without_body,
    ...{ replayed, applied, ignored, retrying, failed },
    left: state === 'done' ? 0 : Math.max(0, matched - applied - ignored - retrying - failed),
    created_at: toIso(row.created_at),
    cancelled_at: isoOrNull(row.cancelled_at),
    finished_at: isoOrNull(row.finished_at),
  };
}

function stateOf({ cancelled_at, finished_at }: ReplayEntity): ReplayDto['state'] {
  if (cancelled_at === null) return finished_at === null ? 'running' : 'done';
  return finished_at === null ? 'cancelling' : 'cancelled';
}

function toFilterDto({ status, reason, eventType, from, to }: MessageFilter): ReplayedFilterDto {
  return {
    ...(status !== undefined && { status }),
    ...(reason !== undefined && { reason }),
    ...(eventType !== undefined && { event_type: eventType }),
    ...(from !== undefined && { from: toIso(from) }),
    ...(to !== undefined && { to: toIso(to) }),
  };
}
