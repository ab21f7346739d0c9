import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ForApp } from '../../http/auth/app-auth.guard.js';
import { OwnAccountId } from '../../http/auth/caller.js';
import { ApiPage, ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { ensureProblems } from '../accounts/accounts.service.js';
import { LinkAttemptDto, LinkAttemptListQuery, LinkOutcomeReport, toLinkAttemptDto } from './link-attempts.dto.js';
import { LinkAttempts } from './link-attempts.service.js';

@ApiTags('me')
@ForApp()
@Controller('v1/me')
export class MeLinkOutcomesController {
  constructor(private readonly attempts: LinkAttempts) {}

  @Post('link-outcomes')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Report the outcome of a link attempt; a success requests a connection poll and a backfill',
  })
  @ApiAcceptedResponse({ description: 'Recorded.' })
  @ApiProblem('invalid_request', ...ensureProblems, 'not_found', 'upstream_invalid_request', ...upstreamFailures)
  reportLinkOutcome(@OwnAccountId() accountId: string, @Body() report: LinkOutcomeReport): Promise<void> {
    return this.attempts.report(accountId, report);
  }
}

@ApiTags('accounts')
@ForOperators()
@Controller('admin/v1/link-attempts')
export class LinkAttemptsController {
  constructor(private readonly attempts: LinkAttempts) {}

  @Get()
  @Role('viewer')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'Link attempts with their outcome, newest first' })
  @ApiPage(LinkAttemptDto)
  @ApiProblem('invalid_request')
  async listLinkAttempts(
    @Query() { account_id: externalId, ...query }: LinkAttemptListQuery,
  ): Promise<Page<LinkAttemptDto>> {
    return mapPage(await this.attempts.list({ ...query, externalId }), toLinkAttemptDto);
  }
}
