import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ApiIdempotencyKey, IdempotencyKey } from '../../http/server/idempotency-key.js';
import { OpenBody, type OpenFields } from '../../http/server/open-body.js';
import { ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { OrderPath } from '../order-api/orders.query.js';
import { OrderReadsService } from '../orders/order-reads.service.js';
import { CancellingService } from './cancelling.service.js';
import { readOrderRequest } from './order-request.js';
import { MAX_ORDER_BYTES, PlaceOrderBody } from './place-order.dto.js';
import { CancelledOrderDto, PlacedOrderDto, toCancelledOrderDto, toPlacedOrderDto } from './placing.dto.js';
import { PlacingService } from './placing.service.js';

@ApiTags('orders')
@ForOperators()
@Controller('admin/v1/orders')
export class PlacingController {
  constructor(
    private readonly placing: PlacingService,
    private readonly cancelling: CancellingService,
    private readonly reads: OrderReadsService,
  ) {}

  @Post('place')
  @Role('operator', 'backend')
  @RouteIs({ limit: 'keys_upstream' })
  @ApiOperation({
    summary: 'Place an order upstream, once per idempotency key',
    description:
      'The body is passed to upstream unchanged, including fields not listed here; none of it is stored or logged. ' +
      'The same key with the same body always returns the same order; with another body it is refused, unless ' +
      'upstream refused the first. If the outcome is unknown (503 or no response), repeat the same request: it ' +
      'never places a second order.',
  })
  @ApiIdempotencyKey('Unique per order, across all callers and without expiry; use a new random uuid.')
  @ApiExtraModels(PlaceOrderBody)
  @ApiBody({
    schema: { allOf: [{ $ref: getSchemaPath(PlaceOrderBody) }], type: 'object', additionalProperties: true },
  })
  @ApiCreatedResponse({ type: PlacedOrderDto })
  @ApiProblem('invalid_request', 'idempotency_key_required', 'account_blocked', 'account_erased', 'not_found')
  @ApiProblem('payload_too_large')
  @ApiProblem('conflict', 'placement_in_progress', 'placement_unresolved', 'idempotency_key_reused', 'order_refused')
  @ApiProblem(...upstreamFailures)
  async placeOrder(
    @Body(new OpenBody(PlaceOrderBody, MAX_ORDER_BYTES)) body: OpenFields,
    @IdempotencyKey() key: string,
  ): Promise<PlacedOrderDto> {
    const { orderId, replayed } = await this.placing.place(readOrderRequest(body), key);
    return toPlacedOrderDto(await this.reads.get(orderId), replayed);
  }

  @Post(':order_id/cancel')
  @HttpCode(200)
  @Role('operator', 'backend')
  @RouteIs({ limit: 'keys_upstream' })
  @ApiOperation({
    summary: 'Cancel an order upstream',
    description:
      'An already cancelled order is returned unchanged. Cancelling a walk-in order does not cancel its ' +
      'appointment: `open_appointments` lists those that may still be active. Once the lab has the sample, a kit has ' +
      'been sent, or a redraw is offered, upstream refuses to cancel.',
  })
  @ApiOkResponse({ type: CancelledOrderDto })
  @ApiProblem('invalid_request', 'not_found', 'order_not_cancellable')
  @ApiProblem(...upstreamFailures)
  async cancelOrder(@Param() { order_id }: OrderPath): Promise<CancelledOrderDto> {
    return toCancelledOrderDto(await this.cancelling.cancel(order_id));
  }
}
