import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { RejectionDto } from '../../health/records/rejection.dto.js';
import { AccountFilter } from '../../http/server/account-path.js';
import { OptionalField, textOrNull, time } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { IsText } from '../../http/server/validation.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import { eventTypePattern } from '../events/event.js';
import { outcomesIn } from './earlier-outcomes.js';
import { type MessageStatus, messageStatuses } from './message.entity.js';
import type { FilterGroup, MessageRow } from './messages.repository.js';

export const messageIdPattern = /^[\x21-\x7e]{1,255}$/;

export class MessagePath {
  @ApiProperty({ minLength: 1, maxLength: 255, description: 'Message id from upstream.' })
  @IsText(messageIdPattern, '1 to 255 characters without spaces')
  message_id: string;
}

export class MessageListQuery extends PageQuery {
  @OptionalField({ enum: messageStatuses })
  status?: MessageStatus;

  @OptionalField({ example: 'daily.data.sleep.created' })
  @IsText(eventTypePattern, 'an event type, e.g. daily.data.sleep.created')
  event_type?: string;

  @OptionalField({
    example: 'unknown_user',
    description:
      'Why it is ignored, dead or waiting, e.g. unknown_user, waiting_for_user, user_mismatch, nested_too_deep, ' +
      'unreadable_data, unknown_event.',
  })
  @IsText(/^[a-z0-9_]{1,64}$/, 'a reason, e.g. unknown_user')
  reason?: string;

  @AccountFilter() account_id?: string;

  @OptionalField({ ...time, description: 'Received at or after this time.' })
  from?: number;

  @OptionalField({ ...time, description: 'Received before this time.' })
  to?: number;
}

export const filterNames = ['status', 'reason', 'event_type', 'from', 'to'] as const;

export class MessageQuery {
  @OptionalField({
    type: Boolean,
    default: true,
    description: 'false omits the body, so that the access log records no read.',
  })
  @IsIn(['true', 'false'])
  body?: string;
}

export class MessageGroupQuery extends PickType(MessageListQuery, filterNames) {}

export class MessageGroupDto {
  @ApiProperty({ type: String, nullable: true, example: 'daily.data.sleep.created' }) event_type: string | null;
  @ApiProperty({ enum: messageStatuses }) status: MessageStatus;
  @ApiProperty({ type: String, nullable: true, example: 'unknown_user' }) reason: string | null;
  @ApiProperty({ type: 'integer', minimum: 1 }) count: number;
  @ApiProperty({ format: 'date-time' }) first_received_at: string;
  @ApiProperty({ format: 'date-time' }) last_received_at: string;
}

export class MessageGroupsDto {
  @ApiProperty({ type: [MessageGroupDto], description: 'At most 100 groups, largest first.' }) data: MessageGroupDto[];
  @ApiProperty({ type: 'integer', description: 'Messages that were grouped: the newest matches, at most 10,000.' })
  searched: number;
}

export class MessageDto {
  @ApiProperty() message_id: string;
  @ApiProperty({ enum: messageStatuses }) status: MessageStatus;
  @ApiProperty({ ...textOrNull, description: 'Why it is ignored, dead, retried or partly stored; else null.' })
  reason: string | null;
  @ApiProperty({ type: String, nullable: true }) event_type: string | null;
  @ApiProperty({ type: String, nullable: true }) account_id: string | null;
  @ApiProperty({ format: 'date-time', description: 'Time of the first delivery.' }) received_at: string;
  @ApiProperty({ format: 'date-time', description: "Upstream's timestamp of that delivery." }) sent_at: string;
  @ApiProperty({ type: 'integer' }) attempts: number;
  @ApiProperty({ type: String, nullable: true, format: 'date-time' }) next_attempt_at: string | null;
  @ApiProperty({ type: String, nullable: true, format: 'date-time' }) finished_at: string | null;
  @ApiProperty({ type: 'integer', description: 'Size of the body in bytes, as received.' }) size: number;
  @ApiProperty({ description: 'True while the body is stored.' }) has_body: boolean;
}

export class MessageOutcomeDto {
  @ApiProperty(time) at: string;
  @ApiProperty({ enum: messageStatuses }) status: MessageStatus;
  @ApiProperty({ ...textOrNull, example: 'unknown_user' }) reason: string | null;
}

/** Roles below reader do not get the body. One of the two body fields is null; both are once the body was deleted. */
export class MessageDetailDto extends MessageDto {
  @ApiProperty({ type: [RejectionDto], description: 'Records of the message that could not be stored.' })
  rejections: RejectionDto[];
  @ApiProperty({
    type: [MessageOutcomeDto],
    description:
      'How attempts ended, oldest first: at most the last 20; of attempts in a row that failed for the same reason, ' +
      'the last one.',
  })
  outcomes: MessageOutcomeDto[];
  @ApiProperty({
    ...textOrNull,
    description: 'Sentence on whether a replay can help; null if nothing speaks against it.',
    example: 'A replay cannot help: the body is not JSON.',
  })
  replay_advice: string | null;
  @ApiPropertyOptional({
    anyOf: [
      { type: 'object', additionalProperties: true },
      { type: 'array', items: {} },
      ...(['string', 'number', 'boolean', 'null'] as const).map((type) => ({ type })),
    ],
    description: 'Body, if it is JSON; else null.',
    example: { event_type: 'provider.connection.created' },
  })
  body?: unknown;
  @ApiPropertyOptional({ ...textOrNull, format: 'byte', description: 'Body in base64, if it is not JSON; else null.' })
  body_base64?: string | null;
}

export function toMessageGroupDto({ first_at, last_at, status, ...group }: FilterGroup): MessageGroupDto {
  return {
    ...group,
    status: status as MessageStatus,
    first_received_at: toIso(first_at),
    last_received_at: toIso(last_at),
  };
}

/** All outcomes, with the last one, which the row itself has. */
export function toOutcomeDtos({ outcomes, finished_at: at, status, reason }: MessageRow): MessageOutcomeDto[] {
  const all = [...outcomesIn(outcomes), ...(at === null ? [] : [{ at, status, reason }])];
  return all.map((outcome) => ({ ...outcome, at: toIso(outcome.at) }));
}

export function toMessageDto(row: MessageRow): MessageDto {
  return {
    message_id: row.message_id,
    status: row.status,
    reason: row.reason,
    event_type: row.event_type,
    account_id: row.account_id,
    received_at: toIso(row.received_at),
    sent_at: toIso(row.sent_at),
    attempts: row.attempts,
    next_attempt_at: isoOrNull(row.due_at),
    finished_at: isoOrNull(row.finished_at),
    size: row.size,
    has_body: row.has_body === 1,
  };
}
