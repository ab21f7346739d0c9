import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ApiProblem } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { SearchQuery, SearchResultDto } from './search.dto.js';
import { SearchService } from './search.service.js';

@ApiTags('accounts')
@ForOperators()
@Controller('admin/v1/search')
export class SearchController {
  constructor(private readonly service: SearchService) {}

  @Get()
  @Role('viewer')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'Find the account, order, transaction or message that an id, or part of one, belongs to' })
  @ApiOkResponse({ type: SearchResultDto })
  @ApiProblem('invalid_request')
  search(@Query() { q }: SearchQuery): Promise<SearchResultDto> {
    return this.service.search(q);
  }
}
