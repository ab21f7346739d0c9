import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForApp } from '../../http/auth/app-auth.guard.js';
import { OwnAccountId } from '../../http/auth/caller.js';
import { ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { LinkOutcomeReport } from './link-attempts.dto.js';
import { LinkAttempts } from './link-attempts.service.js';

@ApiTags('me')
@ForApp()
@Controller('v1/me')
export class MeLinkOutcomesController {
  constructor(private readonly attempts: LinkAttempts) {}

  @Post('link-outcomes')
  @HttpCode(202)
  @ApiOperation({ summary: 'Report how linking ended; a success asks for a poll of the connections and a backfill' })
  @ApiAcceptedResponse({ description: 'Noted.' })
  @ApiProblem('invalid_request', 'account_id_not_allowed', 'account_blocked', 'account_erased', 'conflict')
  @ApiProblem('upstream_user_limit', 'not_found', 'upstream_invalid_request', ...upstreamFailures)
  outcome(@OwnAccountId() accountId: string, @Body() report: LinkOutcomeReport): Promise<void> {
    return this.attempts.report(accountId, report);
  }
}
