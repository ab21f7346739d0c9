import { AppError, CodedError, type FieldError } from '../../platform/platform/errors.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { bookingInProgress } from './booking-keys.js';

export interface Failure {
  /** True if neither this nor an earlier call booked anything; false if unknown. */
  readonly settled: boolean;
  /** For the caller. */
  readonly error: unknown;
}

/**
 * Meaning of a failed booking, after a read of the order's appointment: a 400 and a 404 mean the same
 * (docs/upstream/appointments.md#errors-of-availability-and-booking).
 */
export function failureOf(error: unknown): Failure {
  if (error instanceof AppError) return { settled: error.code === 'conflict', error };
  if (!(error instanceof UpstreamError)) return { settled: false, error };
  if (error.isVerdict) return { settled: true, error: refused(error) };
  if (error.kind === 'rejected' && error.status === 409) return { settled: false, error: bookingInProgress(error) };
  return { settled: false, error: error.kind === 'rejected' || error.kind === 'throttled' ? error : unknown(error) };
}

/** Our fields by upstream's names; other locations are left out. */
const fieldNames: Readonly<Record<string, string>> = {
  booking_key: 'booking_key',
  appointment_notes: 'appointment_notes',
  async_confirmation: 'async_confirmation',
  sync_confirmation_timeout_millisecond: 'sync_confirmation_timeout_millisecond',
  async_confirmation_timeout_millisecond: 'async_confirmation_timeout_millisecond',
  cancellationReasonId: 'cancellation_reason_id',
  cancellation_reason_id: 'cancellation_reason_id',
  note: 'note',
};

/** The error for a refusal: `upstream_invalid_request` if it names fields, else `appointment_refused`. */
export function refused(error: UpstreamError): AppError {
  const names = new Set((error.detail?.locs ?? []).flatMap((loc) => fieldNames[loc.split('.')[1] ?? ''] ?? []));
  const fields = [...names].map((field): FieldError => ({ field, message: 'upstream does not accept this value' }));
  if (fields.length > 0) {
    return new AppError('upstream_invalid_request', 'Upstream does not accept the request.', { fields, cause: error });
  }
  const message =
    'Upstream refused: the slot may be taken or expired, the order may have no requisition, or the appointment ' +
    'can no longer be changed. Nothing was changed; search for slots again.';
  return new AppError('appointment_refused', message, { cause: error });
}

function unknown(cause: UpstreamError): CodedError {
  const message =
    'It is unknown whether the appointment was booked: repeat the request with the same key and body. A 503 of ' +
    'upstream can also mean that scheduling is not enabled for the team.';
  return new AppError(cause.code, message, { cause, retryAfterSeconds: cause.retryAfterSeconds ?? 1 });
}
