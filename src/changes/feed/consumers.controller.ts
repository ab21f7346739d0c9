import { Body, Controller, Delete, Get, HttpCode, Param, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { Actor } from '../../http/auth/caller.js';
import { ApiProblem } from '../../http/server/openapi.js';
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
  constructor(private readonly consumers: Consumers) {}

  @Put('v1/consumers/:name/position')
  @HttpCode(204)
  @Role('operator', 'feed')
  @ApiOperation({
    summary: 'Report up to where a named consumer has processed the changes',
    description:
      'Shown to operators as its lag, with an alarm if it falls behind. It does not keep changes longer. A key may not ' +
      'move the position that a key with more kinds, or with values, reports: 403.',
  })
  @ApiNoContentResponse()
  @ApiProblem('invalid_request', 'conflict', 'cursor_expired', 'feed_restarted', 'cursor_ahead')
  async report(
    @Param() { name }: ConsumerPath,
    @Body() { cursor }: ConsumerPositionRequest,
    @Actor() actor: Actor,
  ): Promise<void> {
    await this.consumers.report(name, cursor, actor);
  }

  @Get('admin/v1/consumers')
  @Role('viewer')
  @ApiOperation({ summary: 'Consumers of the change feed and their lag, by name' })
  @ApiOkResponse({ type: ConsumersDto })
  async list(): Promise<ConsumersDto> {
    return { data: await this.consumers.list() };
  }

  @Delete('admin/v1/consumers/:name')
  @HttpCode(204)
  @Role('operator')
  @ApiOperation({ summary: 'Forget a consumer that is no longer used' })
  @ApiNoContentResponse()
  @ApiProblem('invalid_request', 'not_found')
  async forget(@Param() { name }: ConsumerPath): Promise<void> {
    await this.consumers.forget(name);
  }
}
