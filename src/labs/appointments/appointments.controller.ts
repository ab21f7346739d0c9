import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ApiIdempotencyKey, IdempotencyKey } from '../../http/server/idempotency-key.js';
import { ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { AppointmentDto, toAppointmentDto } from '../order-api/lab-events.dto.js';
import { OrderPath } from '../order-api/orders.query.js';
import {
  BookBody,
  BookedAppointmentDto,
  CancelBody,
  CancellationReasonsDto,
  CancelQuery,
  givenOf,
  RescheduleBody,
} from './appointments.dto.js';
import { BookingService } from './booking.service.js';
import { ChangingService } from './changing.service.js';

@ApiTags('orders')
@ForOperators()
@ApiProblem('invalid_request', 'idempotency_key_required', 'not_found', 'appointment_refused')
@ApiProblem('conflict', 'account_erased', 'booking_in_progress', 'upstream_invalid_request', ...upstreamFailures)
@Controller('admin/v1/orders/:order_id/appointment')
export class AppointmentsController {
  constructor(
    private readonly booking: BookingService,
    private readonly changing: ChangingService,
  ) {}

  @Post()
  @Role('operator', 'backend')
  @RouteIs({ limit: 'keys_upstream' })
  @ApiOperation({
    summary: 'Book an appointment for an order, once per idempotency key',
    description:
      'Send the booking_key of an available slot. An order has one appointment at a time. The same key with the ' +
      'same body returns the same appointment; with another body it is refused, unless upstream refused the first. ' +
      'If the outcome is unknown (503 or no response), repeat the same request: it never books a second one.',
  })
  @ApiIdempotencyKey('Unique per booking, across all callers; use a new uuid.')
  @ApiCreatedResponse({ type: BookedAppointmentDto })
  @ApiProblem('idempotency_key_reused', 'upstream_invalid_request', 'appointment_refused')
  async bookAppointment(
    @Param() { order_id: orderId }: OrderPath,
    @Body() body: BookBody,
    @IdempotencyKey() idempotencyKey: string,
  ): Promise<BookedAppointmentDto> {
    const booked = await this.booking.book({ orderId, idempotencyKey, body: givenOf(body) });
    return { ...toAppointmentDto(booked.appointment), replayed: booked.replayed };
  }

  @Patch()
  @Role('operator', 'backend')
  @RouteIs({ limit: 'keys_upstream' })
  @ApiOperation({ summary: 'Move the appointment of an order to another slot' })
  @ApiOkResponse({ type: AppointmentDto })
  async rescheduleAppointment(
    @Param() { order_id: orderId }: OrderPath,
    @Body() body: RescheduleBody,
  ): Promise<AppointmentDto> {
    return toAppointmentDto(await this.changing.reschedule(orderId, givenOf(body)));
  }

  @Delete()
  @HttpCode(200)
  @Role('operator', 'backend')
  @RouteIs({ limit: 'keys_upstream' })
  @ApiOperation({
    summary: 'Cancel the appointment of an order',
    description:
      'Upstream asks for a reason: one of GET /admin/v1/labs/cancellation-reasons, in the body or the query. An ' +
      'already cancelled appointment is returned unchanged. The order is not cancelled.',
  })
  @ApiOkResponse({ type: AppointmentDto })
  async cancelAppointment(
    @Param() { order_id: orderId }: OrderPath,
    @Query() query: CancelQuery,
    @Body() body: CancelBody,
  ): Promise<AppointmentDto> {
    const { cancellation_reason_id: reasonId, note } = { ...givenOf(query), ...givenOf(body) };
    const cancellation = { ...(reasonId && { reasonId }), ...(note && { note }) };
    return toAppointmentDto(await this.changing.cancel(orderId, cancellation));
  }
}

@ApiTags('labs')
@ForOperators()
@Controller('admin/v1/labs/cancellation-reasons')
export class CancellationReasonsController {
  constructor(private readonly changing: ChangingService) {}

  @Get()
  @Role('viewer', 'backend')
  @RouteIs({ limit: 'labs' })
  @ApiOperation({ summary: 'Reasons for cancelling an appointment' })
  @ApiOkResponse({ type: CancellationReasonsDto })
  @ApiProblem(...upstreamFailures)
  async listCancellationReasons(): Promise<CancellationReasonsDto> {
    return { data: await this.changing.reasons(), next_cursor: null };
  }
}
