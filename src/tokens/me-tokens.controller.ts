import { Body, Controller, Header, HttpCode, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForApp } from '../auth/app-auth.guard.js';
import { AccountId } from '../auth/caller.js';
import { ApiProblem } from '../http/openapi.js';
import { LinkOutcomesService } from '../link-attempts/link-outcomes.service.js';
import { LinkOutcomeReport, LinkTokenDto, LinkTokenRequest, SignInTokenDto, SignInTokenRequest } from './tokens.dto.js';
import { TokensService } from './tokens.service.js';

@ApiTags('me')
@ForApp()
@ApiProblem(
  'invalid_request',
  'account_id_not_allowed',
  'account_blocked',
  'account_erased',
  'conflict',
  'upstream_user_limit',
)
@ApiProblem('upstream_rejected', 'upstream_throttled', 'upstream_unavailable', 'upstream_contract')
@Controller('v1/me')
export class MeTokensController {
  constructor(
    private readonly tokens: TokensService,
    private readonly linkOutcomes: LinkOutcomesService,
  ) {}

  @Post('sign-in-token')
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'A token with which the app signs this person in to the mobile SDK' })
  @ApiCreatedResponse({ type: SignInTokenDto })
  @ApiProblem('rate_limited', 'tokens_closed')
  signIn(@AccountId() accountId: string, @Body() request: SignInTokenRequest): Promise<SignInTokenDto> {
    return this.tokens.signIn(accountId, request.installation_id ?? null);
  }

  @Post('link-token')
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'A token with which the app lets this person connect a source' })
  @ApiCreatedResponse({ type: LinkTokenDto })
  @ApiProblem('rate_limited', 'tokens_closed')
  link(@AccountId() accountId: string, @Body() request: LinkTokenRequest): Promise<LinkTokenDto> {
    return this.tokens.link(accountId, request);
  }

  @Post('link-outcomes')
  @HttpCode(202)
  @ApiOperation({ summary: 'Tell how linking ended; a success asks for a look at the connections and a backfill' })
  @ApiAcceptedResponse({ description: 'Noted.' })
  @ApiProblem('not_found')
  outcome(@AccountId() accountId: string, @Body() report: LinkOutcomeReport): Promise<void> {
    return this.linkOutcomes.report(accountId, report);
  }
}
