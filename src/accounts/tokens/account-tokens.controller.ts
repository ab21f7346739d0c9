import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { AccountPath } from '../../http/server/account-path.js';
import { CallerLeft } from '../../http/server/caller-left.js';
import { ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { LinkTokenDto, LinkTokenRequest, SignInTokenDto, SignInTokenRequest } from './tokens.dto.js';
import { TokensService } from './tokens.service.js';

/** The same tokens for customers that request them in their own backend. */
@ApiTags('accounts')
@ForOperators()
@ApiProblem(
  'invalid_request',
  'account_id_not_allowed',
  'account_blocked',
  'account_erased',
  'conflict',
  'upstream_user_limit',
)
@ApiProblem('tokens_closed', 'rate_limited', 'upstream_invalid_request', ...upstreamFailures)
@Controller('admin/v1/accounts/:account_id')
export class AccountTokensController {
  constructor(private readonly tokens: TokensService) {}

  @Post('sign-in-token')
  @Role('operator', 'backend')
  @ApiOperation({ summary: 'A sign-in token for an account, which is made on first use' })
  @ApiCreatedResponse({ type: SignInTokenDto })
  signIn(
    @Param() { account_id }: AccountPath,
    @Body() request: SignInTokenRequest,
    @CallerLeft() left: AbortSignal,
  ): Promise<SignInTokenDto> {
    return this.tokens.signIn(account_id, request.installation_id ?? null, left);
  }

  @Post('link-token')
  @Role('operator', 'backend')
  @ApiOperation({ summary: 'A link token for an account, which is made on first use' })
  @ApiCreatedResponse({ type: LinkTokenDto })
  link(
    @Param() { account_id }: AccountPath,
    @Body() request: LinkTokenRequest,
    @CallerLeft() left: AbortSignal,
  ): Promise<LinkTokenDto> {
    return this.tokens.link(account_id, request, left);
  }
}
