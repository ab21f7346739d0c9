import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ApiPage, ApiProblem, Columns } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { Clock } from '../../platform/platform/clock.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import {
  RecoveryDto,
  RecoveryForecastDto,
  RecoveryPath,
  RecoveryRequest,
  toForecastDto,
  toRecoveryDto,
} from './recoveries.dto.js';
import { Recoveries } from './recoveries.service.js';

@ApiTags('sync')
@ForOperators()
@Controller('admin/v1/sync')
export class RecoveriesController {
  constructor(
    private readonly recoveries: Recoveries,
    private readonly clock: Clock,
  ) {}

  @Post('recover')
  @HttpCode(202)
  @Role('operator')
  @ApiOperation({
    summary: 'Pull all accounts over the window of an outage, or estimate the cost (`dry_run`)',
    description: 'Returns the open recovery if an identical one exists. Its pulls run at the lowest priority.',
  })
  @ApiAcceptedResponse({ type: RecoveryDto })
  @ApiOkResponse({ type: RecoveryForecastDto, description: 'With `dry_run`: nothing is stored.' })
  @ApiProblem('invalid_request', 'conflict')
  async startRecovery(
    @Body() { dry_run = false, ...options }: RecoveryRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RecoveryDto | RecoveryForecastDto> {
    if (!dry_run) return toRecoveryDto(await this.recoveries.start(options), this.clock.now());
    reply.status(200);
    return toForecastDto(await this.recoveries.estimate(options));
  }

  @Get('recoveries')
  @Role('viewer')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'Recoveries, newest first' })
  @ApiPage(RecoveryDto)
  @ApiProblem('invalid_request')
  @Columns('recovery_id', 'state', 'window.from', 'window.to', 'planned', 'done', 'failed', 'calls', 'created_at')
  async listRecoveries(@Query() query: PageQuery): Promise<Page<RecoveryDto>> {
    return mapPage(await this.recoveries.list(query), (shown) => toRecoveryDto(shown, this.clock.now()));
  }

  @Get('recoveries/:recovery_id')
  @Role('viewer')
  @ApiOperation({ summary: 'Get a recovery with its progress' })
  @ApiParam({ name: 'recovery_id', type: 'integer' })
  @ApiOkResponse({ type: RecoveryDto })
  @ApiProblem('invalid_request', 'not_found')
  async getRecovery(@Param() { recovery_id }: RecoveryPath): Promise<RecoveryDto> {
    return toRecoveryDto(await this.recoveries.get(recovery_id), this.clock.now());
  }
}
