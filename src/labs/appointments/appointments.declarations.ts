import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, leaseColumns, personalRows } from '../../storage/declarations/personal-data.js';
import { AppointmentBookingEntity } from './appointment-booking.entity.js';

export const appointmentsDeclarations: RoomDeclarations = {
  entities: [AppointmentBookingEntity],
  personal: [
    personalRows(AppointmentBookingEntity, byAccount, {
      as: 'appointment_booking',
      without: [...leaseColumns, 'key_digest', 'fingerprint'],
    }),
  ],
};
