import { Check, Entity, Index } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import { oneOf, TextColumn } from '../../storage/database/columns.js';
import { KeyColumns } from '../../storage/work/lease-columns.js';

/**
 * calling: a call may be in progress · unknown: a call ended without an outcome · refused: nothing was booked, and the
 * key may be used with a corrected body · booked: the appointment is known. See booking.service.ts.
 */
export const bookingStates = ['calling', 'unknown', 'refused', 'booked'] as const;
export type BookingState = (typeof bookingStates)[number];

/** A caller's idempotency key and its outcome. Reveals nothing about the body. */
@Entity('appointment_bookings')
@Check('appointment_bookings_state', oneOf('state', bookingStates))
@Index('appointment_bookings_account_id', ['account_id'])
@Index('appointment_bookings_order_id', ['order_id'])
@Index('appointment_bookings_open', ['state'])
export class AppointmentBookingEntity extends KeyColumns {
  /** Our UUID, which is the idempotency key for upstream. */
  @TextColumn() booking_id: string;
  @AccountColumn('appointment_bookings_account') account_id: number;
  @TextColumn() order_id: string;
  @TextColumn() state: BookingState;
  /** Equal only for the same order and body (http/idempotency-key.ts). */
  @TextColumn() fingerprint: string;
  @TextColumn({ nullable: true }) appointment_id: string | null;
}
