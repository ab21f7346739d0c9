import { Injectable } from '@nestjs/common';
import { callInProgress, digestOf, fingerprintOf, keyReused } from '../../http/server/idempotency-key.js';
import { UpstreamConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError, orNotFound } from '../../platform/platform/errors.js';
import { newId } from '../../platform/platform/ids.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { type Attempt, callLeaseMs } from '../../storage/work/idempotency-keys.js';
import type { WireBooking } from '../../upstream/client/wire-appointments.js';
import { type Failure, storedFailure } from '../orders/idempotency.js';
import { OrdersService } from '../orders/orders.service.js';
import { BookingsRepository } from './bookings.repository.js';

export interface BookingRequest {
  readonly orderId: string;
  readonly idempotencyKey: string;
  readonly body: WireBooking;
}

/** Permission to call upstream once with this body. */
export interface BookingClaim extends Attempt {
  readonly kind: 'call';
  readonly orderId: string;
  readonly account: number;
  readonly bookingId: string;
  readonly body: WireBooking;
  /** True if an earlier call with the key may have booked. */
  readonly mayBeBooked: boolean;
}

/** Either permission to call, or the appointment already booked with this key. */
export type Claim = BookingClaim | { readonly kind: 'booked'; readonly appointmentId: string };

/** One row per idempotency key. States: booking.service.ts. Each step is one transaction. */
@Injectable()
export class BookingKeys {
  constructor(
    private readonly bookings: BookingsRepository,
    private readonly orders: OrdersService,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly config: UpstreamConfig,
  ) {}

  /**
   * Stores the key before the call. Throws `idempotency_key_reused`, `booking_in_progress` while another call for the
   * key or the order may be in progress, and `not_found` for an order without an account that may be written to.
   */
  claim(request: BookingRequest): Promise<Claim> {
    const attempt = newId();
    return this.bookings.keys.claim(attempt, () => this.lane.run((tx) => this.claimIn(tx, request, attempt)));
  }

  /** Call in the database transaction that stores the appointment. */
  booked(tx: Tx, { keyDigest }: Attempt, appointmentId: string): Promise<void> {
    return this.bookings.keys.done(tx, keyDigest, 'booked', { appointment_id: appointmentId });
  }

  /** True if an earlier call with the key may have booked this appointment. */
  async mayHaveBooked({ mayBeBooked, orderId, keyDigest }: BookingClaim, appointmentId: string): Promise<boolean> {
    return mayBeBooked && !(await this.bookings.isOfAnother({ orderId, keyDigest, appointmentId }));
  }

  failed(attempt: Attempt, failure: Failure): Promise<void> {
    return this.lane.run((tx) => this.bookings.keys.fail(tx, attempt, storedFailure(failure)));
  }

  forget({ attempt }: Attempt): void {
    this.bookings.keys.forget(attempt);
  }

  countUnresolved(): Promise<number> {
    return this.bookings.countUnresolved(this.clock.now());
  }

  private async claimIn(tx: Tx, request: BookingRequest, attempt: string): Promise<Claim> {
    const { orderId, idempotencyKey, body } = request;
    // Lock the order so that two keys cannot both find it free.
    const owner = await this.orders.lockOwner(tx, { scope: 'order', id: orderId });
    const account = orNotFound(owner, 'The order belongs to no account.');
    const now = this.clock.now();
    const { keys } = this.bookings;
    const keyDigest = digestOf(idempotencyKey);
    const made = { booking_id: newId(), account_id: account, order_id: orderId, fingerprint: '', created_at: now };
    const row = await keys.lock(tx, keyDigest, made);
    const fingerprint = fingerprintOf({ orderId, body }, { idempotencyKey, salt: row.booking_id });
    if (row.state !== 'refused' && row.fingerprint !== fingerprint) throw keyReused('request');
    const { appointment_id: appointmentId } = row;
    if (row.state === 'booked' && appointmentId !== null) return { kind: 'booked', appointmentId };
    const rows = [row, ...(await this.bookings.others(tx, { orderId, keyDigest }))];
    if (rows.some((each) => keys.isCalling(tx, each, now))) throw bookingInProgress();
    const change = { account_id: account, order_id: orderId, fingerprint };
    await keys.startCall(tx, { keyDigest, attempt }, now + callLeaseMs(this.config), change);
    const mayBeBooked = row.state !== 'refused';
    return { kind: 'call', keyDigest, attempt, orderId, account, bookingId: row.booking_id, body, mayBeBooked };
  }
}

/** Also thrown while upstream still processes an earlier call with the key. */
export function bookingInProgress(cause?: unknown): AppError {
  return callInProgress('booking_in_progress', 'An appointment is being booked for this order', cause);
}
