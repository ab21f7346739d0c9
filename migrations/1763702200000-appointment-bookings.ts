import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** Idempotency keys under which appointments are booked. */
export class AppointmentBookings1763702200000 implements MigrationInterface {
  readonly name = 'AppointmentBookings1763702200000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text, strict } = ddlFor(dialectOf(runner));
    const statements = [
      `CREATE TABLE appointment_bookings (
        key_digest ${text} PRIMARY KEY NOT NULL, booking_id ${text} NOT NULL, account_id ${int} NOT NULL,
        order_id ${text} NOT NULL,
        state ${text} NOT NULL
          CONSTRAINT "appointment_bookings_state" CHECK (state IN ('calling', 'unknown', 'refused', 'booked')),
        fingerprint ${text} NOT NULL, created_at ${int} NOT NULL, appointment_id ${text}, error_code ${text},
        lease_owner ${text}, lease_until ${int},
        CONSTRAINT "appointment_bookings_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      'CREATE INDEX appointment_bookings_account_id ON appointment_bookings (account_id)',
      'CREATE INDEX appointment_bookings_order_id ON appointment_bookings (order_id)',
      'CREATE INDEX appointment_bookings_open ON appointment_bookings (state)',
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
