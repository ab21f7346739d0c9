import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ApiPage, ApiProblem, Columns } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import {
  ReplayDto,
  ReplayFilter,
  ReplayForecastDto,
  ReplayPath,
  toReplayDto,
  toReplayForecastDto,
  toReplayRequest,
} from './replays.dto.js';
import { Replays } from './replays.service.js';

@ApiTags('messages')
@ForOperators()
@Controller('admin/v1/messages')
export class ReplaysController {
  constructor(private readonly replays: Replays) {}

  @Post('replay')
  @HttpCode(202)
  @Role('operator')
  @ApiOperation({
    summary: 'Replay many messages, or only count them (`dry_run`)',
    description: 'Returns the running replay if one has the same conditions. Replays run one after another.',
  })
  @ApiAcceptedResponse({ type: ReplayDto })
  @ApiOkResponse({ type: ReplayForecastDto, description: 'With `dry_run`: nothing is stored.' })
  @ApiProblem('invalid_request', 'conflict')
  async replayMessages(
    @Body() filter: ReplayFilter,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReplayDto | ReplayForecastDto> {
    const request = toReplayRequest(filter);
    if (!filter.dry_run) return toReplayDto(await this.replays.start(request));
    reply.status(200);
    return toReplayForecastDto(await this.replays.forecast(request));
  }

  @Get('replays')
  @Role('viewer')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'Replays, newest first' })
  @ApiPage(ReplayDto)
  @ApiProblem('invalid_request')
  @Columns('replay_id', 'state', 'count', 'applied', 'ignored', 'retrying', 'failed', 'left', 'created_at')
  async listMessageReplays(@Query() query: PageQuery): Promise<Page<ReplayDto>> {
    return mapPage(await this.replays.list(query), toReplayDto);
  }

  @Get('replays/:replay_id')
  @Role('viewer')
  @ApiOperation({ summary: 'Get a replay with its state and counts' })
  @ApiParam({ name: 'replay_id', type: 'integer' })
  @ApiOkResponse({ type: ReplayDto })
  @ApiProblem('invalid_request', 'not_found')
  async getMessageReplay(@Param() { replay_id }: ReplayPath): Promise<ReplayDto> {
    return toReplayDto(await this.replays.get(replay_id));
  }

  @Post('replays/:replay_id/cancel')
  @HttpCode(200)
  @Role('operator')
  @ApiOperation({ summary: 'Cancel a replay; no effect once it has ended' })
  @ApiParam({ name: 'replay_id', type: 'integer' })
  @ApiOkResponse({ type: ReplayDto })
  @ApiProblem('invalid_request', 'not_found')
  async cancelMessageReplay(@Param() { replay_id }: ReplayPath): Promise<ReplayDto> {
    return toReplayDto(await this.replays.cancel(replay_id));
  }
}
