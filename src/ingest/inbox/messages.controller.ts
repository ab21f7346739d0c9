import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RejectedRecords } from '../../health/records/rejected-records.service.js';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { MayReadValues } from '../../http/auth/caller.js';
import { ApiPage, ApiProblem, Columns } from '../../http/server/openapi.js';
import { everyResource, RouteIs } from '../../http/server/route-facts.js';
import { parseJson } from '../../platform/platform/json-reader.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { replayAdvice } from './earlier-outcomes.js';
import {
  MessageDetailDto,
  MessageDto,
  MessageGroupQuery,
  MessageGroupsDto,
  MessageListQuery,
  MessagePath,
  MessageQuery,
  toMessageDto,
  toMessageGroupDto,
  toOutcomeDtos,
} from './messages.dto.js';
import { MessagesService } from './messages.service.js';

@ApiTags('messages')
@ForOperators()
@Controller('admin/v1/messages')
export class MessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly rejected: RejectedRecords,
  ) {}

  @Get()
  @Role('viewer')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'Messages without their bodies, newest first' })
  @ApiPage(MessageDto)
  @ApiProblem('invalid_request')
  @Columns('received_at', 'message_id', 'status', 'reason', 'event_type', 'account_id', 'attempts')
  async listMessages(@Query() { event_type, account_id, ...query }: MessageListQuery): Promise<Page<MessageDto>> {
    return mapPage(await this.messages.list({ ...query, eventType: event_type, accountId: account_id }), toMessageDto);
  }

  @Get('groups')
  @Role('viewer')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'Newest matching messages, grouped by event type, status and reason' })
  @ApiOkResponse({ type: MessageGroupsDto })
  @ApiProblem('invalid_request')
  async listMessageGroups(@Query() { event_type, ...filter }: MessageGroupQuery): Promise<MessageGroupsDto> {
    const groups = await this.messages.groups({ ...filter, eventType: event_type });
    return { data: groups.map(toMessageGroupDto), searched: groups.reduce((sum, { count }) => sum + count, 0) };
  }

  // The body of a message may contain values of any resource.
  @Get(':message_id')
  @RouteIs({ shows: everyResource })
  @Role('viewer')
  @ApiOperation({ summary: 'Get a message; its body requires the role reader' })
  @ApiOkResponse({ type: MessageDetailDto })
  @ApiProblem('invalid_request', 'not_found')
  async getMessage(
    @Param() { message_id }: MessagePath,
    @Query() _query: MessageQuery,
    @MayReadValues('body') showsBody: boolean,
  ): Promise<MessageDetailDto> {
    const message = await this.messages.get(message_id);
    const shown = {
      ...toMessageDto(message),
      rejections: await this.rejected.reasonsOf('message', message.seq),
      outcomes: toOutcomeDtos(message),
      replay_advice: replayAdvice(message.status, message.reason),
    };
    return showsBody ? { ...shown, ...shownBody(await this.messages.body(message)) } : shown;
  }

  @Post(':message_id/replay')
  @HttpCode(202)
  @Role('operator')
  @ApiOperation({ summary: 'Replay a message; it is processed like a new delivery' })
  @ApiAcceptedResponse({ type: MessageDto })
  @ApiProblem('invalid_request', 'not_found', 'conflict')
  async replayMessage(@Param() { message_id }: MessagePath): Promise<MessageDto> {
    return toMessageDto(await this.messages.replay(message_id));
  }
}

function shownBody(bytes: Buffer | null): Pick<MessageDetailDto, 'body' | 'body_base64'> {
  const body = bytes === null ? undefined : parseJson(bytes);
  if (bytes === null || body !== undefined) return { body: body ?? null, body_base64: null };
  return { body: null, body_base64: bytes.toString('base64') };
}
