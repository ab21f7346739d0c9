import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { AppointmentsClient } from '../../upstream/client/appointments.client.js';
import type { WireAppointment } from '../../upstream/client/wire-appointments.js';
import { interactive } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import type { Appointment } from '../orders/order-reads.service.js';
import { UpstreamOrders } from '../upstream-orders/upstream-orders.js';
import { AppointmentsTelemetry } from './appointments.telemetry.js';
import { type BookingClaim, BookingKeys, type BookingRequest } from './booking-keys.js';
import { failureOf } from './refusal.js';
import { UpstreamAppointments } from './upstream-appointments.js';

/*
 * Books an appointment, at most once per idempotency key of a caller, and only if the order has none (table
 * appointment_bookings).
 *
 *   (no row) --key stored-->            calling   with our own UUID, which upstream gets as the key in every call
 *   calling  --order has one already--> refused   checked before anything is sent; `conflict`
 *   calling  --success-->               booked    the appointment and this state are stored in one transaction
 *   calling  --slot refused-->          refused   by upstream itself, and the order still has no appointment
 *   calling  --anything else-->         unknown   timeout, 5xx, lost or unreadable response, and an immediate read
 *                                                 finds no appointment; or 409, 429, our key refused
 *   calling  --lease expires-->         (as unknown)
 *   unknown  --same body again-->       calling   reads the order's appointment first; if there is one, sends nothing
 *   refused  --any body-->              calling
 *   booked   --same body again-->       booked    returned from the database, without a call
 *
 * Unless the key is refused, another body is `idempotency_key_reused`; while a call for the key or the order is in
 * progress, a request is `booking_in_progress`. A crash leaves `calling` with a lease; a repeat after its end reads
 * first. An order has one active appointment, so an appointment found by that read was booked by an earlier call with
 * the key, unless another key booked it.
 */

export interface Booked {
  readonly appointment: Appointment;
  /** True if returned from the database without a call. */
  readonly replayed: boolean;
}

@Injectable()
export class BookingService {
  constructor(
    private readonly orders: UpstreamOrders,
    private readonly upstream: UpstreamAppointments,
    private readonly client: AppointmentsClient,
    private readonly keys: BookingKeys,
    private readonly clock: Clock,
    private readonly telemetry: AppointmentsTelemetry,
  ) {}

  /**
   * Books an appointment, or returns the one already booked with the key. Throws `not_found`; `conflict` if the order
   * has an appointment; `idempotency_key_reused`, `booking_in_progress`; `appointment_refused` or
   * `upstream_invalid_request` if nothing was booked; and `UpstreamError`, or an error with its code, if the outcome is
   * unknown and the same request may be repeated.
   */
  async book(request: BookingRequest): Promise<Booked> {
    const { order } = await this.orders.stored(request.orderId);
    const claim = await this.keys.claim({ ...request, orderId: order.order_id });
    if (claim.kind === 'booked') {
      this.telemetry.done('book', order.order_id, 'repeated');
      return { appointment: await this.upstream.stored(order.order_id, claim.appointmentId), replayed: true };
    }
    const observedAt = this.clock.now();
    try {
      return await this.bookAs(claim, observedAt);
    } finally {
      this.keys.forget(claim);
    }
  }

  private async bookAs(claim: BookingClaim, observedAt: number): Promise<Booked> {
    const booked = await this.call(claim).catch((error: unknown) => this.failed(claim, error));
    const appointment = await this.upstream.store(booked, { account: claim.account, observedAt }, (tx) =>
      this.keys.booked(tx, claim, booked.id),
    );
    this.telemetry.done('book', claim.orderId, 'done');
    return { appointment, replayed: false };
  }

  private async call(claim: BookingClaim): Promise<WireAppointment> {
    const present = await this.upstream.active(claim.orderId);
    if (present === null) return this.send(claim);
    if (await this.keys.mayHaveBooked(claim, present.id)) return present;
    throw new AppError('conflict', 'The order already has an appointment; move or cancel it first.');
  }

  /** Sends the booking once. After a failure, reads the order's appointment to find the outcome. */
  private async send({ orderId, bookingId, body }: BookingClaim): Promise<WireAppointment> {
    try {
      return await this.client.book(orderId, body, bookingId, interactive);
    } catch (error) {
      if (!(error instanceof UpstreamError) || !(error.isVerdict || error.mayHaveWorked)) throw error;
      const found = await this.upstream.active(orderId).catch((unseen: unknown) => {
        // A refusal proves nothing until a read shows that the order has no appointment.
        throw error.isVerdict ? unseen : error;
      });
      if (found) return found;
      throw error;
    }
  }

  private async failed(claim: BookingClaim, thrown: unknown): Promise<never> {
    const failure = failureOf(thrown);
    await this.keys.failed(claim, failure);
    this.telemetry.failed('book', claim.orderId, failure.settled ? 'refused' : 'unknown', failure.error);
    throw failure.error;
  }
}
