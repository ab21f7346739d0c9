import { applyDecorators, Controller, Get, Headers, Param, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { ApiPdf, answerPdf } from '../../http/server/pdf-answer.js';
import { labResults, RouteIs } from '../../http/server/route-facts.js';
import { Clock } from '../../platform/platform/clock.js';
import { ApiOkOrFhir, acceptsFhir, asFhir, varies } from '../fhir/fhir-answer.js';
import type { Bundle } from '../fhir/fhir-resources.js';
import { OrderPath, TransactionPath } from '../order-api/orders.query.js';
import { OrderReadsService } from '../orders/order-reads.service.js';
import { type OwnedOrder } from '../orders/orders.reader.js';
import type { ResultSubject } from '../orders/result-subject.js';
import { toFhir } from './result-fhir.js';
import { ResultPdfs } from './result-pdfs.service.js';
import { ResultDto, ResultQuery, toResultDto } from './results.dto.js';
import { type ResultRead, ResultsService } from './results.service.js';

const ResultProblems = (): MethodDecorator =>
  applyDecorators(ApiProblem('invalid_request', 'not_found', 'result_not_ready', 'conflict', ...upstreamFailures));

const ResultAnswer = (): MethodDecorator =>
  applyDecorators(
    ApiHeader({ name: 'if-none-match', required: false, description: 'ETag of a response you already have.' }),
    ApiOkOrFhir(ResultDto, { etag: { schema: { type: 'string' } } }),
    ApiResponse({ status: 304, description: 'Not modified: upstream confirmed your version.' }),
    ResultProblems(),
  );

const PdfAnswer = (): MethodDecorator => applyDecorators(ApiPdf(), ResultProblems());

@ApiTags('orders')
@ForOperators()
@Controller('admin/v1')
export class ResultsController {
  constructor(
    private readonly results: ResultsService,
    private readonly pdfs: ResultPdfs,
    private readonly orders: OrderReadsService,
    private readonly clock: Clock,
  ) {}

  @Get('orders/:order_id/result')
  @RouteIs({ limit: 'keys_upstream', shows: labResults })
  @Role('reader', 'backend')
  @ApiOperation({ summary: 'Get the results of an order from upstream; every version is stored' })
  @ResultAnswer()
  async getOrderResult(
    @Param() { order_id: id }: OrderPath,
    @Query() query: ResultQuery,
    @Headers('if-none-match') known: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResultDto | Bundle | undefined> {
    return this.answer({ scope: 'order', id }, query, known, reply);
  }

  @Get('order-transactions/:id/result')
  @RouteIs({ limit: 'keys_upstream', shows: labResults })
  @Role('reader', 'backend')
  @ApiOperation({ summary: 'Get the results of an order transaction from upstream; every version is stored' })
  @ResultAnswer()
  async getOrderTransactionResult(
    @Param() { id }: TransactionPath,
    @Query() query: ResultQuery,
    @Headers('if-none-match') known: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResultDto | Bundle | undefined> {
    return this.answer({ scope: 'transaction', id }, query, known, reply);
  }

  @Get('orders/:order_id/result/pdf')
  @RouteIs({ limit: 'keys_upstream', shows: labResults })
  @Role('reader', 'backend')
  @ApiOperation({ summary: 'Get the result PDF of an order, streamed from upstream' })
  @PdfAnswer()
  async downloadOrderResult(@Param() { order_id: id }: OrderPath, @Res() reply: FastifyReply): Promise<void> {
    await this.answerPdf(reply, { scope: 'order', id });
  }

  @Get('order-transactions/:id/result/pdf')
  @RouteIs({ limit: 'keys_upstream', shows: labResults })
  @Role('reader', 'backend')
  @ApiOperation({ summary: 'Get the result PDF of an order transaction, streamed from upstream' })
  @PdfAnswer()
  async downloadOrderTransactionResult(@Param() { id }: TransactionPath, @Res() reply: FastifyReply): Promise<void> {
    await this.answerPdf(reply, { scope: 'transaction', id });
  }

  private async answerPdf(reply: FastifyReply, subject: ResultSubject): Promise<void> {
    await answerPdf(reply, subject.id, async (gone) => {
      const { stream, confirmedAt } = await this.pdfs.open(subject, gone);
      const age = confirmedAt === null ? null : Math.floor((this.clock.now() - confirmedAt) / 1_000);
      if (age !== null) void reply.header('age', Math.max(0, age));
      return stream;
    });
  }

  private async answer(
    subject: ResultSubject,
    { version }: ResultQuery,
    known: string | undefined,
    reply: FastifyReply,
  ): Promise<ResultDto | Bundle | undefined> {
    varies(reply);
    const read = await (version === undefined
      ? this.results.read(subject)
      : this.results.readVersion(subject, version));
    const isFhir = acceptsFhir(reply.request.headers.accept);
    if (isKnown(reply, known, read, isFhir)) return undefined;
    if (!isFhir) return toResultDto(subject, read);
    const orders =
      subject.scope === 'transaction' ? (read.transaction?.chain.orders ?? []) : await this.order(subject.id);
    return asFhir(reply, toFhir(subject, read, orders, this.clock.now()));
  }

  private async order(id: string): Promise<OwnedOrder[]> {
    const found = await this.orders.find(id);
    return found ? [found.order] : [];
  }
}

/**
 * Sets the ETag, and the status 304 if the caller already has this version: then there is no body. The ETag is weak,
 * because it does not cover the time of confirmation. A stale result is always returned, so that the caller learns that
 * it is stale.
 */
function isKnown(
  reply: FastifyReply,
  known: string | undefined,
  { shown: { version, checksum }, isStale }: ResultRead,
  isFhir: boolean,
): boolean {
  const tag = `W/"${version}-${checksum}${isFhir ? '-fhir' : ''}"`;
  void reply.header('etag', tag);
  const has = !isStale && (known ?? '').split(',').some((each) => each.trim() === tag);
  if (has) void reply.code(304);
  return has;
}
