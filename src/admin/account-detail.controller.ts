import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccountPath } from '../accounts/accounts.dto.js';
import { ForOperators, Role } from '../auth/admin-auth.guard.js';
import { ApiProblem } from '../http/openapi.js';
import { AccountDetailDto } from './account-detail.dto.js';
import { AccountDetail } from './account-detail.service.js';

/** Beside the other routes of accounts, but up here: the time of the last data is known to health-data alone. */
@ApiTags('accounts')
@ForOperators()
@Controller('admin/v1/accounts')
export class AccountDetailController {
  constructor(private readonly detail: AccountDetail) {}

  @Get(':account_id')
  @Role('viewer')
  @ApiOperation({ summary: 'One account with its connected sources, when each last brought data, and its devices' })
  @ApiOkResponse({ type: AccountDetailDto })
  @ApiProblem('invalid_request', 'not_found')
  get(@Param() { account_id }: AccountPath): Promise<AccountDetailDto> {
    return this.detail.get(account_id);
  }
}
