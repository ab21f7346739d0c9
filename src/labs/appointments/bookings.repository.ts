import { Injectable } from '@nestjs/common';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import { IdempotencyKeys } from '../../storage/work/idempotency-keys.js';
import { AppointmentBookingEntity } from './appointment-booking.entity.js';

/** The table appointment_bookings. */
@Injectable()
export class BookingsRepository {
  readonly keys = new IdempotencyKeys(AppointmentBookingEntity);

  constructor(private readonly reader: Reader) {}

  /** Unfinished calls for the order under other keys. */
  others(tx: Tx, { orderId, keyDigest }: { orderId: string; keyDigest: string }): Promise<AppointmentBookingEntity[]> {
    const sql = `SELECT * FROM appointment_bookings WHERE order_id = ? AND key_digest <> ? AND state = 'calling'`;
    return tx.rows<AppointmentBookingEntity>(sql, [orderId, keyDigest]);
  }

  countUnresolved(now: number): Promise<number> {
    return this.keys.countUnresolved(this.reader, now);
  }
}
