import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ApiPage, ApiProblem } from '../../http/server/openapi.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { LinkAttemptDto, LinkAttemptListQuery, toLinkAttemptDto } from './link-attempts.dto.js';
import { LinkAttempts } from './link-attempts.service.js';

@ApiTags('accounts')
@ForOperators()
@Controller('admin/v1/link-attempts')
export class LinkAttemptsController {
  constructor(private readonly attempts: LinkAttempts) {}

  @Get()
  @Role('viewer')
  @ApiOperation({ summary: 'Linking attempts and how they ended, newest first' })
  @ApiPage(LinkAttemptDto)
  @ApiProblem('invalid_request')
  async list(@Query() { account_id: externalId, ...query }: LinkAttemptListQuery): Promise<Page<LinkAttemptDto>> {
    return mapPage(await this.attempts.list({ ...query, externalId }), toLinkAttemptDto);
  }
}
