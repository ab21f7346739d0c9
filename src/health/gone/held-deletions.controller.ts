import { applyDecorators, Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { Actor, type Actor as Operator } from '../../http/auth/caller.js';
import { ApiPage, ApiProblem, Columns } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { DecisionRequest, HeldDeletionDto, HoldListQuery, HoldPath, toHeldDeletionDto } from './held-deletions.dto.js';
import { HeldDeletions } from './held-deletions.service.js';

/** A route that decides about held deletions. */
const Decision = (path: string, summary: string): MethodDecorator =>
  applyDecorators(
    Post(`:id/${path}`),
    HttpCode(200),
    Role('operator'),
    ApiOperation({ summary }),
    ApiOkResponse({ type: HeldDeletionDto }),
    ApiProblem('invalid_request', 'not_found', 'conflict'),
  );

@ApiTags('sync')
@ForOperators()
@Controller('admin/v1/deletions')
export class HeldDeletionsController {
  constructor(private readonly deletions: HeldDeletions) {}

  @Get()
  @Role('viewer')
  @RouteIs({ fromReplica: true })
  @ApiOperation({
    summary: 'Held deletions, newest first',
    description:
      'So many records of a source were missing from complete pulls that an operator must decide whether they are gone.',
  })
  @ApiPage(HeldDeletionDto)
  @ApiProblem('invalid_request')
  @Columns('id', 'state', 'account_id', 'provider', 'resource', 'missing', 'shown', 'looked_at')
  async listHeldDeletions(@Query() query: HoldListQuery): Promise<Page<HeldDeletionDto>> {
    return mapPage(await this.deletions.list(query), toHeldDeletionDto);
  }

  @Decision('release', 'Release held deletions: the next complete pull without the records hides them')
  async releaseHeldDeletion(
    @Param() { id }: HoldPath,
    @Body() { reason }: DecisionRequest,
    @Actor() actor: Operator,
  ): Promise<HeldDeletionDto> {
    return toHeldDeletionDto(await this.deletions.decide(id, 'released', { by: actor.name, reason }));
  }

  @Decision('reject', 'Reject held deletions: the records stay visible')
  async rejectHeldDeletion(
    @Param() { id }: HoldPath,
    @Body() { reason }: DecisionRequest,
    @Actor() actor: Operator,
  ): Promise<HeldDeletionDto> {
    return toHeldDeletionDto(await this.deletions.decide(id, 'rejected', { by: actor.name, reason }));
  }
}
