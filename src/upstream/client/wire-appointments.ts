import { asText, listOrEmpty, readEach, textOrNull, type Unreadable } from '../../platform/platform/json-reader.js';
import { object, openObject, type Wire } from '../../platform/platform/json-shape.js';

/** Slot of a booking, with notes for the lab. */
export interface WireSlotChoice {
  booking_key: string;
  appointment_notes?: string;
}

/** Body of a booking. Timeouts: how long the call waits for the lab, and how long the lab may take afterwards. */
export interface WireBooking extends WireSlotChoice {
  async_confirmation?: boolean;
  sync_confirmation_timeout_millisecond?: number;
  async_confirmation_timeout_millisecond?: number;
}

/** An appointment (docs/upstream/appointments.md#the-appointment-object), with all fields that upstream sent. */
export const readAppointment = openObject('appointment', { id: asText, order_id: asText });

export type WireAppointment = Wire<typeof readAppointment>;

const readCancellationReason = object('reasons[]', {
  id: asText,
  name: textOrNull,
  is_refundable: (value) => (typeof value === 'boolean' ? value : null),
});

export type WireCancellationReason = Wire<typeof readCancellationReason>;

/** Skips a reason without an id, because it could not be sent. */
export function readCancellationReasons(value: unknown, unreadable: Unreadable): WireCancellationReason[] {
  return readEach(listOrEmpty(value), (reason) => readCancellationReason(reason, unreadable), unreadable);
}
