import { applyDecorators, Controller, Get, Headers, Param, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { ApiPdf, answerPdf } from '../../http/server/pdf-answer.js';
import { OrderPath, TransactionPath } from '../order-api/orders.query.js';
import type { ResultSubject } from '../orders/result-subject.js';
import { ResultPdfs } from './result-pdfs.service.js';
import { ResultDto, ResultQuery, toResultDto } from './results.dto.js';
import { ResultsService } from './results.service.js';

const ResultProblems = (): MethodDecorator =>
  applyDecorators(ApiProblem('invalid_request', 'not_found', 'result_not_ready', 'conflict', ...upstreamFailures));

const ResultAnswer = (): MethodDecorator =>
  applyDecorators(
    ApiHeader({ name: 'if-none-match', required: false, description: 'ETag of a response you already have.' }),
    ApiOkResponse({ type: ResultDto, headers: { etag: { schema: { type: 'string' } } } }),
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
  ) {}

  @Get('orders/:order_id/result')
  @Role('reader', 'backend')
  @ApiOperation({ summary: 'Get the results of an order from upstream; every version is stored' })
  @ResultAnswer()
  async getOrderResult(
    @Param() { order_id: id }: OrderPath,
    @Query() query: ResultQuery,
    @Headers('if-none-match') known: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResultDto | undefined> {
    return unlessKnown(reply, known, await this.read({ scope: 'order', id }, query));
  }

  @Get('order-transactions/:id/result')
  @Role('reader', 'backend')
  @ApiOperation({ summary: 'Get the results of an order transaction from upstream; every version is stored' })
  @ResultAnswer()
  async getOrderTransactionResult(
    @Param() { id }: TransactionPath,
    @Query() query: ResultQuery,
    @Headers('if-none-match') known: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResultDto | undefined> {
    return unlessKnown(reply, known, await this.read({ scope: 'transaction', id }, query));
  }

  @Get('orders/:order_id/result/pdf')
  @Role('reader', 'backend')
  @ApiOperation({ summary: 'Get the result PDF of an order, streamed from upstream' })
  @PdfAnswer()
  async downloadOrderResult(@Param() { order_id: id }: OrderPath, @Res() reply: FastifyReply): Promise<void> {
    await answerPdf(reply, id, (gone) => this.pdfs.open({ scope: 'order', id }, gone));
  }

  @Get('order-transactions/:id/result/pdf')
  @Role('reader', 'backend')
  @ApiOperation({ summary: 'Get the result PDF of an order transaction, streamed from upstream' })
  @PdfAnswer()
  async downloadOrderTransactionResult(@Param() { id }: TransactionPath, @Res() reply: FastifyReply): Promise<void> {
    await answerPdf(reply, id, (gone) => this.pdfs.open({ scope: 'transaction', id }, gone));
  }

  private async read(subject: ResultSubject, { version }: ResultQuery): Promise<ResultDto> {
    const read = version === undefined ? this.results.read(subject) : this.results.readVersion(subject, version);
    return toResultDto(subject, await read);
  }
}

/**
 * The result with its ETag, or 304 if the caller already has this version. The ETag is weak, because it does not cover
 * the time of confirmation. A stale result is always returned, so that the caller learns that it is stale.
 */
function unlessKnown(reply: FastifyReply, known: string | undefined, answer: ResultDto): ResultDto | undefined {
  const tag = `W/"${answer.version}-${answer.checksum}"`;
  void reply.header('etag', tag);
  const isKnown = (known ?? '').split(',').some((each) => each.trim() === tag);
  if (!isKnown || answer.stale) return answer;
  void reply.code(304);
  return undefined;
}
