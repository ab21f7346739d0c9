import { day, flag, integer, listOf, number, object, orNull, text, time, uuid } from './shapes.js';

const maybe = orNull(text);
const place = object({ lng: number, lat: number });
const address = object(
  { first_line: text, city: text, state: text, zip_code: text },
  { second_line: maybe, unit: maybe, access_notes: maybe },
);

/** docs/upstream/appointments.md#answer-of-availability */
const slot = object(
  { start: time, end: time, price: number, is_priority: flag, num_appointments_available: integer },
  { booking_key: maybe, expires_at: orNull(time) },
);

const site = object(
  { location: place, address, code: text, name: text },
  { distance: orNull(integer), iana_timezone: maybe },
);

export const availability = object(
  { slots: listOf(object({ date: day, slots: listOf(slot) }, { location: orNull(site) })) },
  { timezone: maybe },
);

/** docs/upstream/appointments.md#the-appointment-object */
export const appointment = object(
  {
    id: uuid,
    user_id: uuid,
    order_id: uuid,
    address,
    location: place,
    start_at: orNull(time),
    end_at: orNull(time),
    type: { enum: ['phlebotomy', 'patient_service_center'] },
    provider: { enum: ['getlabs', 'phlebfinders', 'quest', 'sonora_quest'] },
    provider_id: text,
    can_reschedule: flag,
    status: { enum: ['pending', 'reserved', 'confirmed', 'in_progress', 'completed', 'cancelled'] },
    event_status: { enum: ['pending', 'reserved', 'scheduled', 'in_progress', 'completed', 'cancelled'] },
    events: listOf(object({ created_at: time, status: text }, { data: orNull(object({})) })),
  },
  {
    order_transaction_id: orNull(uuid),
    iana_timezone: maybe,
    external_id: maybe,
    appointment_notes: maybe,
    event_data: orNull(object({})),
  },
);

export const cancellationReasons = listOf(object({ id: text, name: text, is_refundable: flag }));
