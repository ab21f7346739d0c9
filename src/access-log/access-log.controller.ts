import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../auth/admin-auth.guard.js';
import { ApiPage, ApiProblem } from '../http/openapi.js';
import { mapPage, type Page } from '../platform/paging.js';
import { AccessEntryDto, AccessLogQuery, toAccessEntryDto } from './access-log.dto.js';
import { AccessLog } from './access-log.service.js';

@ApiTags('access-log')
@ForOperators()
@Controller('admin/v1/access-log')
export class AccessLogController {
  constructor(private readonly log: AccessLog) {}

  @Get()
  @Role('operator')
  @ApiOperation({ summary: 'Who did or read what about whom, newest first; reading it is recorded too' })
  @ApiPage(AccessEntryDto)
  @ApiProblem('invalid_request')
  async list(@Query() { account_id, ...query }: AccessLogQuery): Promise<Page<AccessEntryDto>> {
    return mapPage(await this.log.list({ ...query, accountId: account_id }), toAccessEntryDto);
  }
}
