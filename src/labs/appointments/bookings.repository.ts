import { Injectable } from '@nestjs/common';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import { IdempotencyKeys } from '../../storage/work/idempotency-keys.js';
import { AppointmentBookingEntity } from './appointment-booking.entity.js';

/** The appointment_bookings table. */
@Injectable()
export class BookingsRepository {
  readonly keys = new IdempotencyKeys(AppointmentBookingEntity);

  constructor(private readonly reader: Reader) {}

  /** Unfinished calls for the order with other keys. */
  others(tx: Tx, { orderId, keyDigest }: { orderId: string; keyDigest: string }): Promise<AppointmentBookingEntity[]> {
    const sql = `SELECT * FROM appointment_bookings WHERE order_id = ? AND key_digest <> ? AND state = 'calling'`;
    return tx.rows<AppointmentBookingEntity>(sql, [orderId, keyDigest]);
  }

  /** True if another key booked this appointment. */
  async isOfAnother(booking: { orderId: string; keyDigest: string; appointmentId: string }): Promise<boolean> {
    const { orderId, keyDigest, appointmentId } = booking;
    const rows = await this.reader.rows(
      'SELECT 1 AS found FROM appointment_bookings WHERE order_id = ? AND key_digest <> ? AND appointment_id = ?',
      [orderId, keyDigest, appointmentId],
    );
    return rows.length > 0;
  }

  countUnresolved(now: number): Promise<number> {
    return this.keys.countUnresolved(this.reader, now);
  }
}
