import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { Actor, type Actor as Operator } from '../../http/auth/caller.js';
import { ApiPage, ApiProblem } from '../../http/server/openapi.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { DecisionRequest, HeldDeletionDto, HoldListQuery, HoldPath, toHeldDeletionDto } from './held-deletions.dto.js';
import { HeldDeletions } from './held-deletions.service.js';

@ApiTags('sync')
@ForOperators()
@Controller('admin/v1/deletions')
export class HeldDeletionsController {
  constructor(private readonly holds: HeldDeletions) {}

  @Get()
  @Role('viewer')
  @ApiOperation({
    summary:
      'Records that complete pulls no longer showed, too many at once to be hidden without a decision; newest first',
  })
  @ApiPage(HeldDeletionDto)
  @ApiProblem('invalid_request')
  async list(@Query() query: HoldListQuery): Promise<Page<HeldDeletionDto>> {
    return mapPage(await this.holds.list(query), toHeldDeletionDto);
  }

  @Post(':id/release')
  @HttpCode(200)
  @Role('operator')
  @ApiOperation({ summary: 'Let the records follow upstream: the next complete pull that misses them hides them' })
  @ApiParam({ name: 'id', type: 'integer' })
  @ApiOkResponse({ type: HeldDeletionDto })
  @ApiProblem('invalid_request', 'not_found', 'conflict')
  async release(
    @Param() { id }: HoldPath,
    @Body() { reason }: DecisionRequest,
    @Actor() actor: Operator,
  ): Promise<HeldDeletionDto> {
    return toHeldDeletionDto(await this.holds.decide(id, 'released', { by: actor.name, reason }));
  }

  @Post(':id/reject')
  @HttpCode(200)
  @Role('operator')
  @ApiOperation({ summary: 'Let the records stay until upstream shows them again' })
  @ApiParam({ name: 'id', type: 'integer' })
  @ApiOkResponse({ type: HeldDeletionDto })
  @ApiProblem('invalid_request', 'not_found', 'conflict')
  async reject(
    @Param() { id }: HoldPath,
    @Body() { reason }: DecisionRequest,
    @Actor() actor: Operator,
  ): Promise<HeldDeletionDto> {
    return toHeldDeletionDto(await this.holds.decide(id, 'rejected', { by: actor.name, reason }));
  }
}
