import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { AccountPath } from '../../http/server/account-path.js';
import { ApiProblem } from '../../http/server/openapi.js';
import { ExplainQuery, ExplanationDto } from './explain.dto.js';
import { ExplainService } from './explain.service.js';

@ApiTags('inspection')
@ForOperators()
@Controller('admin/v1/accounts/:account_id/explain')
export class ExplainController {
  constructor(private readonly service: ExplainService) {}

  @Get()
  @Role('viewer')
  @ApiOperation({ summary: 'Why a day of a resource is empty or odd: the chain of evidence and one sentence' })
  @ApiOkResponse({ type: ExplanationDto })
  @ApiProblem('invalid_request', 'not_found')
  explain(@Param() { account_id }: AccountPath, @Query() query: ExplainQuery): Promise<ExplanationDto> {
    return this.service.explain(account_id, query);
  }
}
