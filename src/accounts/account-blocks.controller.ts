import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../auth/admin-auth.guard.js';
import { ApiProblem } from '../http/openapi.js';
import { AccountBlocks } from './account-blocks.service.js';
import { AccountDto, AccountPath, toAccountDto } from './accounts.dto.js';

@ApiTags('accounts')
@ForOperators()
@ApiProblem('invalid_request', 'not_found', 'account_erased')
@Controller('admin/v1/accounts/:account_id')
export class AccountBlocksController {
  constructor(private readonly blocks: AccountBlocks) {}

  @Post('block')
  @HttpCode(200)
  @Role('operator')
  @ApiOperation({ summary: 'Issue no more tokens to an account; what is stored of it can still be read' })
  @ApiOkResponse({ type: AccountDto })
  async block(@Param() { account_id }: AccountPath): Promise<AccountDto> {
    return toAccountDto(await this.blocks.block(account_id));
  }

  @Post('unblock')
  @HttpCode(200)
  @Role('operator')
  @ApiOperation({ summary: 'Issue tokens to an account again' })
  @ApiOkResponse({ type: AccountDto })
  async unblock(@Param() { account_id }: AccountPath): Promise<AccountDto> {
    return toAccountDto(await this.blocks.unblock(account_id));
  }
}
