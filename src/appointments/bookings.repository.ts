import { Injectable } from '@nestjs/common';
import { Reader } from '../database/reader.js';
import type { Tx } from '../database/tx.js';
import type { AppointmentBookingEntity } from './appointment-booking.entity.js';

export type BookingRow = AppointmentBookingEntity;

export type NewBooking = Pick<BookingRow, 'key_digest' | 'booking_id' | 'account_id' | 'order_id' | 'created_at'>;

/** The lease: whoever ends an attempt must still hold it. */
export interface Attempt {
  readonly keyDigest: string;
  readonly attempt: string;
}

export interface Call extends Attempt {
  readonly account: number;
  readonly orderId: string;
  readonly fingerprint: string;
  readonly leaseUntil: number;
}

const ended = 'lease_owner = NULL, lease_until = NULL';
const held = `WHERE key_digest = ? AND state = 'calling' AND lease_owner = ?`;

/** The table appointment_bookings. */
@Injectable()
export class BookingsRepository {
  constructor(private readonly reader: Reader) {}

  /** The row of a key, made free if it is missing; others wait for it until the transaction ends. */
  async lock(tx: Tx, { key_digest, booking_id, account_id, order_id, created_at }: NewBooking): Promise<BookingRow> {
    const [row] = await tx.rows<BookingRow>(
      `INSERT INTO appointment_bookings (key_digest, booking_id, account_id, order_id, state, fingerprint, created_at)
       VALUES (?, ?, ?, ?, 'refused', '', ?)
       ON CONFLICT (key_digest) DO UPDATE SET key_digest = excluded.key_digest RETURNING *`,
      [key_digest, booking_id, account_id, order_id, created_at],
    );
    return row as BookingRow;
  }

  /** True while a call under another key may be under way for the order. */
  async isBusy(
    tx: Tx,
    { orderId, keyDigest, now }: { orderId: string; keyDigest: string; now: number },
  ): Promise<boolean> {
    const rows = await tx.rows(
      `SELECT 1 FROM appointment_bookings
       WHERE order_id = ? AND key_digest <> ? AND state = 'calling' AND lease_until > ? LIMIT 1`,
      [orderId, keyDigest, now],
    );
    return rows.length > 0;
  }

  async startCall(tx: Tx, { keyDigest, attempt, account, orderId, fingerprint, leaseUntil }: Call): Promise<void> {
    await tx.execute(
      `UPDATE appointment_bookings SET state = 'calling', account_id = ?, order_id = ?, fingerprint = ?,
         error_code = NULL, lease_owner = ?, lease_until = ? WHERE key_digest = ?`,
      [account, orderId, fingerprint, attempt, leaseUntil, keyDigest],
    );
  }

  async booked(tx: Tx, keyDigest: string, appointmentId: string): Promise<void> {
    await tx.execute(
      `UPDATE appointment_bookings SET state = 'booked', appointment_id = ?, error_code = NULL, ${ended}
       WHERE key_digest = ?`,
      [appointmentId, keyDigest],
    );
  }

  /** Nothing if the lease has gone to another. */
  async failed(tx: Tx, { keyDigest, attempt }: Attempt, failure: { settled: boolean; code: string }): Promise<void> {
    const state = failure.settled ? 'refused' : 'unknown';
    await tx.execute(`UPDATE appointment_bookings SET state = ?, error_code = ?, ${ended} ${held}`, [
      state,
      failure.code,
      keyDigest,
      attempt,
    ]);
  }

  /** Keys that may or may not have booked, with no call under way that would settle it. */
  async countUnresolved(now: number): Promise<number> {
    const row = await this.reader.row<{ count: number }>(
      `SELECT COUNT(*) AS count FROM appointment_bookings
       WHERE state = 'unknown' OR (state = 'calling' AND lease_until <= ?)`,
      [now],
    );
    return row?.count ?? 0;
  }
}
