import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { MayReadValues } from '../../http/auth/caller.js';
import { AccountPath } from '../../http/server/account-path.js';
import { ApiPage, ApiProblem, Columns, upstreamFailures } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { interactive } from '../../upstream/transport/call.js';
import { AccountAdminService } from './account-admin.service.js';
import { AccountDetailDto } from './account-detail.dto.js';
import {
  AccountCreation,
  AccountDto,
  AccountListQuery,
  AccountSettings,
  ListedAccountDto,
  toAccountDto,
  toListedAccountDto,
} from './accounts.dto.js';

@ApiTags('accounts')
@ForOperators()
@Controller('admin/v1/accounts')
export class AccountsController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly admin: AccountAdminService,
  ) {}

  @Get()
  @Role('viewer', 'backend')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'Accounts, oldest first, or found by part of an id' })
  @ApiPage(ListedAccountDto)
  @ApiProblem('invalid_request')
  @Columns('account_id', 'status', 'user_id', 'log_ref', 'created_at', 'linked_at')
  async listAccounts(@Query() query: AccountListQuery): Promise<Page<ListedAccountDto>> {
    return mapPage(await this.admin.list(query), toListedAccountDto);
  }

  @Get(':account_id')
  @Role('viewer', 'backend')
  @RouteIs({ recorded: true })
  @ApiOperation({ summary: 'Get an account with its sources and devices; the access is recorded' })
  @ApiOkResponse({ type: AccountDetailDto })
  @ApiProblem('invalid_request', 'not_found')
  getAccount(@Param() { account_id }: AccountPath, @MayReadValues() showsValues: boolean): Promise<AccountDetailDto> {
    return this.admin.get(account_id, showsValues);
  }

  @Post()
  @Role('operator', 'backend')
  @RouteIs({ limit: 'keys_upstream' })
  @ApiOperation({ summary: 'Create an account and its upstream user, or adopt an existing user' })
  @ApiCreatedResponse({ type: AccountDto })
  @ApiProblem('invalid_request', 'account_id_not_allowed', 'account_blocked', 'account_erased', 'conflict')
  @ApiProblem('upstream_user_limit', 'upstream_invalid_request', ...upstreamFailures)
  async createAccount(@Body() { account_id, ...settings }: AccountCreation): Promise<AccountDto> {
    return toAccountDto(await this.accounts.create(account_id, settings, interactive));
  }

  @Patch(':account_id')
  @Role('operator', 'backend')
  @RouteIs({ limit: 'keys_upstream' })
  @ApiOperation({ summary: 'Change the settings of an account, upstream and here' })
  @ApiOkResponse({ type: AccountDto })
  @ApiProblem('invalid_request', 'not_found', 'account_erased', 'conflict', 'upstream_invalid_request')
  @ApiProblem(...upstreamFailures)
  async updateAccount(@Param() { account_id }: AccountPath, @Body() settings: AccountSettings): Promise<AccountDto> {
    return toAccountDto(await this.accounts.patch(account_id, settings, interactive));
  }

  @Post(':account_id/relink')
  @HttpCode(200)
  @Role('operator')
  @RouteIs({ limit: 'keys_upstream' })
  @ApiOperation({
    summary: 'Create a new upstream user for an account whose user is gone',
    description:
      'For users that upstream no longer has, e.g. a demo user after 7 days. The person must link the sources ' +
      'again. Stored records stay and are marked `earlier_user`. 409 `conflict` if upstream still has the user.',
  })
  @ApiOkResponse({ type: AccountDto })
  @ApiProblem('invalid_request', 'not_found', 'account_erased', 'conflict')
  @ApiProblem('upstream_user_limit', 'upstream_invalid_request', ...upstreamFailures)
  async relinkAccount(@Param() { account_id }: AccountPath): Promise<AccountDto> {
    return toAccountDto(await this.accounts.relink(account_id));
  }

  @Post(':account_id/block')
  @HttpCode(200)
  @Role('operator')
  @ApiOperation({ summary: 'Block an account: no tokens; stored data stays readable' })
  @ApiOkResponse({ type: AccountDto })
  @ApiProblem('invalid_request', 'not_found', 'account_erased')
  async blockAccount(@Param() { account_id }: AccountPath): Promise<AccountDto> {
    return toAccountDto(await this.accounts.block(account_id));
  }

  @Post(':account_id/unblock')
  @HttpCode(200)
  @Role('operator')
  @ApiOperation({ summary: 'Unblock an account: tokens are issued again' })
  @ApiOkResponse({ type: AccountDto })
  @ApiProblem('invalid_request', 'not_found', 'account_erased')
  async unblockAccount(@Param() { account_id }: AccountPath): Promise<AccountDto> {
    return toAccountDto(await this.accounts.unblock(account_id));
  }
}
