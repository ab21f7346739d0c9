import { Body, Controller, Delete, Get, HttpCode, Param, Put, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { Actor } from '../../http/auth/caller.js';
import { ReadTurns } from '../../http/auth/read-turns.service.js';
import { ApiProblem } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { Consumers } from './consumers.service.js';
import { ConsumerDto } from './feed.dto.js';
import { ConsumerPath, ConsumerPositionRequest } from './feed.query.js';

class ConsumersDto {
  @ApiProperty({ type: [ConsumerDto] }) data: ConsumerDto[];
}

@ApiTags('changes')
@ForOperators()
@Controller()
export class ConsumersController {
  constructor(
    private readonly consumers: Consumers,
    private readonly turns: ReadTurns,
  ) {}

  @Put('v1/consumers/:name/position')
  @HttpCode(204)
  @Role('operator', 'feed')
  @RouteIs({ limit: 'feed', recorded: false })
  @ApiOperation({
    summary: 'Report the position of a consumer',
    description:
      'Operators see the lag, and an alarm if the consumer falls behind. Reporting does not extend how long ' +
      'changes are kept. 403 if a key that may read more kinds, or values, reports the position of this consumer.',
  })
  @ApiNoContentResponse()
  @ApiProblem('invalid_request', 'conflict', 'cursor_expired', 'feed_restarted', 'cursor_ahead')
  async reportConsumerPosition(
    @Param() { name }: ConsumerPath,
    @Body() { cursor }: ConsumerPositionRequest,
    @Actor() actor: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.turns.run(reply, () => this.consumers.report(name, cursor, actor));
  }

  @Get('admin/v1/consumers')
  @Role('viewer')
  @ApiOperation({ summary: 'Consumers of the change feed with their lag, by name' })
  @ApiOkResponse({ type: ConsumersDto })
  async listConsumers(): Promise<ConsumersDto> {
    return { data: await this.consumers.list() };
  }

  @Delete('admin/v1/consumers/:name')
  @HttpCode(204)
  @Role('operator')
  @ApiOperation({ summary: 'Remove a consumer that is no longer used' })
  @ApiNoContentResponse()
  @ApiProblem('invalid_request', 'not_found')
  async forgetConsumer(@Param() { name }: ConsumerPath): Promise<void> {
    await this.consumers.forget(name);
  }
}
