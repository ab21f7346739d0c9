import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { AccountPath } from '../../http/server/account-path.js';
import { ApiProblem, Columns } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { ExplainAllQuery, ExplainQuery, ExplanationDto, ExplanationsDto } from './explain.dto.js';
import { ExplainService } from './explain.service.js';

@ApiTags('inspection')
@ForOperators()
@Controller('admin/v1/accounts/:account_id')
export class ExplainController {
  constructor(private readonly service: ExplainService) {}

  @Get('explain')
  @Role('viewer')
  @ApiOperation({ summary: 'Get an explanation of an empty or odd day of a resource, with its evidence' })
  @ApiOkResponse({ type: ExplanationDto })
  @ApiProblem('invalid_request', 'not_found')
  @Columns('conclusion', 'resource', 'day', 'state', 'reason', 'evidence')
  explainDay(@Param() { account_id }: AccountPath, @Query() query: ExplainQuery): Promise<ExplanationDto> {
    return this.service.explain(account_id, query);
  }

  @Get('explanations')
  @Role('viewer')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'Explanations of a day for every resource, in catalogue order' })
  @ApiOkResponse({ type: ExplanationsDto })
  @ApiProblem('invalid_request', 'not_found')
  @Columns('resource', 'state', 'reason', 'conclusion')
  async explainDayOfEveryResource(
    @Param() { account_id }: AccountPath,
    @Query() query: ExplainAllQuery,
  ): Promise<ExplanationsDto> {
    return { data: await this.service.explainAll(account_id, query) };
  }
}
