import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../auth/admin-auth.guard.js';
import { ApiPage, ApiProblem } from '../http/openapi.js';
import { mapPage, type Page } from '../platform/paging.js';
import {
  AccountCreation,
  AccountDto,
  AccountListQuery,
  AccountPath,
  AccountSettings,
  toAccountDto,
} from './accounts.dto.js';
import { AccountsService } from './accounts.service.js';

const interactive = { priority: 'interactive' } as const;

@ApiTags('accounts')
@ForOperators()
@Controller('admin/v1/accounts')
export class AccountsController {
  constructor(private readonly accounts: AccountsService) {}

  @Get()
  @Role('viewer')
  @ApiOperation({ summary: 'Accounts in the order in which they were made' })
  @ApiPage(AccountDto)
  @ApiProblem('invalid_request')
  async list(@Query() query: AccountListQuery): Promise<Page<AccountDto>> {
    return mapPage(await this.accounts.list(query), toAccountDto);
  }

  @Post()
  @Role('operator')
  @ApiOperation({ summary: 'Make an account and its upstream user, or adopt the one there is' })
  @ApiCreatedResponse({ type: AccountDto })
  @ApiProblem('invalid_request', 'account_id_not_allowed', 'account_blocked', 'account_erased', 'conflict')
  @ApiProblem('upstream_user_limit')
  @ApiProblem('upstream_rejected', 'upstream_throttled', 'upstream_unavailable', 'upstream_contract')
  async create(@Body() { account_id, ...settings }: AccountCreation): Promise<AccountDto> {
    return toAccountDto(await this.accounts.create(account_id, settings, interactive));
  }

  @Patch(':account_id')
  @Role('operator')
  @ApiOperation({ summary: 'Change the settings of an account, upstream first' })
  @ApiOkResponse({ type: AccountDto })
  @ApiProblem('invalid_request', 'not_found', 'account_erased', 'conflict')
  @ApiProblem('upstream_rejected', 'upstream_throttled', 'upstream_unavailable', 'upstream_contract')
  async patch(@Param() { account_id }: AccountPath, @Body() settings: AccountSettings): Promise<AccountDto> {
    return toAccountDto(await this.accounts.patch(account_id, settings, interactive));
  }
}
