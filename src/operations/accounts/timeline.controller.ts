import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { AccountPath } from '../../http/server/account-path.js';
import { ApiPage, ApiProblem, Columns } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { TimelineEntryDto, TimelineListQuery, toTimelineEntryDto } from './timeline.dto.js';
import { TimelineService } from './timeline.service.js';

@ApiTags('accounts')
@ForOperators()
@Controller('admin/v1/accounts/:account_id/timeline')
export class TimelineController {
  constructor(private readonly timeline: TimelineService) {}

  @Get()
  @Role('viewer')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'Timeline of an account, newest first' })
  @ApiPage(TimelineEntryDto)
  @ApiProblem('invalid_request', 'not_found')
  @Columns('at', 'kind', 'title', 'ref')
  async listTimeline(
    @Param() { account_id }: AccountPath,
    @Query() query: TimelineListQuery,
  ): Promise<Page<TimelineEntryDto>> {
    return mapPage(await this.timeline.list(account_id, query), toTimelineEntryDto);
  }
}
