import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForApp } from '../../http/auth/app-auth.guard.js';
import { OwnAccountId } from '../../http/auth/caller.js';
import { ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { labResults, RouteIs } from '../../http/server/route-facts.js';
import { TransactionPath } from '../order-api/orders.query.js';
import { OwnResultDto, toOwnResultDto } from './own-results.dto.js';
import { OwnResultsService } from './own-results.service.js';

@ApiTags('orders')
@ForApp()
@Controller('v1/me/order-transactions')
export class OwnResultsController {
  constructor(private readonly results: OwnResultsService) {}

  @Get(':id/result')
  @RouteIs({ limit: 'results', shows: labResults })
  @ApiOperation({
    summary: 'Get the final result of an order transaction of the signed-in person (if APP_RESULTS allows)',
    description:
      'result_not_ready until the transaction is completed and its result is final; partial results are never ' +
      'shown. stale: true if upstream did not confirm it in this request.',
  })
  @ApiOkResponse({ type: OwnResultDto })
  @ApiProblem('invalid_request', 'forbidden', 'not_found', 'result_not_ready', 'conflict', ...upstreamFailures)
  async getMyResult(@OwnAccountId() accountId: string, @Param() { id }: TransactionPath): Promise<OwnResultDto> {
    return toOwnResultDto(id, await this.results.read(id, accountId));
  }
}
