import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../auth/admin-auth.guard.js';
import { ApiProblem } from '../http/openapi.js';
import { AppError } from '../platform/errors.js';
import type { Noted } from './chain-check.js';
import { toVerificationDto, VerificationDto, VerificationQuery, VerificationRequest } from './verification.dto.js';
import { AccessLogVerification } from './verification.service.js';

@ApiTags('access-log')
@ForOperators()
@Controller('admin/v1/access-log/verification')
export class VerificationController {
  constructor(private readonly verification: AccessLogVerification) {}

  @Get()
  @Role('operator')
  @ApiOperation({ summary: 'Whether an entry was changed, removed, added or moved since it was recorded' })
  @ApiOkResponse({ type: VerificationDto })
  @ApiProblem('invalid_request')
  async verify(@Query() query: VerificationQuery): Promise<VerificationDto> {
    return toVerificationDto(await this.verification.verify(notedOf(query)));
  }

  @Post()
  @HttpCode(200)
  @Role('operator')
  @ApiOperation({ summary: 'The same, held against many entries that were noted elsewhere' })
  @ApiOkResponse({ type: VerificationDto })
  @ApiProblem('invalid_request')
  async verifyNoted(@Body() { noted }: VerificationRequest): Promise<VerificationDto> {
    return toVerificationDto(await this.verification.verify(noted));
  }
}

function notedOf({ seq, hash }: VerificationQuery): Noted[] {
  if (seq === undefined && hash === undefined) return [];
  if (seq !== undefined && hash !== undefined) return [{ seq, hash }];
  const field = seq === undefined ? 'seq' : 'hash';
  throw new AppError('invalid_request', 'A noted entry has a number and a hash.', {
    fields: [{ field, message: `${field} is needed beside the other` }],
  });
}
