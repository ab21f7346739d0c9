import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { AccountPath } from '../../http/server/account-path.js';
import { ApiPage, ApiProblem } from '../../http/server/openapi.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { kindsOf, TimelineEntryDto, TimelineListQuery, toTimelineEntryDto } from './timeline.dto.js';
import { TimelineService } from './timeline.service.js';

@ApiTags('accounts')
@ForOperators()
@Controller('admin/v1/accounts/:account_id/timeline')
export class TimelineController {
  constructor(private readonly timeline: TimelineService) {}

  @Get()
  @Role('viewer')
  @ApiOperation({ summary: 'Everything that happened to an account, newest first' })
  @ApiPage(TimelineEntryDto)
  @ApiProblem('invalid_request', 'not_found')
  async list(
    @Param() { account_id }: AccountPath,
    @Query() { kind, ...range }: TimelineListQuery,
  ): Promise<Page<TimelineEntryDto>> {
    return mapPage(await this.timeline.list(account_id, { ...range, kinds: kindsOf(kind) }), toTimelineEntryDto);
  }
}
