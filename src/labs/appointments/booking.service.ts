import { Injectable } from '@nestjs/common';
import { AppError, orNotFound } from '../../platform/platform/errors.js';
import { AppointmentsClient } from '../../upstream/client/appointments.client.js';
import type { WireAppointment, WireBooking } from '../../upstream/client/wire-appointments.js';
import { interactive } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import type { CallKind } from '../keys/call-kind.js';
import { type CallClaim, type Claim, IdempotencyKeys } from '../keys/idempotency-keys.service.js';
import type { Appointment } from '../orders/order-reads.service.js';
import { OrdersService } from '../orders/orders.service.js';
import { UpstreamOrders } from '../upstream-orders/upstream-orders.js';
import { AppointmentsTelemetry } from './appointments.telemetry.js';
import { bookingInProgress, failureOf } from './refusal.js';
import { UpstreamAppointments } from './upstream-appointments.js';

/*
 * Books an appointment, at most once per idempotency key of a caller, and only if the order has none (table
 * idempotency_keys).
 *
 *   (no row) --key stored-->            calling   with our own UUID, which upstream gets as the key in every call
 *   calling  --order has one already--> refused   checked before anything is sent; `conflict`
 *   calling  --success-->               done      the appointment and this state are stored in one transaction
 *   calling  --slot refused-->          refused   by upstream itself, and the order still has no appointment
 *   calling  --anything else-->         unknown   timeout, 5xx, lost or unreadable response, and an immediate read
 *                                                 finds no appointment; or 409, 429, our key refused
 *   calling  --lease expires-->         (as unknown)
 *   unknown  --same body again-->       calling   reads the order's appointment first; if there is one, sends nothing
 *   refused  --any body-->              calling
 *   done     --same body again-->       done      returned from the database, without a call
 *
 * Unless the key is refused, another body is `idempotency_key_reused`; while a call for the key or the order is in
 * progress, a request is `booking_in_progress`. A crash leaves `calling` with a lease; a repeat after its end reads
 * first. An order has one active appointment, so an appointment found by that read was booked by an earlier call with
 * the key, unless another key booked it.
 */

const booking: CallKind = { subject: 'booking', reused: 'request', inProgress: bookingInProgress };

export interface BookingRequest {
  readonly orderId: string;
  readonly idempotencyKey: string;
  readonly body: WireBooking;
}

export interface Booked {
  readonly appointment: Appointment;
  /** True if returned from the database without a call. */
  readonly replayed: boolean;
}

@Injectable()
export class BookingService {
  constructor(
    private readonly upstreamOrders: UpstreamOrders,
    private readonly orders: OrdersService,
    private readonly upstream: UpstreamAppointments,
    private readonly client: AppointmentsClient,
    private readonly keys: IdempotencyKeys,
    private readonly telemetry: AppointmentsTelemetry,
  ) {}

  /**
   * Books an appointment, or returns the one already booked with the key. Throws `not_found`; `conflict` if the order
   * has an appointment; `idempotency_key_reused`, `booking_in_progress`; `appointment_refused` or
   * `upstream_invalid_request` if nothing was booked; and `UpstreamError`, or an error with its code, if the outcome is
   * unknown and the same request may be repeated.
   */
  async book(request: BookingRequest): Promise<Booked> {
    const { order } = await this.upstreamOrders.stored(request.orderId);
    const own = { ...request, orderId: order.order_id };
    const claim = await this.claim(own);
    if (claim.kind === 'done') {
      this.telemetry.done('book', own.orderId, 'repeated');
      return { appointment: await this.upstream.stored(own.orderId, claim.outcomeId), replayed: true };
    }
    try {
      return await this.bookAs(claim, own);
    } finally {
      this.keys.forget(claim);
    }
  }

  /** Throws `not_found` for an order without an account that may be written to. */
  private claim({ orderId, body, idempotencyKey }: BookingRequest): Promise<Claim> {
    return this.keys.claim(booking, idempotencyKey, async (tx) => {
      // Lock the order so that two keys cannot both find it free.
      const owner = await this.orders.lockOwner(tx, { scope: 'order', id: orderId });
      const account = orNotFound(owner, 'The order belongs to no account.');
      return { account, objectId: orderId, content: { orderId, body } };
    });
  }

  private async bookAs(claim: CallClaim, request: BookingRequest): Promise<Booked> {
    const { orderId } = request;
    const booked = await this.call(claim, request).catch((error: unknown) => this.failed(claim, orderId, error));
    const observed = { account: claim.account, observedAt: claim.claimedAt };
    const appointment = await this.upstream.store(booked, observed, (tx) => this.keys.done(tx, claim, booked.id));
    this.telemetry.done('book', orderId, 'done');
    return { appointment, replayed: false };
  }

  private async call(claim: CallClaim, request: BookingRequest): Promise<WireAppointment> {
    const present = await this.upstream.active(request.orderId);
    if (present === null) return this.send(claim, request);
    const isOwn = claim.isRepeat && (await this.keys.outcomesOfOthers(claim, [present.id])).size === 0;
    if (isOwn) return present;
    throw new AppError('conflict', 'The order already has an appointment; move or cancel it first.');
  }

  /** Sends the booking once. After a failure, reads the order's appointment to find the outcome. */
  private async send({ callId }: CallClaim, { orderId, body }: BookingRequest): Promise<WireAppointment> {
    try {
      return await this.client.book(orderId, body, callId, interactive);
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

  private async failed(claim: CallClaim, orderId: string, thrown: unknown): Promise<never> {
    const failure = failureOf(thrown);
    await this.keys.failed(claim, failure);
    this.telemetry.failed('book', orderId, failure.settled ? 'refused' : 'unknown', failure.error);
    throw failure.error;
  }
}
