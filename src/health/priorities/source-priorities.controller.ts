import { Body, Controller, Get, Param, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { Actor, type Actor as Operator } from '../../http/auth/caller.js';
import { AccountPath } from '../../http/server/account-path.js';
import { ApiProblem, Columns } from '../../http/server/openapi.js';
import { SourcePrioritiesDto, SourcePriorityChange, toSourcePrioritiesDto } from './source-priorities.dto.js';
import { SourcePriorities } from './source-priorities.service.js';

@ApiTags('accounts')
@ForOperators()
@Controller('admin/v1')
export class SourcePrioritiesController {
  constructor(
    private readonly priorities: SourcePriorities,
    private readonly accounts: AccountsService,
  ) {}

  @Get('source-priorities')
  @Role('viewer', 'backend')
  @ApiOperation({
    summary: 'Source priorities by data type, for accounts that do not override them',
    description: "Upstream's list for the team is read once a day; a list set here replaces it completely.",
  })
  @ApiOkResponse({ type: SourcePrioritiesDto })
  @Columns('data_type', 'decided_by', 'sources', 'changed_at', 'changed_by', 'upstream_unreadable')
  async getSourcePriorities(): Promise<SourcePrioritiesDto> {
    return toSourcePrioritiesDto(await this.priorities.all(null));
  }

  @Patch('source-priorities')
  @Role('operator')
  @ApiOperation({ summary: "Set or remove the list of a data type for all accounts; upstream's list is unchanged" })
  @ApiOkResponse({ type: SourcePrioritiesDto })
  @ApiProblem('invalid_request')
  @Columns('data_type', 'decided_by', 'sources', 'changed_at', 'changed_by', 'upstream_unreadable')
  async changeSourcePriorities(
    @Body() change: SourcePriorityChange,
    @Actor() actor: Operator,
  ): Promise<SourcePrioritiesDto> {
    return this.set(null, change, actor);
  }

  @Get('accounts/:account_id/source-priorities')
  @Role('viewer', 'backend')
  @ApiOperation({ summary: 'Source priorities of an account by data type' })
  @ApiOkResponse({ type: SourcePrioritiesDto })
  @ApiProblem('invalid_request', 'not_found')
  @Columns('data_type', 'decided_by', 'sources', 'changed_at', 'changed_by', 'upstream_unreadable')
  async getAccountSourcePriorities(@Param() { account_id }: AccountPath): Promise<SourcePrioritiesDto> {
    const { id } = await this.accounts.get(account_id);
    return toSourcePrioritiesDto(await this.priorities.all(id));
  }

  @Patch('accounts/:account_id/source-priorities')
  @Role('operator', 'backend')
  @ApiOperation({ summary: 'Set or remove the list of a data type for an account' })
  @ApiOkResponse({ type: SourcePrioritiesDto })
  @ApiProblem('invalid_request', 'not_found', 'account_erased')
  @Columns('data_type', 'decided_by', 'sources', 'changed_at', 'changed_by', 'upstream_unreadable')
  async changeAccountSourcePriorities(
    @Param() { account_id }: AccountPath,
    @Body() change: SourcePriorityChange,
    @Actor() actor: Operator,
  ): Promise<SourcePrioritiesDto> {
    const { id } = await this.accounts.get(account_id);
    return this.set(id, change, actor);
  }

  private async set(
    account: number | null,
    { data_type: dataType, sources }: SourcePriorityChange,
    { name: by }: Operator,
  ): Promise<SourcePrioritiesDto> {
    const plain = sources?.map(({ provider, type }) => ({ provider, type })) ?? null;
    await this.priorities.change(account, { dataType, sources: plain, by });
    return toSourcePrioritiesDto(await this.priorities.all(account));
  }
}
