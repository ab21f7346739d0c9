import { applyDecorators, Controller, Get, Header, Headers, Param, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ForOperators, Role } from '../auth/admin-auth.guard.js';
import { ApiProblem } from '../http/openapi.js';
import { OrderPath, TransactionPath } from '../order-api/orders.query.js';
import type { ResultSubject } from '../result-fetches/result-subject.js';
import { unlessKnown } from './entity-tag.js';
import { answerPdf } from './pdf-answer.js';
import { ResultPdfs } from './result-pdfs.service.js';
import { ResultDto, ResultQuery, toResultDto } from './results.dto.js';
import { ResultsService } from './results.service.js';

const ResultProblems = (): MethodDecorator =>
  applyDecorators(
    ApiProblem('invalid_request', 'not_found', 'result_not_ready', 'conflict'),
    ApiProblem('upstream_rejected', 'upstream_throttled', 'upstream_unavailable', 'upstream_contract'),
  );

const ResultAnswer = (): MethodDecorator =>
  applyDecorators(
    Header('cache-control', 'no-store'),
    ApiHeader({ name: 'if-none-match', required: false, description: 'The etag of an answer you have.' }),
    ApiOkResponse({ type: ResultDto, headers: { etag: { schema: { type: 'string' } } } }),
    ApiResponse({ status: 304, description: 'Upstream confirmed the version you have.' }),
    ResultProblems(),
  );

const PdfAnswer = (): MethodDecorator =>
  applyDecorators(
    ApiOkResponse({
      description: 'Streamed. A connection that is cut means that the file is not whole.',
      content: { 'application/pdf': { schema: { type: 'string', format: 'binary' } } },
    }),
    ResultProblems(),
  );

@ApiTags('orders')
@ForOperators()
@Controller('admin/v1')
export class ResultsController {
  constructor(
    private readonly results: ResultsService,
    private readonly pdfs: ResultPdfs,
  ) {}

  @Get('orders/:order_id/result')
  @Role('reader')
  @ApiOperation({ summary: 'Results of one order, read from upstream and kept in versions' })
  @ResultAnswer()
  async ofOrder(
    @Param() { order_id: id }: OrderPath,
    @Query() query: ResultQuery,
    @Headers('if-none-match') known: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResultDto | undefined> {
    return unlessKnown(reply, known, await this.read({ scope: 'order', id }, query));
  }

  @Get('order-transactions/:id/result')
  @Role('reader')
  @ApiOperation({ summary: 'Results of all orders of a transaction together, read from upstream and kept in versions' })
  @ResultAnswer()
  async ofTransaction(
    @Param() { id }: TransactionPath,
    @Query() query: ResultQuery,
    @Headers('if-none-match') known: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResultDto | undefined> {
    return unlessKnown(reply, known, await this.read({ scope: 'transaction', id }, query));
  }

  @Get('orders/:order_id/result/pdf')
  @Role('reader')
  @ApiOperation({ summary: 'The result PDF of one order, streamed from upstream' })
  @PdfAnswer()
  async pdfOfOrder(@Param() { order_id: id }: OrderPath, @Res() reply: FastifyReply): Promise<void> {
    await answerPdf(reply, id, (gone) => this.pdfs.open({ scope: 'order', id }, gone));
  }

  @Get('order-transactions/:id/result/pdf')
  @Role('reader')
  @ApiOperation({ summary: 'The result PDF of a transaction, streamed from upstream' })
  @PdfAnswer()
  async pdfOfTransaction(@Param() { id }: TransactionPath, @Res() reply: FastifyReply): Promise<void> {
    await answerPdf(reply, id, (gone) => this.pdfs.open({ scope: 'transaction', id }, gone));
  }

  private async read(subject: ResultSubject, { version }: ResultQuery): Promise<ResultDto> {
    const read = version === undefined ? this.results.read(subject) : this.results.readVersion(subject, version);
    return toResultDto(subject, await read);
  }
}
