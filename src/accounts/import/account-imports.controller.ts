import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ApiPage, ApiProblem, Columns } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import {
  AccountImportDto,
  DifferenceQuery,
  ImportDifferenceDto,
  ImportPath,
  toDifferenceDto,
  toImportDto,
} from './account-imports.dto.js';
import { AccountImports } from './account-imports.service.js';

@ApiTags('accounts')
@ForOperators()
@Controller('admin/v1')
export class AccountImportsController {
  constructor(private readonly imports: AccountImports) {}

  @Post('accounts/import')
  @HttpCode(202)
  @Role('operator')
  @ApiOperation({
    summary: 'Start an import of upstream users; returns the running import, if any',
  })
  @ApiAcceptedResponse({ type: AccountImportDto })
  @ApiProblem('invalid_request', 'conflict')
  async startAccountImport(): Promise<AccountImportDto> {
    return toImportDto(await this.imports.start());
  }

  @Get('account-imports')
  @Role('viewer')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'Account imports, newest first' })
  @ApiPage(AccountImportDto)
  @ApiProblem('invalid_request')
  @Columns(
    'import_id',
    'state',
    'users_seen',
    'known',
    'adopted',
    'refused',
    'unknown_upstream',
    'started_at',
    'finished_at',
  )
  async listAccountImports(@Query() query: PageQuery): Promise<Page<AccountImportDto>> {
    return mapPage(await this.imports.list(query), toImportDto);
  }

  @Get('account-imports/:import_id')
  @Role('viewer')
  @ApiOperation({ summary: 'Get an account import with its progress and counts' })
  @ApiOkResponse({ type: AccountImportDto })
  @ApiProblem('invalid_request', 'not_found')
  async getAccountImport(@Param() { import_id }: ImportPath): Promise<AccountImportDto> {
    return toImportDto(await this.imports.get(import_id));
  }

  @Get('account-imports/:import_id/differences')
  @Role('viewer')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'Differences between upstream users and accounts, in the order found' })
  @ApiPage(ImportDifferenceDto)
  @ApiProblem('invalid_request', 'not_found')
  @Columns('kind', 'reason', 'account_id', 'user_id')
  async listAccountImportDifferences(
    @Query() query: DifferenceQuery,
    @Param() { import_id }: ImportPath,
  ): Promise<Page<ImportDifferenceDto>> {
    return mapPage(await this.imports.differences(import_id, query), toDifferenceDto);
  }
}
