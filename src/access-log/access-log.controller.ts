import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../auth/admin-auth.guard.js';
import { ApiPage, ApiProblem } from '../http/openapi.js';
import { AppError } from '../platform/errors.js';
import { mapPage, type Page } from '../platform/paging.js';
import {
  AccessEntryDto,
  AccessLogQuery,
  toAccessEntryDto,
  toVerificationDto,
  VerificationDto,
  VerificationQuery,
} from './access-log.dto.js';
import { AccessLog } from './access-log.service.js';
import type { Noted } from './chain-check.js';

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

  @Get('verification')
  @Role('operator')
  @ApiOperation({ summary: 'Whether an entry was changed, removed, added or moved since it was recorded' })
  @ApiOkResponse({ type: VerificationDto })
  @ApiProblem('invalid_request')
  async verification(@Query() query: VerificationQuery): Promise<VerificationDto> {
    return toVerificationDto(await this.log.verify(notedOf(query)));
  }
}

function notedOf({ seq, hash }: VerificationQuery): Noted | null {
  if (seq === undefined && hash === undefined) return null;
  if (seq !== undefined && hash !== undefined) return { seq, hash };
  const field = seq === undefined ? 'seq' : 'hash';
  throw new AppError('invalid_request', 'A noted entry has a number and a hash.', {
    fields: [{ field, message: `${field} is needed beside the other` }],
  });
}
