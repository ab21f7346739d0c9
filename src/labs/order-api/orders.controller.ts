import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { Actor, MayReadValues } from '../../http/auth/caller.js';
import { ApiPage, ApiProblem, Columns, upstreamFailures } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { isoOrNull } from '../../platform/platform/time.js';
import { toWaitingWorkDto } from '../../storage/work/waiting-work.dto.js';
import { DueReads, orderRead, resultRead } from '../orders/due-reads.repository.js';
import { OrderReadsService } from '../orders/order-reads.service.js';
import { PatientNotifications } from '../orders/patient-notifications.service.js';
import { OrderPairsService } from './order-pairs.service.js';
import { OrderDetailDto, OrderDto, ShownOrderDto, toOrderDetailDto, toOrderDto } from './orders.dto.js';
import { OrderListQuery, OrderPairBody, OrderPath } from './orders.query.js';
import {
  CriticalToldBody,
  NotificationHistoryDto,
  RecordedToldDto,
  toNotificationRecordDto,
  toRecordedToldDto,
} from './patient-notifications.dto.js';

@ApiTags('orders')
@ForOperators()
@Controller('admin/v1/orders')
export class OrdersController {
  constructor(
    private readonly reads: OrderReadsService,
    private readonly pairs: OrderPairsService,
    private readonly dueReads: DueReads,
    private readonly notifications: PatientNotifications,
  ) {}

  @Get()
  @Role('viewer', 'backend')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'Orders, newest first' })
  @ApiPage(OrderDto)
  @ApiProblem('invalid_request')
  @Columns(
    'created_at',
    'order_id',
    'account_id',
    'lab_test_name',
    'order_transaction_id',
    'origin',
    'status',
    'critical',
    'critical_untold',
  )
  async listOrders(@Query() query: OrderListQuery): Promise<Page<OrderDto>> {
    const { account_id: externalId, order_transaction_id: transactionId, notified, told = notified, ...rest } = query;
    return mapPage(await this.reads.list({ ...rest, told, externalId, transactionId }), toOrderDto);
  }

  @Get(':order_id')
  @Role('viewer', 'backend')
  @ApiOperation({ summary: 'Get an order with its events, appointments and, for the role reader, critical results' })
  @ApiOkResponse({ type: ShownOrderDto })
  @ApiProblem('invalid_request', 'not_found')
  async getOrder(@Param() { order_id }: OrderPath, @MayReadValues() showsValues: boolean): Promise<ShownOrderDto> {
    const [order, refresh, fetch] = await Promise.all([
      this.reads.get(order_id),
      this.dueReads.find(orderRead(order_id)),
      this.dueReads.find(resultRead({ scope: 'order', id: order_id })),
    ]);
    const waiting = { refresh: toWaitingWorkDto(refresh), result_fetch: toWaitingWorkDto(fetch) };
    const { version, observed_at } = order.order;
    const last_seen_at = isoOrNull(version > 0 ? observed_at : null);
    return { ...toOrderDetailDto(order, showsValues), ...waiting, last_seen_at };
  }

  @Post()
  @Role('operator', 'backend')
  @RouteIs({ limit: 'keys_upstream' })
  @ApiOperation({
    summary: 'Store the ids of an order that the customer placed',
    description:
      'Reads the missing id and the user of the order from upstream. While upstream is unavailable, a complete ' +
      'pair of ids is stored as sent (status null) and verified later; an incomplete pair is refused.',
  })
  @ApiCreatedResponse({ type: OrderDetailDto })
  @ApiProblem('invalid_request', 'not_found', 'conflict', 'account_erased', ...upstreamFailures)
  async storeOrder(@Body() pair: OrderPairBody): Promise<OrderDetailDto> {
    await this.pairs.storePair(pair);
    return toOrderDetailDto(await this.reads.get(pair.order_id), true);
  }

  @Get(':order_id/notifications')
  @Role('viewer', 'backend')
  @ApiOperation({ summary: 'Records that the patient was informed of critical results or of a redraw' })
  @ApiOkResponse({ type: NotificationHistoryDto })
  @ApiProblem('invalid_request', 'not_found')
  async listNotifications(
    @Param() { order_id }: OrderPath,
    @MayReadValues() showsValues: boolean,
  ): Promise<NotificationHistoryDto> {
    const records = await this.reads.notifications(order_id);
    return { data: records.map((record) => toNotificationRecordDto(record, showsValues)) };
  }

  @Post(':order_id/notified')
  @HttpCode(200)
  @Role('operator', 'backend')
  @ApiOperation({
    summary: 'Record that the patient was informed of the critical results',
    description:
      'Records who informed the patient, when and how, so that it happens only once. The first record stays: every ' +
      'later call, by any key, returns it with `replayed: true`. A critical result that arrives later needs a new ' +
      'record, and so does one that a given `result_version` or `markers` leave out. 409 `conflict` if there is no ' +
      'critical result, or none of that version and these markers.',
  })
  @ApiOkResponse({ type: RecordedToldDto })
  @ApiProblem('invalid_request', 'not_found', 'conflict')
  async notifyOfCriticalResults(
    @Actor() { name: by }: Actor,
    @Param() { order_id: id }: OrderPath,
    @Body() { how, notified_at, told_at: at = notified_at, result_version: version, markers }: CriticalToldBody,
  ): Promise<RecordedToldDto> {
    const report = { by, how, at, version, markers };
    return toRecordedToldDto(await this.notifications.record({ scope: 'order', id }, report));
  }

  @Post(':order_id/told')
  @HttpCode(200)
  @Role('operator', 'backend')
  @ApiOperation({ summary: 'Earlier name of .../notified', deprecated: true })
  @ApiOkResponse({ type: RecordedToldDto })
  @ApiProblem('invalid_request', 'not_found', 'conflict')
  tellCriticalResults(
    @Actor() actor: Actor,
    @Param() path: OrderPath,
    @Body() body: CriticalToldBody,
  ): Promise<RecordedToldDto> {
    return this.notifyOfCriticalResults(actor, path, body);
  }
}
