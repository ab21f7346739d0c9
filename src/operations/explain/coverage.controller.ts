import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { AccountPath } from '../../http/server/account-path.js';
import { ApiPage, ApiProblem, Columns } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import type { Page } from '../../platform/platform/paging.js';
import { CoverageQuery, CoverageStreamDto } from './coverage.dto.js';
import { DailyCoverage } from './daily-coverage.service.js';

@ApiTags('inspection')
@ForOperators()
@Controller('admin/v1/accounts/:account_id/coverage')
export class CoverageController {
  constructor(private readonly coverage: DailyCoverage) {}

  @Get()
  @Role('viewer', 'backend')
  @RouteIs({ fromReplica: true })
  @ApiOperation({
    summary: 'State of each source, resource and day: received, empty, pending, failed or unknown',
    description:
      'Days are local days of the person, or calendar dates for summaries that have one. Sorted by source and ' +
      'resource.',
  })
  @ApiPage(CoverageStreamDto)
  @ApiProblem('invalid_request', 'not_found')
  @Columns(
    'provider',
    'resource',
    'runs.first_day',
    'runs.last_day',
    'runs.days',
    'runs.state',
    'runs.whole',
    'runs.reason',
    'runs.records',
  )
  getCoverage(@Param() { account_id }: AccountPath, @Query() query: CoverageQuery): Promise<Page<CoverageStreamDto>> {
    return this.coverage.list(account_id, query);
  }
}
