import {
  asFields,
  asText,
  listOrEmpty,
  readEach,
  textOrNull,
  type Unreadable,
  type WireFields,
} from '../../platform/platform/json-reader.js';

/** Body of a booking; notes are for the lab. */
export interface WireSlotChoice {
  booking_key: string;
  appointment_notes?: string;
}

/** Times in milliseconds: how long the call waits for the lab, and how long the lab may take after it. */
export interface WireBooking extends WireSlotChoice {
  async_confirmation?: boolean;
  sync_confirmation_timeout_millisecond?: number;
  async_confirmation_timeout_millisecond?: number;
}

/** An appointment (docs/upstream/appointments.md#the-appointment-object), with every field upstream sent. */
export interface WireAppointment extends WireFields {
  id: string;
  order_id: string;
}

export interface WireCancellationReason {
  id: string;
  name: string | null;
  is_refundable: boolean | null;
}

export function readAppointment(value: unknown): WireAppointment {
  const appointment = asFields(value, 'appointment');
  return {
    ...appointment,
    id: asText(appointment.id, 'appointment.id'),
    order_id: asText(appointment.order_id, 'appointment.order_id'),
  };
}

function readCancellationReason(value: unknown): WireCancellationReason {
  const reason = asFields(value, 'reasons[]');
  const is_refundable = typeof reason.is_refundable === 'boolean' ? reason.is_refundable : null;
  return { id: asText(reason.id, 'reasons[].id'), name: textOrNull(reason.name), is_refundable };
}

/** A reason without an id is skipped: it could not be sent. */
export function readCancellationReasons(value: unknown, unreadable: Unreadable): WireCancellationReason[] {
  return readEach(listOrEmpty(value), readCancellationReason, unreadable);
}
