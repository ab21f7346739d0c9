import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ApiPage, ApiProblem, Columns } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { SourceList } from './source-list.service.js';
import { SourceDto, SourceListQuery, toSourceDto } from './sources.dto.js';

@ApiTags('accounts')
@ForOperators()
@Controller('admin/v1/sources')
export class SourcesController {
  constructor(private readonly sources: SourceList) {}

  @Get()
  @Role('viewer', 'backend')
  @RouteIs({ fromReplica: true })
  @ApiOperation({
    summary: 'Sources that are not disconnected, of all accounts',
    description:
      '`retired=true` lists those to replace. For a source of a retired provider, `retirement` names its successor and says whether the old source can ' +
      'be disconnected. The routes that disconnect a source work regardless.',
  })
  @ApiPage(SourceDto)
  @ApiProblem('invalid_request')
  @Columns(
    'account_id',
    'provider',
    'status',
    'error_type',
    'connected_at',
    'data_changed_at',
    'retirement.successor',
    'retirement.successor_status',
    'retirement.ready_to_disconnect',
  )
  async listSources(@Query() query: SourceListQuery): Promise<Page<SourceDto>> {
    return mapPage(await this.sources.list(query), toSourceDto);
  }
}
