import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ApiProblem, Columns } from '../../http/server/openapi.js';
import { CheckpointDto, toVerificationDto, VerificationDto, VerificationRequest } from './verification.dto.js';
import { AccessLogVerification } from './verification.service.js';

@ApiTags('access-log')
@ForOperators()
@Controller('admin/v1/access-log')
export class VerificationController {
  constructor(private readonly verification: AccessLogVerification) {}

  @Get('verification')
  @Role('operator')
  @ApiOperation({ summary: 'Verify that no entry was changed, removed, added or moved' })
  @ApiOkResponse({ type: VerificationDto })
  async verifyAccessLog(): Promise<VerificationDto> {
    return toVerificationDto(await this.verification.verify());
  }

  @Post('verification')
  @HttpCode(200)
  @Role('operator')
  @ApiOperation({ summary: 'Verify the log, also against checkpoints kept outside the database' })
  @ApiOkResponse({ type: VerificationDto })
  @ApiProblem('invalid_request')
  async verifyAccessLogAgainstNoted(@Body() { noted }: VerificationRequest): Promise<VerificationDto> {
    return toVerificationDto(await this.verification.verify(noted));
  }

  /** Open to monitors, so that a scheduled job needs no key that reads values. */
  @Get('checkpoint')
  @Role('monitor')
  @ApiOperation({
    summary: 'Get a signed checkpoint of the end of the access log',
    description:
      'Keep checkpoints where the owner of the database cannot change them. Save `public_key` once, when you set ' +
      'this up: a key fetched together with the checkpoint proves nothing about the service itself.',
  })
  @ApiOkResponse({ type: CheckpointDto })
  @ApiProblem('conflict')
  @Columns('checkpoint')
  signAccessLogCheckpoint(): Promise<CheckpointDto> {
    return this.verification.checkpoint();
  }
}
