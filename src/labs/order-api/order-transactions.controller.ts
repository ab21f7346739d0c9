import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { Actor, MayReadValues } from '../../http/auth/caller.js';
import { ApiPage, ApiProblem, Columns, upstreamFailures } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { Clock } from '../../platform/platform/clock.js';
import { orNotFound } from '../../platform/platform/errors.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { toWaitingWorkDto } from '../../storage/work/waiting-work.dto.js';
import { interactive } from '../../upstream/transport/call.js';
import { ApiOkOrFhir, acceptsFhir, asFhir, varies } from '../fhir/fhir-answer.js';
import type { Bundle } from '../fhir/fhir-resources.js';
import { transactionBundle } from '../fhir/orders-fhir.js';
import { DueReads, resultRead } from '../orders/due-reads.repository.js';
import { OrderReadsService, type TransactionRead } from '../orders/order-reads.service.js';
import { PatientNotifications } from '../orders/patient-notifications.service.js';
import { Replacements } from '../orders/replacements.service.js';
import { UpstreamOrders } from '../upstream-orders/upstream-orders.js';
import {
  ShownTransactionDto,
  TransactionDetailDto,
  TransactionDto,
  toTransactionDetailDto,
  toTransactionDto,
} from './orders.dto.js';
import { TransactionListQuery, TransactionPath } from './orders.query.js';
import {
  RecordedReplacementDto,
  RecordedToldDto,
  ToldBody,
  toRecordedReplacementDto,
  toRecordedToldDto,
} from './patient-notifications.dto.js';

@ApiTags('orders')
@ForOperators()
@Controller('admin/v1/order-transactions')
export class OrderTransactionsController {
  constructor(
    private readonly reads: OrderReadsService,
    private readonly upstream: UpstreamOrders,
    private readonly dueReads: DueReads,
    private readonly notifications: PatientNotifications,
    private readonly replacements: Replacements,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Role('viewer', 'backend')
  @RouteIs({ fromReplica: true })
  @ApiOperation({
    summary: 'Order transactions, newest first',
    description: '`needs=redraw&notified=false` lists the patients to inform of a redraw.',
  })
  @ApiPage(TransactionDto)
  @ApiProblem('invalid_request')
  @Columns(
    'created_at',
    'order_transaction_id',
    'account_id',
    'act_on',
    'redraw_told.at',
    'redraw_told.by',
    'redraw_told.how',
  )
  async listOrderTransactions(@Query() query: TransactionListQuery): Promise<Page<TransactionDto>> {
    const { notified, told = notified, ...rest } = query;
    return mapPage(await this.reads.listTransactions({ ...rest, told }), toTransactionDto);
  }

  @Get(':id')
  @Role('viewer', 'backend')
  @ApiOperation({ summary: 'Get an order transaction with its orders and the one to act on now' })
  @ApiOkOrFhir(ShownTransactionDto)
  @ApiProblem('invalid_request', 'not_found')
  async getOrderTransaction(
    @Param() { id }: TransactionPath,
    @MayReadValues() showsValues: boolean,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShownTransactionDto | Bundle> {
    varies(reply);
    const [transaction, fetch] = await Promise.all([
      this.reads.getTransaction(id),
      this.dueReads.find(resultRead({ scope: 'transaction', id })),
    ]);
    if (acceptsFhir(reply.request.headers.accept)) return asFhir(reply, this.ordersOf(transaction));
    return { ...toTransactionDetailDto(transaction, showsValues), result_fetch: toWaitingWorkDto(fetch) };
  }

  @Post(':id/refresh')
  @HttpCode(200)
  @Role('operator')
  @RouteIs({ limit: 'keys_upstream' })
  @ApiOperation({ summary: 'Refresh an order transaction and its orders from upstream' })
  @ApiOkResponse({ type: TransactionDetailDto })
  @ApiProblem('invalid_request', 'not_found', ...upstreamFailures)
  async refreshOrderTransaction(@Param() { id }: TransactionPath): Promise<TransactionDetailDto> {
    const stored = await this.reads.findTransaction(id);
    const known = (stored?.chain.orders ?? []).map((order) => order.order_id);
    await this.upstream.refreshTransaction(id, known, interactive);
    return toTransactionDetailDto(await this.reads.getTransaction(id), true);
  }

  @Post(':id/notified')
  @HttpCode(200)
  @Role('operator', 'backend')
  @ApiOperation({
    summary: 'Record that the patient was informed of the redraw',
    description:
      'Records who informed the patient, when and how, so that it happens only once. The first record stays: every ' +
      'later call, by any key, returns it with `replayed: true`. 409 `conflict` if no redraw is needed.',
  })
  @ApiOkResponse({ type: RecordedToldDto })
  @ApiProblem('invalid_request', 'not_found', 'conflict')
  async notifyOfRedraw(
    @Actor() { name: by }: Actor,
    @Param() { id }: TransactionPath,
    @Body() { how, notified_at, told_at: at = notified_at }: ToldBody,
  ): Promise<RecordedToldDto> {
    return toRecordedToldDto(await this.notifications.record({ scope: 'transaction', id }, { by, how, at }));
  }

  @Post(':id/replaced')
  @HttpCode(200)
  @Role('operator', 'backend')
  @ApiOperation({
    summary: 'Record that a lost sample or kit was replaced, or that the case was closed with the patient',
    description:
      'Records who did so and when, and ends the need `replace`. A later loss, also of the same order, is a need again. ' +
      'A repeated call returns the first record with `replayed: true`. 409 `conflict` if nothing has to be replaced.',
  })
  @ApiOkResponse({ type: RecordedReplacementDto })
  @ApiProblem('invalid_request', 'not_found', 'conflict')
  async recordReplacement(
    @Actor() { name: by }: Actor,
    @Param() { id }: TransactionPath,
  ): Promise<RecordedReplacementDto> {
    return toRecordedReplacementDto(await this.replacements.record(id, by));
  }

  @Post(':id/told')
  @HttpCode(200)
  @Role('operator', 'backend')
  @ApiOperation({ summary: 'Earlier name of .../notified', deprecated: true })
  @ApiOkResponse({ type: RecordedToldDto })
  @ApiProblem('invalid_request', 'not_found', 'conflict')
  tellRedraw(@Actor() actor: Actor, @Param() path: TransactionPath, @Body() body: ToldBody): Promise<RecordedToldDto> {
    return this.notifyOfRedraw(actor, path, body);
  }

  /** Orders without an account, or of another one, belong to no person whom the Bundle could name. */
  private ordersOf(read: TransactionRead): Bundle {
    return orNotFound(transactionBundle(read, this.clock.now()), 'The order transaction belongs to no account.');
  }
}
