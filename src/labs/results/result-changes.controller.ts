import { applyDecorators, Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { MayReadValues } from '../../http/auth/caller.js';
import { ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { OrderPath, TransactionPath } from '../order-api/orders.query.js';
import type { ResultSubject } from '../orders/result-subject.js';
import { ResultChangesDto, toChangedVersionDto } from './result-changes.dto.js';
import { ResultsService } from './results.service.js';

const Changes = (of: string): MethodDecorator =>
  applyDecorators(
    Role('viewer', 'backend'),
    ApiOperation({
      summary: `Changes between the stored versions of the result of ${of}, by marker`,
      description: 'How each marker changed and in which direction; names and values require the role reader.',
    }),
    ApiOkResponse({ type: ResultChangesDto }),
    ApiProblem('invalid_request', 'not_found', 'conflict', ...upstreamFailures),
  );

@ApiTags('orders')
@ForOperators()
@Controller('admin/v1')
export class ResultChangesController {
  constructor(private readonly results: ResultsService) {}

  @Get('orders/:order_id/result/changes')
  @RouteIs({ limit: 'keys_upstream' })
  @Changes('an order')
  listResultChanges(@Param() { order_id: id }: OrderPath, @MayReadValues() shows: boolean): Promise<ResultChangesDto> {
    return this.changes({ scope: 'order', id }, shows);
  }

  @Get('order-transactions/:id/result/changes')
  @RouteIs({ limit: 'keys_upstream' })
  @Changes('an order transaction')
  listCombinedResultChanges(
    @Param() { id }: TransactionPath,
    @MayReadValues() shows: boolean,
  ): Promise<ResultChangesDto> {
    return this.changes({ scope: 'transaction', id }, shows);
  }

  private async changes(subject: ResultSubject, showsValues: boolean): Promise<ResultChangesDto> {
    const versions = await this.results.changes(subject);
    return { data: versions.map((version) => toChangedVersionDto(version, showsValues)) };
  }
}
