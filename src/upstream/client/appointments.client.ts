import { Injectable } from '@nestjs/common';
import { type ReadObject, withId } from '../../platform/platform/json-shape.js';
import { type CallOptions, nullIfAbsent, type UpstreamCall } from '../transport/call.js';
import { type Route, routes } from '../transport/routes.js';
import { Transport } from '../transport/transport.js';
import * as wire from './wire-appointments.js';

/**
 * Calls about an order's appointment at a patient service center (docs/upstream/appointments.md#booking). Changes are
 * never retried here: read the appointment first.
 */
@Injectable()
export class AppointmentsClient {
  constructor(private readonly transport: Transport) {}

  /** The active appointment; null if there is none. */
  async active(orderId: string, o: CallOptions): Promise<wire.WireAppointment | null> {
    const call = { read: readOf(orderId), recover: nullIfAbsent };
    return this.ask<wire.WireAppointment | null>(routes.appointment, orderId, o, call);
  }

  /** Upstream stores the first success under the key for 14 days and returns it for later calls. */
  async book(orderId: string, body: wire.WireBooking, key: string, o: CallOptions): Promise<wire.WireAppointment> {
    const headers = { 'X-Idempotency-Key': key, 'X-Idempotency-Error': 'no-cache' };
    return this.ask(routes.bookAppointment, orderId, o, { body, headers, read: readOf(orderId) });
  }

  async reschedule(orderId: string, body: wire.WireSlotChoice, o: CallOptions): Promise<wire.WireAppointment> {
    return this.ask(routes.rescheduleAppointment, orderId, o, { body, read: readOf(orderId) });
  }

  /** Sends the reason in camel case, as the contract requires (docs/upstream/appointments.md#booking). */
  async cancel(
    orderId: string,
    { reasonId, note }: { reasonId?: string; note?: string },
    o: CallOptions,
  ): Promise<wire.WireAppointment> {
    const reason = reasonId === undefined ? {} : { cancellationReasonId: reasonId };
    const body = { ...reason, ...(note !== undefined && { note }) };
    return this.ask(routes.cancelAppointment, orderId, o, { body, read: readOf(orderId) });
  }

  async cancellationReasons(o: CallOptions): Promise<wire.WireCancellationReason[]> {
    return this.transport.request({ route: routes.cancellationReasons, read: wire.readCancellationReasons }, o);
  }

  private ask<T>(
    route: Route,
    orderId: string,
    options: CallOptions,
    call: Omit<UpstreamCall<T>, 'route' | 'path'>,
  ): Promise<T> {
    return this.transport.request({ route, path: { order_id: orderId }, ...call }, options);
  }
}

/** Reads an appointment. One of another order makes the response `contract`. */
function readOf(orderId: string): ReadObject<wire.WireAppointment> {
  return withId(wire.readAppointment, 'order_id', orderId);
}
