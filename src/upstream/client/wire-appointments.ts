import {
  asFields,
  asText,
  isFields,
  listOrEmpty,
  textOrNull,
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

/** A reason without an id is omitted: it could not be sent. */
export function readCancellationReasons(value: unknown): WireCancellationReason[] {
  return listOrEmpty(value).flatMap((item) => {
    const id = isFields(item) ? textOrNull(item.id) : null;
    if (!isFields(item) || id === null) return [];
    const is_refundable = typeof item.is_refundable === 'boolean' ? item.is_refundable : null;
    return [{ id, name: textOrNull(item.name), is_refundable }];
  });
}
