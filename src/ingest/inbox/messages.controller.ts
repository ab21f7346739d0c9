import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { MayReadValues } from '../../http/auth/caller.js';
import { ApiPage, ApiProblem } from '../../http/server/openapi.js';
import { parseJson } from '../../platform/platform/json-reader.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
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
} from './messages.dto.js';
import { MessagesService } from './messages.service.js';

@ApiTags('messages')
@ForOperators()
@Controller('admin/v1/messages')
export class MessagesController {
  constructor(private readonly messages: MessagesService) {}

  @Get()
  @Role('viewer')
  @ApiOperation({ summary: 'Messages, newest first, without their bodies' })
  @ApiPage(MessageDto)
  @ApiProblem('invalid_request')
  async list(@Query() { event_type, account_id, ...query }: MessageListQuery): Promise<Page<MessageDto>> {
    return mapPage(await this.messages.list({ ...query, eventType: event_type, accountId: account_id }), toMessageDto);
  }

  @Get('groups')
  @Role('viewer')
  @ApiOperation({ summary: 'The newest messages of a filter in groups by event type, state and reason' })
  @ApiOkResponse({ type: MessageGroupsDto })
  @ApiProblem('invalid_request')
  async groups(@Query() { event_type, ...filter }: MessageGroupQuery): Promise<MessageGroupsDto> {
    const groups = await this.messages.groups({ ...filter, eventType: event_type });
    return { data: groups.map(toMessageGroupDto), searched: groups.reduce((sum, { count }) => sum + count, 0) };
  }

  @Get(':message_id')
  @Role('viewer')
  @ApiOperation({ summary: 'One message; its body for the role reader and above' })
  @ApiOkResponse({ type: MessageDetailDto })
  @ApiProblem('invalid_request', 'not_found')
  async get(
    @Param() { message_id }: MessagePath,
    @Query() _query: MessageQuery,
    @MayReadValues('body') showsBody: boolean,
  ): Promise<MessageDetailDto> {
    const message = await this.messages.get(message_id);
    const shown = { ...toMessageDto(message), rejections: await this.messages.rejections(message) };
    return showsBody ? { ...shown, ...shownBody(await this.messages.body(message)) } : shown;
  }

  @Post(':message_id/replay')
  @HttpCode(202)
  @Role('operator')
  @ApiOperation({ summary: 'Process one message again, through the same path as a delivery' })
  @ApiAcceptedResponse({ type: MessageDto })
  @ApiProblem('invalid_request', 'not_found', 'conflict')
  async replay(@Param() { message_id }: MessagePath): Promise<MessageDto> {
    return toMessageDto(await this.messages.replay(message_id));
  }
}

function shownBody(bytes: Buffer | null): Pick<MessageDetailDto, 'body' | 'body_base64'> {
  const body = bytes === null ? undefined : parseJson(bytes);
  if (bytes === null || body !== undefined) return { body: body ?? null, body_base64: null };
  return { body: null, body_base64: bytes.toString('base64') };
}
