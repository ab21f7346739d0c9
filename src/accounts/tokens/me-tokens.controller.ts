import { Body, Controller, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForApp } from '../../http/auth/app-auth.guard.js';
import { OwnAccountId } from '../../http/auth/caller.js';
import { CallerLeft } from '../../http/server/caller-left.js';
import { ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { LinkTokenDto, LinkTokenRequest, SignInTokenDto, SignInTokenRequest } from './tokens.dto.js';
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
@ApiProblem('upstream_invalid_request', ...upstreamFailures)
@Controller('v1/me')
export class MeTokensController {
  constructor(private readonly tokens: TokensService) {}

  @Post('sign-in-token')
  @ApiOperation({ summary: 'A token with which the app signs this person in to the mobile SDK' })
  @ApiCreatedResponse({ type: SignInTokenDto })
  @ApiProblem('rate_limited', 'tokens_closed')
  signIn(
    @OwnAccountId() accountId: string,
    @Body() request: SignInTokenRequest,
    @CallerLeft() left: AbortSignal,
  ): Promise<SignInTokenDto> {
    return this.tokens.signIn(accountId, request.installation_id ?? null, left);
  }

  @Post('link-token')
  @ApiOperation({ summary: 'A token with which the app lets this person connect a source' })
  @ApiCreatedResponse({ type: LinkTokenDto })
  @ApiProblem('rate_limited', 'tokens_closed')
  link(
    @OwnAccountId() accountId: string,
    @Body() request: LinkTokenRequest,
    @CallerLeft() left: AbortSignal,
  ): Promise<LinkTokenDto> {
    return this.tokens.link(accountId, request, left);
  }
}
