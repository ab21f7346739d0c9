import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForApp } from '../../http/auth/app-auth.guard.js';
import { OwnAccountId } from '../../http/auth/caller.js';
import { ApiPage, ApiProblem } from '../../http/server/openapi.js';
import type { Page } from '../../platform/platform/paging.js';
import { MeDto } from './me.dto.js';
import { MeService } from './me.service.js';
import { RecordsListQuery, ResourcePath, SampleRecordDto, SummaryRecordDto } from './records.dto.js';

@ApiTags('me')
@ForApp()
@ApiProblem('account_id_not_allowed', 'account_blocked', 'account_erased', 'conflict', 'upstream_user_limit')
@ApiProblem(
  'upstream_invalid_request',
  'upstream_rejected',
  'upstream_throttled',
  'upstream_unavailable',
  'upstream_contract',
)
@Controller('v1/me')
export class MeController {
  constructor(private readonly service: MeService) {}

  @Get()
  @ApiOperation({ summary: 'Own account, connected sources and stored resources' })
  @ApiOkResponse({ type: MeDto })
  me(@OwnAccountId() accountId: string): Promise<MeDto> {
    return this.service.me(accountId);
  }

  @Get('records/:resource')
  @ApiOperation({ summary: 'Own records of one resource, oldest first' })
  @ApiPage(SampleRecordDto, SummaryRecordDto)
  @ApiProblem('invalid_request', 'not_found', 'not_synced')
  records(
    @OwnAccountId() accountId: string,
    @Param() { resource }: ResourcePath,
    @Query() query: RecordsListQuery,
  ): Promise<Page<SampleRecordDto | SummaryRecordDto>> {
    return this.service.records(accountId, resource, query);
  }
}
