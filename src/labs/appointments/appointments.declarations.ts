import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, leaseColumns } from '../../storage/declarations/personal-data.js';
import { AppointmentBookingEntity } from './appointment-booking.entity.js';

export const appointmentsDeclarations: RoomDeclarations = {
  entities: [AppointmentBookingEntity],
  personal: [
    {
      table: 'appointment_bookings',
      key: ['key_digest'],
      paths: byAccount,
      exported: { as: 'appointment_booking', without: [...leaseColumns, 'key_digest', 'fingerprint'] },
    },
  ],
};
