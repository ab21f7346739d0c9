import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ApiPage, ApiProblem } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
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
    summary: "Scan upstream's users and adopt unknown ones; returns the running import if there is one",
  })
  @ApiAcceptedResponse({ type: AccountImportDto })
  @ApiProblem('invalid_request', 'conflict')
  async start(): Promise<AccountImportDto> {
    return toImportDto(await this.imports.start());
  }

  @Get('account-imports')
  @Role('viewer')
  @ApiOperation({ summary: 'Imports, newest first' })
  @ApiPage(AccountImportDto)
  @ApiProblem('invalid_request')
  async list(@Query() query: PageQuery): Promise<Page<AccountImportDto>> {
    return mapPage(await this.imports.list(query), toImportDto);
  }

  @Get('account-imports/:import_id')
  @Role('viewer')
  @ApiOperation({ summary: 'One import: how far it is and what it found' })
  @ApiParam({ name: 'import_id', type: 'integer' })
  @ApiOkResponse({ type: AccountImportDto })
  @ApiProblem('invalid_request', 'not_found')
  async get(@Param() { import_id }: ImportPath): Promise<AccountImportDto> {
    return toImportDto(await this.imports.get(import_id));
  }

  @Get('account-imports/:import_id/differences')
  @Role('viewer')
  @ApiOperation({ summary: "Differences between upstream's users and the accounts here, as they were found" })
  @ApiParam({ name: 'import_id', type: 'integer' })
  @ApiPage(ImportDifferenceDto)
  @ApiProblem('invalid_request', 'not_found')
  async differences(
    @Param() { import_id }: ImportPath,
    @Query() query: DifferenceQuery,
  ): Promise<Page<ImportDifferenceDto>> {
    return mapPage(await this.imports.differences(import_id, query), toDifferenceDto);
  }
}
