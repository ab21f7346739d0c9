import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ForApp } from '../../http/auth/app-auth.guard.js';
import { OwnAccountId } from '../../http/auth/caller.js';
import { AccountPath } from '../../http/server/account-path.js';
import { CallerLeft } from '../../http/server/caller-left.js';
import { ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { ensureProblems } from '../accounts/accounts.service.js';
import { LinkTokenDto, LinkTokenRequest, SignInTokenDto, SignInTokenRequest } from './tokens.dto.js';
import { TokensService } from './tokens.service.js';

@ApiTags('me')
@ApiProblem('rate_limited', 'tokens_closed')
@ForApp()
@ApiProblem('invalid_request', ...ensureProblems, 'upstream_invalid_request', ...upstreamFailures)
@Controller('v1/me')
export class MeTokensController {
  constructor(private readonly tokens: TokensService) {}

  @Post('sign-in-token')
  @RouteIs({ limit: 'sign_in' })
  @ApiOperation({ summary: 'Create a sign-in token for the mobile SDK' })
  @ApiCreatedResponse({ type: SignInTokenDto })
  createMySignInToken(
    @OwnAccountId() accountId: string,
    @Body() request: SignInTokenRequest,
    @CallerLeft() left: AbortSignal,
  ): Promise<SignInTokenDto> {
    return this.tokens.signIn(accountId, request.installation_id ?? null, left);
  }

  @Post('link-token')
  @RouteIs({ limit: 'link' })
  @ApiOperation({ summary: 'Create a link token to connect a source' })
  @ApiCreatedResponse({ type: LinkTokenDto })
  createMyLinkToken(
    @OwnAccountId() accountId: string,
    @Body() request: LinkTokenRequest,
    @CallerLeft() left: AbortSignal,
  ): Promise<LinkTokenDto> {
    return this.tokens.link(accountId, request, left);
  }
}

/** The same tokens for customers whose backend requests them. */
@ApiTags('accounts')
@ForOperators()
@ApiProblem('invalid_request', ...ensureProblems)
@ApiProblem('tokens_closed', 'rate_limited', 'upstream_invalid_request', ...upstreamFailures)
@Controller('admin/v1/accounts/:account_id')
export class AccountTokensController {
  constructor(private readonly tokens: TokensService) {}

  @Post('sign-in-token')
  @Role('operator', 'backend')
  @RouteIs({ limit: 'sign_in' })
  @ApiOperation({ summary: 'Create a sign-in token for an account; creates the account on first use' })
  @ApiCreatedResponse({ type: SignInTokenDto })
  createSignInToken(
    @Param() { account_id }: AccountPath,
    @Body() request: SignInTokenRequest,
    @CallerLeft() left: AbortSignal,
  ): Promise<SignInTokenDto> {
    return this.tokens.signIn(account_id, request.installation_id ?? null, left);
  }

  @Post('link-token')
  @Role('operator', 'backend')
  @RouteIs({ limit: 'link' })
  @ApiOperation({ summary: 'Create a link token for an account; creates the account on first use' })
  @ApiCreatedResponse({ type: LinkTokenDto })
  createLinkToken(
    @Param() { account_id }: AccountPath,
    @Body() request: LinkTokenRequest,
    @CallerLeft() left: AbortSignal,
  ): Promise<LinkTokenDto> {
    return this.tokens.link(account_id, request, left);
  }
}
