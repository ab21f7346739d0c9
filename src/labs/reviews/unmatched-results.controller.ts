import { applyDecorators, Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { MayReadValues } from '../../http/auth/caller.js';
import { ApiIdempotencyKey, IdempotencyKey } from '../../http/server/idempotency-key.js';
import { ApiPage, ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { labResults, RouteIs } from '../../http/server/route-facts.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { interactive } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { DecidingService } from './deciding.service.js';
import {
  AcceptBody,
  acceptanceOf,
  DecidedUnmatchedResultDto,
  ResolveBody,
  resolutionOf,
  ShownUnmatchedResultDto,
  toDecidedDto,
  toShownDto,
  toUnmatchedResultDto,
  UnmatchedResultDto,
  UnmatchedResultListQuery,
  UnmatchedResultPath,
} from './unmatched-results.dto.js';
import { UnmatchedResults } from './unmatched-results.service.js';

const repeatable =
  'The same key with the same body returns the same outcome; with another body it is refused, unless upstream refused ' +
  'the first. If the outcome is unknown (503 or no response), repeat the same request: it never decides twice.';

/** A route that makes a decision, once per idempotency key. */
const Decision = (path: string, summary: string, description: string): MethodDecorator =>
  applyDecorators(
    Post(`:id/${path}`),
    HttpCode(200),
    Role('operator', 'backend'),
    RouteIs({ limit: 'keys_upstream' }),
    ApiOperation({ summary, description: `${description}${repeatable}` }),
    ApiIdempotencyKey('Unique per decision, across all callers; use a new uuid.'),
    ApiOkResponse({ type: DecidedUnmatchedResultDto }),
    ApiProblem('upstream_invalid_request', ...upstreamFailures),
    ApiProblem('invalid_request', 'idempotency_key_required', 'idempotency_key_reused', 'not_found', 'conflict'),
  );

@ApiTags('orders')
@ForOperators()
@Controller('admin/v1/unmatched-results')
export class UnmatchedResultsController {
  constructor(
    private readonly unmatched: UnmatchedResults,
    private readonly deciding: DecidingService,
  ) {}

  @Get()
  @Role('viewer', 'backend')
  @RouteIs({ fromReplica: true })
  @ApiOperation({
    summary: 'Results that upstream could not attach to an order, newest first',
    description: 'waiting=true lists those that wait for your decision.',
  })
  @ApiPage(UnmatchedResultDto)
  @ApiProblem('invalid_request')
  async listUnmatchedResults(@Query() query: UnmatchedResultListQuery): Promise<Page<UnmatchedResultDto>> {
    const { account_id: externalId, ...rest } = query;
    return mapPage(await this.unmatched.list({ ...rest, externalId }), toUnmatchedResultDto);
  }

  @Get(':id')
  @RouteIs({ limit: 'keys_upstream', shows: labResults })
  @Role('viewer', 'backend')
  @ApiOperation({ summary: 'Get an unmatched result with its candidates and, for the role reader, its content' })
  @ApiOkResponse({ type: ShownUnmatchedResultDto })
  @ApiProblem('invalid_request', 'not_found')
  async getUnmatchedResult(
    @Param() { id }: UnmatchedResultPath,
    @MayReadValues() showsValues: boolean,
  ): Promise<ShownUnmatchedResultDto> {
    const stored = await this.unmatched.get(id);
    if (!showsValues) return toShownDto(stored, { content: null, stale: false });
    try {
      const { content, ...read } = await this.unmatched.readAgain(id, interactive);
      return toShownDto(read, { content, stale: false });
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      return toShownDto(stored, { content: null, stale: true });
    }
  }

  @Decision(
    'accept',
    'Attach the result to an order, once per idempotency key',
    'Upstream returns the order to which it attached the result: the candidate, a replacement, or an order of another ' +
      'person. It is stored, and order_id and order_transaction_id identify it. ',
  )
  async acceptUnmatchedResult(
    @Param() { id }: UnmatchedResultPath,
    @Body() body: AcceptBody,
    @IdempotencyKey() idempotencyKey: string,
  ): Promise<DecidedUnmatchedResultDto> {
    const decision = { kind: 'accept', body: acceptanceOf(body) } as const;
    return toDecidedDto(await this.deciding.decide({ id, idempotencyKey, decision }));
  }

  @Decision('resolve', "Reject the result or leave it to upstream's staff, once per idempotency key", '')
  async resolveUnmatchedResult(
    @Param() { id }: UnmatchedResultPath,
    @Body() body: ResolveBody,
    @IdempotencyKey() idempotencyKey: string,
  ): Promise<DecidedUnmatchedResultDto> {
    const decision = { kind: 'resolve', body: resolutionOf(body) } as const;
    return toDecidedDto(await this.deciding.decide({ id, idempotencyKey, decision }));
  }
}
